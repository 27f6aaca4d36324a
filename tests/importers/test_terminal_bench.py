"""Terminal-Bench's task.yaml tasks become Harbor folders, or are refused with one line; nothing is lost silently."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from envwheel.cli import main
from envwheel.environment.folder import read
from envwheel.environment.separate import plan
from envwheel.errors import SetupError, UsageError
from envwheel.importers import terminal_bench
from envwheel.importers.compose import Refused
from envwheel.importers.terminal_bench import TEST_SH, convert, find

pytest.importorskip("yaml", reason="the extra `import` is not installed")

TASK = """\
# canary
instruction: |-
  Fix the program in /app.
author_name: Jo Doe
author_email: jo@example.org
difficulty: medium
category: debugging
tags: [python, bugs]
parser_name: pytest
max_agent_timeout_sec: 360.0
max_test_timeout_sec: 90
run_tests_in_same_shell: false
disable_asciinema: true
estimated_duration_sec:
expert_time_estimate_min: 15
"""
COMPOSE = """\
services:
  client:
    build:
      dockerfile: Dockerfile
    image: ${T_BENCH_TASK_DOCKER_CLIENT_IMAGE_NAME}
    container_name: ${T_BENCH_TASK_DOCKER_CLIENT_CONTAINER_NAME}
    command: ["sh", "-c", "sleep infinity"]
    environment:
      - TEST_DIR=${T_BENCH_TEST_DIR}
      - MODE=fast
    volumes:
      - ${T_BENCH_TASK_LOGS_PATH}:${T_BENCH_CONTAINER_LOGS_PATH}
    ports: ["8080:80"]
    deploy: {resources: {limits: {cpus: "1.5", memory: 2G}}}
"""
FILES = {
    "task.yaml": TASK,
    "docker-compose.yaml": COMPOSE,
    "Dockerfile": "FROM ghcr.io/laude-institute/t-bench/ubuntu-24-04:latest\nWORKDIR /app\nCOPY app/ /app/\n",
    "app/main.py": "print(1)\n",
    "run-tests.sh": "#!/bin/bash\npytest $TEST_DIR/test_outputs.py -rA\n",
    "tests/test_outputs.py": "def test_it():\n    assert True\n",
    "solution.sh": "#!/bin/bash\necho done\n",
}


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def task(changes: dict[str, str | None] | None = None, name: str = "fix-it") -> Path:
        for path, text in {**FILES, **(changes or {})}.items():
            if text is not None:
                (tmp_path / "in" / name / path).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / "in" / name / path).write_text(text)
        return tmp_path / "in" / name

    return task


def test_a_task_becomes_a_folder_that_is_read(write: Any, tmp_path: Path) -> None:
    done = convert(write(), tmp_path / "out")
    task = read(done.path)
    assert task.environment.instruction == "Fix the program in /app.\n"
    assert not task.config.separate
    assert (task.config.agent_timeout_s, task.config.verifier_timeout_s) == (360.0, 90.0)
    assert task.config.network_asked
    assert task.config.limits.memory_mb == 2048
    assert task.config.limits.cpus == 2
    assert task.config.env == {"MODE": "fast"}
    table = tomllib.loads((done.path / "task.toml").read_text())
    assert table["task"] == {
        "name": "terminal-bench/fix-it",
        "authors": [{"name": "Jo Doe", "email": "jo@example.org"}],
    }
    assert table["metadata"]["tags"] == ["python", "bugs"]
    assert table["metadata"]["terminal_bench"] == {"disable_asciinema": True}
    names = {path.relative_to(done.path).as_posix() for path in done.path.rglob("*") if path.is_file()}
    assert names == {
        "task.toml",
        "instruction.md",
        "environment/Dockerfile",
        "environment/app/main.py",
        "solution/solve.sh",
        "tests/test.sh",
        "tests/run-tests.sh",
        "tests/test_outputs.py",
    }


def test_what_has_no_place_is_told(write: Any, tmp_path: Path) -> None:
    task = write({"task.yaml": TASK + "surprise: {a: [1, null]}\n"})
    done = convert(task, tmp_path / "out")
    assert "docker-compose.yaml: ports has no place: ['8080:80']" in done.notes
    assert "task.yaml: surprise has no effect; it is kept in metadata.terminal_bench" in done.notes
    assert "task.yaml: disable_asciinema has no effect; it is kept in metadata.terminal_bench" in done.notes
    assert len(done.notes) == 3
    table = tomllib.loads((done.path / "task.toml").read_text())
    assert table["metadata"]["terminal_bench"]["surprise"] == {"a": [1]}


def test_older_forms_are_understood(write: Any, tmp_path: Path) -> None:
    told = "descriptions:\n- key: base\n  description: Do it.\n- key: easy\n  description: Do it so.\n"
    typed = "- command: echo one\n  min_timeout_sec: 1\n- command: |-\n    cat > x <<E\n    two\n    E\n"
    done = convert(
        write({"task.yaml": told, "docker-compose.yaml": None, "solution.sh": None, "solution.yaml": typed}),
        tmp_path / "o",
    )
    assert (done.path / "instruction.md").read_text() == "Do it.\n"
    assert (done.path / "solution/solve.sh").read_text() == "#!/bin/bash\necho one\ncat > x <<E\ntwo\nE\n"
    assert done.notes == ("task.yaml: the description 'easy' has no place",)
    assert read(done.path).config.agent_timeout_s == terminal_bench.AGENT_S


def test_a_task_without_solution_says_so(write: Any, tmp_path: Path) -> None:
    done = convert(write({"solution.sh": None}), tmp_path / "out")
    assert any("--no-solution" in note for note in done.notes)
    assert not (done.path / "solution").exists()


def test_another_context_and_a_ready_image(write: Any, tmp_path: Path) -> None:
    compose = "services: {client: {build: {context: ./docker, dockerfile: My.file}, network_mode: none, user: jo}}\n"
    task = write({"docker-compose.yaml": compose, "docker/My.file": "FROM x\nCOPY tests /t\n", "docker/tests/a": "a"})
    done = convert(task, tmp_path / "out")
    assert (done.path / "environment/Dockerfile").read_text().startswith("FROM x")
    assert read(done.path).config.agent_user == "jo"
    assert not read(done.path).config.network_asked
    image = {"docker-compose.yaml": "services: {c: {image: 'debian:12'}}\n", "Dockerfile": None}
    assert read(convert(write(image, "ready"), tmp_path / "out").path).config.docker_image == "debian:12"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"task.yaml": "a: [\n"}, "task.yaml is not YAML"),
        ({"task.yaml": "- 1\n"}, "task.yaml is no table"),
        ({"task.yaml": f"a: &a {['x'] * 50}\nb: &b {['*a'] * 50}\nc: {['*b'] * 50}\n".replace("'", "")}, "unfolds"),
        ({"task.yaml": "a: &a [*a]\n"}, "unfolds"),
        ({"task.yaml": 'instruction: x\ntags: ["\\ud800"]\n'}, "task.yaml"),
        ({"task.yaml": "difficulty: hard\n"}, "no instruction"),
        ({"task.yaml": "instruction: x\nparser_name: swebench\n"}, "parser_name 'swebench'"),
        ({"task.yaml": "instruction: x\nrun_tests_in_same_shell: true\n"}, "run_tests_in_same_shell"),
        ({"task.yaml": "instruction: x\nmax_agent_timeout_sec: long\n"}, "max_agent_timeout_sec"),
        ({"task.yaml": "instruction: x\nmax_agent_timeout_sec: .nan\n"}, "max_agent_timeout_sec"),
        ({"task.yaml": "instruction: x\nmax_agent_timeout_sec: .inf\n"}, "no environment"),
        ({"docker-compose.yaml": "services: {a: {}, b: {}}\n"}, "2 services"),
        ({"docker-compose.yaml": "x\n"}, "no services"),
        ({"docker-compose.yaml": "services: {a: {volumes: ['./x:/y']}}\n"}, "not mounted"),
        ({"docker-compose.yaml": "services: {a: {command: 'nginx -g'}}\n"}, "starts nothing"),
        ({"docker-compose.yaml": "services: {a: {privileged: true}}\n"}, "privileged"),
        ({"docker-compose.yaml": "services: {a: {build: {args: {A: 1}}}}\n"}, "build.args"),
        ({"docker-compose.yaml": "services: {a: {build: ../..}}\n"}, "outside"),
        ({"docker-compose.yaml": "services: {a: {environment: {KEY: '${SECRET}'}}}\n"}, "variable of the host"),
        ({"Dockerfile": None}, "Dockerfile is missing"),
        ({"Dockerfile": "FROM x\nCOPY ./tests /tests\n"}, "brings tests into"),
        ({"Dockerfile": 'FROM x\nCOPY ["solution.sh", "/x/"]\n'}, "brings solution.sh into"),
        ({"run-tests.sh": None}, "run-tests.sh is missing"),
        ({"solution.sh": None, "solution.yaml": "- command: vim\n  append_enter: false\n"}, "typed"),
        ({"solution.sh": None, "solution.yaml": "text\n"}, "no list of commands"),
        ({"tests/test.sh": "x"}, "another meaning"),
    ],
)
def test_what_cannot_be_converted_is_one_line(write: Any, tmp_path: Path, changes: Any, said: str) -> None:
    with pytest.raises(Refused) as refused:
        convert(write(changes), tmp_path / "out")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert list((tmp_path / "out").glob("*")) == []


def test_nothing_is_overwritten_and_devices_are_refused(write: Any, tmp_path: Path) -> None:
    convert(write(), tmp_path / "out")
    with pytest.raises(Refused, match="there already"):
        convert(write(), tmp_path / "out")
    odd = write(name="odd")
    os.mkfifo(odd / "app/pipe")
    with pytest.raises(Refused, match="neither a file"):
        convert(odd, tmp_path / "out")
    linked = write(name="linked")
    (linked / "app/link").symlink_to("/etc/passwd")
    with pytest.raises(Refused, match="leaves the folder"):
        convert(linked, tmp_path / "out")


@pytest.mark.parametrize(
    ("output", "reward"),
    [
        ("== short test summary info ==\nPASSED t.py::a\nPASSED t.py::b\n", "1"),
        ("== short test summary info ==\nPASSED t.py::a\nFAILED t.py::b\n", "0"),
        ("\x1b[36m== short test summary info\x1b[0m\n\x1b[32mPASSED\x1b[0m t.py::a\nSKIPPED [1] x\n", "1"),
        ("== short test summary info ==\nERROR t.py\n", "0"),
        ("PASSED before the summary\n", "0"),
        ("", "0"),
    ],
)
def test_the_reward_is_what_the_summary_says(tmp_path: Path, output: str, reward: str) -> None:
    (tmp_path / "run-tests.sh").write_text("cat " + str(tmp_path / "said"))
    (tmp_path / "said").write_text(output)
    script = TEST_SH.replace("/tests", str(tmp_path)).replace("/logs", str(tmp_path / "logs"))
    subprocess.run(["bash", "-c", script], check=True, capture_output=True)
    assert (tmp_path / "logs/verifier/reward.txt").read_text().strip() == reward


def test_an_imported_task_can_be_made_separate(write: Any, tmp_path: Path) -> None:
    done = convert(write({"tests/test_outputs.py": "open('/app/out.txt')\n"}), tmp_path / "out")
    change = plan(done.path)
    assert change is not None
    assert change.artifacts == ("/app/out.txt",)


def test_the_command_tells_each_and_its_exit_code(write: Any, tmp_path: Path, capsys: Any) -> None:
    write()
    write({"run-tests.sh": None}, "bad")
    assert main(["import", str(tmp_path / "in"), "--out", str(tmp_path / "out"), "--json"]) == 1
    bad, good = map(json.loads, capsys.readouterr().out.splitlines())
    assert (bad["outcome"], bad["message"]) == ("refused", "run-tests.sh is missing")
    assert (good["outcome"], good["target"]) == ("imported", str(tmp_path / "out/fix-it"))
    assert main(["import", str(tmp_path / "in/fix-it"), "--out", str(tmp_path / "other")]) == 0
    said = capsys.readouterr().out
    assert "ports has no place" in said
    assert "1 imported, 0 refused" in said
    assert main(["import", str(tmp_path / "out"), "--out", str(tmp_path / "x")]) == 2
    assert "task.yaml" in capsys.readouterr().err


def test_without_yaml_there_is_one_message(write: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(SetupError, match=r"envwheel\[import\]"):
        convert(write(), tmp_path / "out")
    with pytest.raises(UsageError, match="holds no task"):
        find(tmp_path / "out")
