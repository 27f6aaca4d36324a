"""The harness turn: after a round the model reads what became of its candidates, and may revise its own notes.

    improved = practise(engine, model, settings, Practice(spec, harness, reference, results, on_step))

An episode in a box of the author's image, without network: /workspace/harness may be edited, /workspace/results.md
tells how the candidates fared. What is there at the end is taken out as plain text under caps (harness.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from envwheel.agent import AgentSettings, AgentTool, ToolResult, in_blocks, run_agent
from envwheel.errors import BoxGone, InfraError, ModelUnavailable
from envwheel.model.base import Model, Tool
from envwheel.propose.harness import MOST_BYTES, MOST_FILES, texts
from envwheel.propose.words import NOTES, NOTES_CHARS
from envwheel.propose.workspace import HARNESS, REFERENCE, WORKSPACE, files_tree
from envwheel.sandbox.base import ArchiveCaps, ArtifactLimit, Box, BoxSpec, Engine, Entry, Tree

TURNS = 20
SECONDS = 900.0
CAPS = ArchiveCaps(size_mb=4, members=500)
REASON_CHARS = 500

SYSTEM = f"""\
You build training environments for terminal agents, round after round, each time in a fresh box. What you know from
one round to the next is what stands in {HARNESS}: the first {NOTES_CHARS} characters of {NOTES} are shown to you at the
beginning of every piece of work; checklists, templates and scripts beside it lie at the same place in your box.

Now you may revise it. $turns turns, $seconds seconds, no network. Nobody answers questions.
Keep what helps to write valid environments at the first try: faults that the gate found and how to avoid them, checks
to make before validating, patterns that worked. Write general rules, not the story of one task, and remove what did not
help. At most {MOST_FILES} plain text files, {MOST_BYTES >> 10} KiB in all. To leave it as it is, change nothing.
When you are done, call `submit` with the reason for what you changed."""

TASK = """\
What became of your candidates:

{results}

The same stands in {workspace}/results.md. {reference} holds the gate's manual and the format."""

SUBMIT = Tool(
    "submit",
    "End this and keep the harness as it stands now.",
    {
        "type": "object",
        "properties": {"reason": {"type": "string", "description": "what you changed and why, in a sentence"}},
        "required": ["reason"],
    },
)


@dataclass(frozen=True, slots=True)
class Practice:
    """What a harness turn starts from. `harness` are the files of the revision that counts."""

    spec: BoxSpec
    harness: Mapping[str, bytes]
    reference: Mapping[str, bytes]
    results: str
    on_step: Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Improved:
    """What it left. `files` equal to those before mean that nothing was revised."""

    files: Mapping[str, bytes]
    reason: str
    left_out: tuple[str, ...] = ()


@dataclass
class _Submitted:
    reason: str = ""

    def __call__(self, arguments: Mapping[str, Any]) -> ToolResult:
        self.reason = " ".join(str(arguments.get("reason", "")).split())[:REASON_CHARS]
        return ToolResult("Kept.", done=True)


def practise(engine: Engine, model: Model, settings: AgentSettings, practice: Practice) -> Improved:
    """One harness turn. Raises InfraError (also when the model cannot be reached) and SetupError."""
    submitted = _Submitted()
    tools = [AgentTool(SUBMIT, submitted)]
    system = SYSTEM + (in_blocks(tools) if settings.fenced or not model.supports_tools else "")
    led = replace(settings, system=system, turns=min(settings.turns, TURNS))
    task = TASK.format(results=practice.results, workspace=WORKSPACE, reference=REFERENCE)
    with engine.start(practice.spec) as box:
        box.put(_tree(practice))
        try:
            shell = box.shell()
            shell.run(f"cd {HARNESS}", timeout_s=30.0)
            ended = run_agent(
                model, shell, task, settings=led, timeout_s=SECONDS, on_step=practice.on_step, tools=tools
            )
            files, left_out = _taken(box)
        except BoxGone as gone:
            return Improved(practice.harness, f"the box ended: {gone.reason}")
        except ArtifactLimit as limit:
            return Improved(practice.harness, f"what was written is too large: {limit}")
        except ModelUnavailable as error:
            raise InfraError("model", str(error)) from error
    return Improved(files, submitted.reason or f"ended: {ended.reason}", tuple(left_out))


def _tree(practice: Practice) -> Tree:
    tree = Tree({WORKSPACE: Entry("dir", 0o755)})
    tree = tree.merged(files_tree(practice.reference, REFERENCE)).merged(files_tree(practice.harness, HARNESS))
    return tree.merged(Tree({f"{WORKSPACE}/results.md": Entry("file", 0o644, practice.results.encode())}))


def _taken(box: Box) -> tuple[dict[str, bytes], list[str]]:
    tree = box.get(HARNESS, CAPS)
    return texts(tree or Tree(), HARNESS)
