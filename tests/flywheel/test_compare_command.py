"""`envwheel compare` as a person meets it: bad input is one message, and the example program is what the page shows."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from flywheel_records import plan, run_start, target

from envwheel.cli import main
from envwheel.model.base import Message, Sampling
from envwheel.model.registry import open_model
from envwheel.store import RunDirectory

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ([], "--methods says what is compared"),
        (["--methods", "magic"], "there is no method 'magic'"),
        (["--methods", "prompt_only,prompt_only"], "name each method once"),
        (["--methods", "prompt_only", "-n", "0"], "$.run.candidates"),
        (["--methods", "prompt_only", "--domains", "nope"], "nope"),
        (["--methods", "prompt_only", "--config", "none.toml"], "There is no configuration at none.toml"),
        (["--methods", "prompt_only", "--run", "none"], "none is no run directory"),
        (["--methods", "prompt_only", "--html", "none/c.html"], "cannot be written"),
        (["--methods", "prompt_only", "--model", "magic:x", "--engine", "none"], "none"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    part: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["compare", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert part in said.err
    assert "Traceback" not in said.err
    assert not Path("runs").exists()


def test_a_run_is_not_taken_for_a_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from envwheel.config import Config, override, to_toml

    with RunDirectory.open(tmp_path / "run") as store:
        store.append(run_start())
        store.append(plan(target()))
    config = override(Config(), {"run.out": str(tmp_path / "run"), "run.rounds": 1})
    (tmp_path / "run" / "envwheel.toml").write_text(to_toml(config))
    arguments = ["compare", "--methods", "prompt_only", "--out", str(tmp_path / "run")]
    assert main([*arguments, "--resume"]) == 2
    assert "holds a run, no comparison" in capsys.readouterr().err
    assert main(arguments) == 2
    assert "already holds a run" in capsys.readouterr().err


def test_the_example_program_hands_the_conversation_to_any_command(tmp_path: Path) -> None:
    program = tmp_path / "model.sh"
    program.write_text("cat\necho 'and an answer'\n")
    model = open_model(f"command:{sys.executable} {DOCS / 'examples' / 'pipe_model.py'} bash {program}")
    answer = model.complete([Message("system", "Be brief."), Message("user", "Hello.")], (), Sampling())
    assert answer.text == "[system]\nBe brief.\n\n[user]\nHello.and an answer\n"
    assert answer.usage.output_tokens == len(answer.text) // 4


def test_the_example_program_is_short_and_stands_in_the_docs() -> None:
    text = (DOCS / "examples" / "pipe_model.py").read_text()
    assert len(text.splitlines()) <= 15
    assert text in (DOCS / "compare.md").read_text()


def test_the_docs_name_every_key_of_the_json() -> None:
    from envwheel.compare.figures import Against, Figures, MethodFigures, Share
    from envwheel.compare.intervals import Figure

    said = (DOCS / "compare.md").read_text()
    for model in (Figures, MethodFigures, Against, Share, Figure):
        for key in model.model_fields:
            assert f"`{key}`" in said, f"{model.__name__}.{key}"
