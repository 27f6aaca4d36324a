"""Pictures of an environment: what is rendered, what is kept of what comes back, the page that shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from envwheel.api import Draft, Rendering
from envwheel.domains import Domains
from envwheel.environment import draft
from envwheel.environment.folder import TaskFolder, read
from envwheel.errors import SetupError
from envwheel.pictures import PNG, write
from envwheel.sandbox.fake import FakeEngine, Run

IMAGE = "envwheel/base:bookworm"
STEPS = [
    {"step": 1, "message": "look", "tool_calls": [{"arguments": {"command": "WORK-AS-SOLVER"}}]},
    {"step": 2, "message": "done"},
]


class Drawing(Domains):
    """Domains of which one draws documents, without an entry point."""

    ids = ("art",)

    def render(self, id, files):
        return Rendering(IMAGE, "DRAW-IT") if id == "art" and any(name.endswith(".doc") for name in files) else None


def drawer(run: Run) -> None:
    """A page for each document, and what a hostile one might leave beside."""
    for path in run.glob("/render/in"):
        name = path.rpartition("/")[2]
        run.write(f"/render/out/{name}-1.png", PNG + (run.read(path) or "").encode())
    run.write("/render/out/..%2fx.png", PNG)
    run.write("/render/out/no.png", b"<html>")
    run.write("/render/out/script.svg", PNG)


@pytest.fixture
def task(tmp_path: Path) -> TaskFolder:
    made = Draft(
        name="letters",
        instruction="Write /app/out/b.doc <now>.",
        files={"a.doc": "given", "sub/c.doc": "deep"},
        solution={"solve.sh": "WORK-AS-REFERENCE"},
        tests={"check.py": ""},
        artifacts=("/app/out",),
        image=IMAGE,
    )
    return read(draft.write(made, tmp_path / "letters", domains=["art"], kit=[], proposer="test"))


@pytest.fixture
def engine() -> FakeEngine:
    engine = FakeEngine({IMAGE: {"/usr/bin/python3": b""}})
    engine.program("WORK-AS-REFERENCE", lambda run: run.write("/app/out/b.doc", "reference"))
    engine.program("WORK-AS-SOLVER", lambda run: run.write("/app/out/b.doc", "solver's"))
    engine.program("DRAW-IT", drawer)
    return engine


def test_inputs_reference_and_rollout_each_have_their_pages(engine, task, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    pages = write(engine, Drawing(), task, {"t01": STEPS}, out)
    shown = {str(page.relative_to(out)): page.read_bytes().removeprefix(PNG).decode() for page in pages}
    assert shown == {
        "inputs/a.doc-1.png": "given",
        "inputs/sub__c.doc-1.png": "deep",
        "reference/b.doc-1.png": "reference",
        "t01/b.doc-1.png": "solver's",
    }
    page = (out / "index.html").read_text()
    assert all(name in page for name in shown)
    assert "&lt;now&gt;" in page
    assert not engine.live


def test_boxes_are_without_network_and_everything_is_given_back(engine, task, tmp_path):
    (tmp_path / "out").mkdir()
    write(engine, Drawing(), task, {}, tmp_path / "out")
    assert not any(box.spec.network for box in engine.boxes)
    assert not any(engine.held.values())


def test_a_reference_that_leaves_nothing_has_no_pages(engine, task, tmp_path):
    engine.program("WORK-AS-REFERENCE", lambda run: run.remove("/app/out"))
    (tmp_path / "out").mkdir()
    pages = write(engine, Drawing(), task, {}, tmp_path / "out")
    assert {page.parent.name for page in pages} == {"inputs"}
    assert "<h2>reference</h2>\n<p>Nothing that can be drawn.</p>" in (tmp_path / "out/index.html").read_text()


def test_no_domain_that_draws_is_a_sentence(engine, task, tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(SetupError, match=r"no installed domain of it \(art\) makes pictures"):
        write(engine, Domains.none(), task, {}, tmp_path / "out")
