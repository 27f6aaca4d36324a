"""`envwheel compare` on real boxes, with a model behind an endpoint and with one that is a program."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from envwheel.cli import main
from envwheel.environment import draft as drafts
from envwheel.environment.skeleton import draft
from envwheel.model.base import Completion, ModelUsage, ToolCall
from envwheel.model.scripted import ScriptedModel, serve
from envwheel.propose.files_in_text import read, write
from envwheel.sandbox.namespace.engine import missing

pytestmark = pytest.mark.e2e

ENGINE = "docker" if missing() else "namespace"
PIPE = Path(__file__).parents[2] / "docs" / "examples" / "pipe_model.py"
USAGE = ModelUsage(2000, 1000, 500)


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The environment of `envwheel new`, as a model would answer with it."""
    folder = tmp_path_factory.mktemp("answer") / "task"
    drafts.write(draft("task"), folder, domains=["swe"], kit=[], proposer="x")
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and "kit" not in path.parts]
    return "Here it is:\n\n" + write({path.relative_to(folder).as_posix(): path.read_text() for path in paths})


@pytest.fixture
def wrong(right: str) -> str:
    """Its reference forgets to sort."""
    changed = right.replace("sorted(totals, key=lambda name: (-totals[name], name))", "sorted(totals)")
    assert changed != right
    return changed


@pytest.fixture
def endpoint(right: str, wrong: str) -> Iterator[str]:
    """A model whose first answer is wrong, and whose second one is right."""
    answers = [Completion(text, usage=USAGE) for text in (wrong, right)]
    with serve(ScriptedModel(answers)) as url:
        yield url


def test_one_command_compares_with_and_without_a_repair(
    tmp_path: Path, endpoint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("envwheel.toml").write_text(
        f'[proposer.model]\nbase_url = "{endpoint}"\napi_key_env = ""\nprices = {{input = 1.0, output = 5.0}}\n'
    )
    arguments = ["--methods", "prompt_only+repair,prompt_only", "--domains", "swe", "-n", "2", "--levels", "0"]
    command = ["compare", *arguments, "--model", "openai:scripted", "--engine", ENGINE]
    assert main([*command, "--html", "c.html", "--csv", "c.csv"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == "method judged valid rate (95 %) plain tokens/valid $/valid (95 %) s/valid"
    assert lines[1].startswith("prompt_only+repair 2 2 100% (34-100) 2 of 2 6,000 0.014 (0.014-0.014)")
    assert lines[2].startswith("prompt_only 2 0 0% (0-66) 0 of 2 none valid")
    assert "prompt_only: rejected: 2 reference_fails" in lines
    assert "reference_fails" in Path("c.html").read_text()
    assert len(Path("c.csv").read_text().splitlines()) == 5

    assert main([*command, "--resume", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    repaired, plain = said["methods"]
    assert (said["complete"], said["n"], said["engine"]) == (True, 2, ENGINE)
    assert (repaired["valid"]["count"], repaired["completions"], repaired["validations"]) == (2, 4, 2)
    assert plain["tokens"] == {"input": 4000, "output": 2000, "cached": 1000, "dollars": pytest.approx(0.014)}
    assert said["ratios"][0]["valid_rate"]["why"] == "none valid"
    assert main(["compare", "--resume", "--methods", "prompt_only"]) == 2
    assert "was begun with --methods prompt_only+repair,prompt_only" in capsys.readouterr().err


def test_the_same_with_a_program_as_the_model(
    tmp_path: Path, right: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("answer.txt").write_text(right)
    model = f"command:{sys.executable} {PIPE} cat answer.txt"
    arguments = ["--methods", "prompt_only", "--domains", "swe", "-n", "1", "--levels", "0", "--model", model]
    assert main(["compare", *arguments, "--engine", ENGINE, "--json"]) == 0
    [method] = json.loads(capsys.readouterr().out)["methods"]
    assert (method["valid"]["count"], method["judged"]) == (1, 1)
    assert method["tokens"]["input"] > 1000
    assert method["dollars_per_valid"]["why"] == "price unknown"


def test_a_terminal_beside_one_answer(
    tmp_path: Path, right: str, wrong: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One script for both: the text of its first answer is wrong, the command beside it writes the right files."""
    monkeypatch.chdir(tmp_path)
    lines = ["cd /workspace/draft"]
    for path, text in read(right).files.items():
        lines += [f"mkdir -p $(dirname {path})", f"printf %s {shlex.quote(text)} > {path}"]
    calls = [ToolCall("1", "bash", {"command": "\n".join(lines)}), ToolCall("2", "submit")]
    answers = [Completion(wrong, (calls[0],), USAGE), Completion("", (calls[1],), USAGE)]
    arguments = [
        "--methods",
        "terminal,prompt_only",
        "--domains",
        "swe",
        "-n",
        "1",
        "--levels",
        "0",
        "--engine",
        ENGINE,
    ]
    with serve(ScriptedModel(answers, tools=True)) as url:
        Path("envwheel.toml").write_text(f'[proposer.model]\nbase_url = "{url}"\napi_key_env = ""\n')
        assert main(["compare", *arguments, "--model", "openai:scripted", "--json"]) == 0
    terminal, prompt_only = json.loads(capsys.readouterr().out)["methods"]
    assert (terminal["valid"]["count"], terminal["completions"]) == (1, 2)
    assert (prompt_only["valid"]["count"], prompt_only["rejected"]) == (0, {"reference_fails": 1})
