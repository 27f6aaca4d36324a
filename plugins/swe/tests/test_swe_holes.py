"""Programs of `secret_cleanup` and `service_lifecycle`: faults fit them, and the working ones keep their promises."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from envwheel_swe.families import secret_cleanup, secret_faults, service_lifecycle, service_lifecycle_faults
from envwheel_swe.repair import Fault, plant, program

HOLES = (*secret_faults.PATHS, *secret_faults.CODE, *secret_faults.TOKENS)
SERVICE = (
    *service_lifecycle_faults.ANSWERS,
    *service_lifecycle_faults.PROCESS,
    *service_lifecycle_faults.RELOAD,
    *service_lifecycle_faults.DEEP,
)


@pytest.fixture(scope="module")
def depot() -> dict[str, str]:
    return {f"depot/{path}": text for path, text in program("secret_cleanup/depot").items()}


@pytest.fixture(scope="module")
def shelf() -> dict[str, str]:
    return program("service_lifecycle/shelf")


def readable(fault: Fault, files: dict[str, str]) -> None:
    for choose in ("wrong", "half", "other"):
        if choose == "wrong" or getattr(fault, choose):
            text = plant(files, [fault], choose)[fault.path]
            assert text != files[fault.path]
            if fault.path.endswith(".py"):
                ast.parse(text)


@pytest.mark.parametrize("fault", HOLES, ids=lambda fault: fault.id)
def test_holes_fit_the_program(fault: Fault, depot: dict[str, str]) -> None:
    readable(fault, depot)
    assert fault.symptom


@pytest.mark.parametrize("fault", SERVICE, ids=lambda fault: fault.id)
def test_faults_fit_the_service(fault: Fault, shelf: dict[str, str]) -> None:
    readable(fault, shelf)


@pytest.mark.parametrize("seed", range(30))
def test_faults_of_one_service_do_not_touch_the_same_text(seed: int) -> None:
    for level in (1, 2, 3, 4):
        draw = secret_cleanup.rng("service_lifecycle", level, seed)
        chosen = service_lifecycle.choose(draw, level)
        assert len({fault.id for fault in chosen}) == (0, 3, 2, 3, 6)[level]
        pairs = [(one, other) for one in chosen for other in chosen if one is not other]
        assert not any(service_lifecycle.clash(*pair) for pair in pairs)


def test_tokens_are_whole_words() -> None:
    for seed in range(20):
        before, after = secret_cleanup.token_texts(secret_cleanup.rng("x", 1, seed), "tok")
        assert "REDACTED REDACTED\n" in after
        assert before.count("\n") == after.count("\n")
        assert len(after) < len(before)


def run(folder: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    argv = [sys.executable, "-B", "-m", "depot", str(folder / "home"), *arguments]
    return subprocess.run(argv, cwd=folder, input=stdin, capture_output=True, check=False)


def test_the_working_program_refuses_what_leads_out(depot: dict[str, str], tmp_path: Path) -> None:
    for path, text in depot.items():
        target = tmp_path / path.removeprefix("depot/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    assert run(tmp_path, "put", "ann", "a/b", stdin=b"x").returncode == 0
    assert run(tmp_path, "get", "ann", "a/b").stdout == b"x"
    assert run(tmp_path, "get", "ann", "../bob/s").returncode == 3
    assert run(tmp_path, "set", "ann", "k", "1+1").returncode == 3
    assert run(tmp_path, "set", "ann", "k", "[1]").returncode == 0
    assert json.loads(run(tmp_path, "settings", "ann").stdout) == {"k": [1]}
    token = run(tmp_path, "token", "ann").stdout.decode().strip()
    assert run(tmp_path, "whose", token).stdout == b"ann\n"
    assert run(tmp_path, "whose", token[:-1]).returncode == 3
