"""Looking at an environment: what it gives, what its reference leaves, what a rollout left, as pictures of pages.

How documents become pictures is the domain's business (its hook `render`); what is hostile stays in boxes. A rollout
is its commands: they are run once more in a fresh work box. `write` puts into the folder

    inputs/NAME-1.png  reference/NAME-1.png  ROLLOUT/NAME-1.png  index.html
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path, PurePosixPath
from typing import Any

from envwheel.api import Rendering
from envwheel.domains import Domains
from envwheel.environment.folder import TaskFolder
from envwheel.errors import BoxGone, SetupError
from envwheel.grading import collect
from envwheel.sandbox.base import ArtifactLimit, Box, BoxLimits, BoxSpec, Engine, Entry, Tree
from envwheel.trial import NoWork, Stage, Work, WorkReport, build_images, solution_work

PAGES = "pages"
"""The folder of a run in which pictures lie, one folder an environment."""
GIVEN, MADE = "/render/in", "/render/out"
BOX = BoxLimits(cpus=2.0, memory_mb=3072, disk_mb=2048, processes=256)
RENDER_S = 300.0
PICTURE = re.compile(r"[\w.,()+ -]{1,200}\.png")
PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class Commands:
    """The work of a rollout: the commands of its steps, one after the other in one shell."""

    steps: Sequence[Mapping[str, Any]]
    kind: str = "solver"
    id: str = "rollout"

    def __call__(self, box: Box, timeout_s: float) -> WorkReport:
        """Run them again; what they say now is not looked at."""
        end = time.monotonic() + timeout_s
        shell = box.shell()
        calls = [call for step in self.steps for call in step.get("tool_calls") or ()]
        for call in calls:
            command = (call.get("arguments") or {}).get("command")
            if isinstance(command, str) and (left := end - time.monotonic()) > 0:
                shell.run(command, timeout_s=left)
        shell.close()
        return WorkReport()


def write(
    engine: Engine, domains: Domains, task: TaskFolder, rollouts: Mapping[str, Sequence[Mapping[str, Any]]], out: Path
) -> list[Path]:
    """Write the pictures of `task` and of `rollouts` (name -> steps) and the page with all of them.

    Raises SetupError where no domain of the environment renders, BuildFailed, InfraError.
    """
    images = build_images(engine, task)
    stage = Stage(engine, task, images)
    works: dict[str, Work] = {"inputs": NoWork()}
    if task.solution is not None:
        works["reference"] = solution_work(task)
    works |= {name: Commands(steps) for name, steps in rollouts.items()}
    try:
        lefts = {name: _documents(_left(stage, work)) for name, work in works.items()}
        how = {name: _rendering(domains, task, tuple(sorted(files))) for name, files in lefts.items()}
        if not any(how.values()):
            named = ", ".join(task.environment.domains) or "none"
            raise SetupError(f"{task.name}: no installed domain of it ({named}) makes pictures of what lies there.")
        pages = [page for name, one in how.items() if one for page in _pages(engine, one, lefts[name], out / name)]
    finally:
        for image in images.uses:
            engine.remove(image)
    (out / "index.html").write_text(_index(task, list(works), pages, out), "utf-8")
    return pages


def _left(stage: Stage, work: Work) -> Tree:
    """What lies in the working directory before any work, or at the artifacts' places after it."""
    spec = stage.spec("work")
    with stage.engine.start(spec) as box:
        workdir = spec.workdir or stage.images.work.workdir or "/app"
        try:
            work(box, stage.task.config.agent_timeout_s)
            box.stop()
            return collect(box, (workdir,) if isinstance(work, NoWork) else stage.task.config.artifact_paths)
        except BoxGone:
            return Tree()
        except ArtifactLimit as limit:
            return Tree(dropped=(str(limit),))


def _documents(left: Tree) -> dict[str, Entry]:
    return {path: entry for path, entry in left.entries.items() if entry.kind == "file"}


def _rendering(domains: Domains, task: TaskFolder, files: tuple[str, ...]) -> Rendering | None:
    """The first answer of the environment's domains about `files`."""
    answers = (domains.render(id, files) for id in task.environment.domains if id in domains.ids)
    return next((one for one in answers if one is not None), None)


def _pages(engine: Engine, rendering: Rendering, files: Mapping[str, Entry], folder: Path) -> list[Path]:
    """The pages of `files`, from a box of the domain's choice."""
    given = {f"{GIVEN}/{name}": Entry("file", 0o644, files[path].data) for path, name in _flat(files).items()}
    image = engine.image(rendering.image)
    spec = BoxSpec(image.id, "verifier", user=None, limits=BOX, lifetime_s=2 * RENDER_S)
    with engine.start(spec) as box:
        box.put(Tree({GIVEN: Entry("dir", 0o755), MADE: Entry("dir", 0o777), **given}))
        box.shell(env={"IN": GIVEN, "OUT": MADE}).run(rendering.script, timeout_s=RENDER_S)
        box.stop()
        made = box.get(MADE)
    return _kept(made or Tree(), folder)


def _flat(files: Mapping[str, Entry]) -> dict[str, str]:
    """Path in the work box -> name under the folder of the render box: without the part that all have in common."""
    top = str(PurePosixPath(next(iter(files), "/")).parent)
    while not all(path.startswith(top.rstrip("/") + "/") for path in files):
        top = str(PurePosixPath(top).parent)
    return {path: path.removeprefix(top).strip("/").replace("/", "__") for path in files}


def _kept(made: Tree, folder: Path) -> list[Path]:
    """The pictures among `made`, written to `folder`; names and content are checked, for documents are hostile."""
    pages = []
    for path, entry in sorted(made.entries.items()):
        name = PurePosixPath(path).name
        if entry.kind == "file" and PICTURE.fullmatch(name) and entry.data.startswith(PNG):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(entry.data)
            pages.append(folder / name)
    return pages


def _index(task: TaskFolder, names: Sequence[str], pages: Sequence[Path], out: Path) -> str:
    """A page that shows them all, for a browser."""
    lines = ['<!doctype html><meta charset="utf-8">', f"<title>{escape(task.name)}</title>"]
    lines += ["<style>img{border:1px solid #999;max-width:48%;margin:4px}pre{white-space:pre-wrap}</style>"]
    lines += [f"<h1>{escape(task.name)}</h1>", f"<pre>{escape(task.environment.instruction)}</pre>"]
    for name in names:
        shown = [escape(page.relative_to(out).as_posix()) for page in pages if page.parent == out / name]
        lines.append(f"<h2>{escape(name)}</h2>")
        lines += [f'<a href="{at}"><img src="{at}" alt="{at}" title="{at}"></a>' for at in shown]
        lines += [] if shown else ["<p>Nothing that can be drawn.</p>"]
    return "\n".join(lines) + "\n"
