"""`envwheel fix`: what tests look at, which verifiers can be separate, and what is written."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from envwheel.cli import main
from envwheel.environment.folder import read
from envwheel.environment.separate import Refused, plan, write

TOML = """\
# who wrote this
schema_version = "1.4"

[agent]
timeout_sec = 60.0   # enough

[verifier]
timeout_sec = 30.0
environment_mode = "shared"  # as ever

[metadata]
level = 3
"""
SH = """\
#!/bin/bash
apt-get update && apt-get install -y curl
curl -LsSf https://astral.sh/uv/0.9.7/install.sh | sh
source $HOME/.local/bin/env
if [ "$PWD" = "/" ]; then exit 1; fi
uvx -p 3.13 -w pytest==8.4.1 pytest --ctrf /logs/verifier/ctrf.json /tests/test_outputs.py -rA
if [ $? -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
"""
PY = """\
\"\"\"Looks at /etc/nothing in its docstring only.\"\"\"
import json
from pathlib import Path

def test_it():
    assert Path("/app/out/report.json").exists(), "no report"
    assert json.loads(Path("/app/out/report.json").read_text()) == {"a": 1}
    assert open("notes.txt").read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Any:
    def make(python: str = PY, shell: str = SH, toml: str = TOML, more: dict[str, str] | None = None) -> Path:
        files = {
            "task.toml": toml,
            "instruction.md": "Do it.\n",
            "environment/Dockerfile": "FROM a:1 AS build\nWORKDIR /src\nFROM a:1\nWORKDIR /app\n",
            "tests/test.sh": shell,
            "tests/test_outputs.py": python,
            **(more or {}),
        }
        for name, text in files.items():
            (tmp_path / "task" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "task" / name).write_text(text)
        return tmp_path / "task"

    return make


def artifacts(path: Path) -> tuple[str, ...]:
    change = plan(path)
    assert change is not None
    return change.artifacts


def test_files_that_are_named_become_artifacts(folder: Any) -> None:
    assert artifacts(folder()) == ("/app/notes.txt", "/app/out/report.json")


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("open('/app/a.txt')", ("/app/a.txt",)),
        ("x = Path('/app'); (x / 'b.txt').read_text()", ("/app",)),
        ("open(f'/app/out_{n}.txt')", ("/app",)),
        ("open('/app/out/' + name)", ("/app/out",)),
        ("open('/app/sub/r' + name)", ("/app/sub",)),
        ("open('/app/a/%d.txt' % 3)", ("/app/a",)),
        ("Path.cwd()", ("/app",)),
        ("open('sub/x.csv')", ("/app/sub/x.csv",)),
        ("subprocess.run(['python3', '/app/main.py'])", ("/app",)),
        ("sys.path.insert(0, '/app/src')", ("/app/src",)),
    ],
)
def test_how_python_names_files(folder: Any, code: str, found: tuple[str, ...]) -> None:
    assert artifacts(folder(f"import sys\ndef test_it():\n    {code}\n")) == found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("diff out.txt /tests/expected.txt", ("/app/out.txt",)),
        ("grep -q x /app/a.log && echo", ("/app/a.log",)),
        ("cat /app/logs/$day.log", ("/app/logs",)),
        ("python3 /app/main.py > got", ("/app",)),
        ("./build.sh", ("/app",)),
        ("APP=/app; cmp $APP/x /tests/x", ("/app",)),
    ],
)
def test_how_shell_names_files(folder: Any, line: str, found: tuple[str, ...]) -> None:
    more = {"tests/expected.txt": "x"}
    assert artifacts(folder("", f"#!/bin/bash\n{line}\necho 1 > /logs/verifier/reward.txt\n", more=more)) == found


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("open('/etc/nginx/nginx.conf')", "/etc/nginx/nginx.conf, which is not under /app"),
        ("open('../data/x')", "/data/x, which is not under"),
        ("import requests", "requests"),
        ("connect('localhost')", "service"),
        ("subprocess.run(['pgrep', 'server'])", "pgrep"),
        ("subprocess.check_output('cd /app && ps aux', shell=True)", "ps"),
        ("assert not Path('/app/old').exists()", "gone"),
        ("assert os.path.exists('/app/old') == False", "gone"),
        ("os.listdir('/app')", "list a folder"),
        ("Path('/app').stat().st_uid", "st_uid"),
        ("Path.home()", "home"),
        ("os.environ.get('HOME')", "home"),
        ("x = (", "no Python"),
    ],
)
def test_what_does_not_cross_over_is_refused(folder: Any, code: str, said: str) -> None:
    with pytest.raises(Refused) as refused:
        plan(folder(f"def test_it():\n    {code}\n"))
    assert said in str(refused.value)
    assert "tests/test_outputs.py" in str(refused.value) or "not under" in said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("curl -s localhost:8080 | grep ok", "service"),
        ("systemctl status x", "systemctl"),
        ("[ ! -e /app/old ] && echo ok", "gone"),
        ("if ! [ -f old ]; then echo ok; fi", "gone"),
        ("ls /app | wc -l", "list a folder"),
        ("cat ~/x", "home"),
        ("grep x /etc/hosts", "/etc/hosts"),
    ],
)
def test_shell_that_tells_of_the_box_is_refused(folder: Any, line: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        plan(folder("", f"#!/bin/bash\n{line}\n"))


def test_what_is_not_understood_is_refused(folder: Any) -> None:
    with pytest.raises(Refused, match=r"what tests/spec\.js looks at"):
        plan(folder(more={"tests/spec.js": "x"}))


def test_tests_that_look_at_nothing_are_refused(folder: Any) -> None:
    with pytest.raises(Refused, match="no file that could be declared"):
        plan(folder("", "#!/bin/bash\necho 1\n"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"more": {"tests/Dockerfile": "FROM a:1\n"}}, "tests/Dockerfile is there"),
        ({"more": {"environment/Dockerfile": "FROM a:1\n"}}, "working directory is not known"),
        ({"more": {"environment/Dockerfile": "FROM a:1\nWORKDIR $X\n"}}, "working directory is not known"),
        ({"toml": TOML + "[environment.env]\nPYTHONPATH = 'x'\n"}, "PYTHONPATH"),
        ({"toml": TOML + "[environment.env]\nMODE = 'x'\n", "shell": "echo $MODE"}, "MODE"),
        ({"toml": "x = "}, "not valid TOML"),
        ({"toml": "verifier = { timeout_sec = 3.0 }\n"}, "not edited here"),
    ],
)
def test_other_reasons_to_refuse(folder: Any, change: Any, said: str) -> None:
    with pytest.raises(Refused, match=said):
        plan(folder(**change))


def test_the_rest_of_task_toml_stays(folder: Any) -> None:
    path = folder()
    change = plan(path)
    assert change is not None
    write(change)
    text = (path / "task.toml").read_text()
    assert text.startswith("# who wrote this\n")
    assert "timeout_sec = 60.0   # enough" in text
    assert text.count("environment_mode") == 1
    table = tomllib.loads(text)
    assert table["verifier"] == {"environment_mode": "separate", "timeout_sec": 30.0}
    assert table["metadata"] == {"level": 3}
    task = read(path, need_solution=False)
    assert task.config.separate
    assert task.config.artifact_paths == ("/app/notes.txt", "/app/out/report.json")
    assert task.warnings == ()
    assert plan(path) is None
    assert [one.name for one in path.iterdir() if one.name.startswith(".")] == []


@pytest.mark.parametrize(
    "toml",
    ["", "[environment]\ncpus = 1\n", 'artifacts = [\n  "/app/x",\n]\n[verifier]\n', "[[tool]]\na = 1\n[verifier]\n"],
)
def test_other_forms_of_task_toml(folder: Any, toml: str) -> None:
    path = folder(toml=toml)
    change = plan(path)
    assert change is not None
    write(change)
    assert read(path, need_solution=False).config.separate


def test_the_command_shows_and_writes(folder: Any, capsys: Any) -> None:
    path = folder()
    before = (path / "task.toml").read_text()
    assert main(["fix", str(path)]) == 0
    said = capsys.readouterr().out
    assert '+artifacts = ["/app/notes.txt", "/app/out/report.json"]' in said
    assert '-environment_mode = "shared"  # as ever' in said
    assert "1 fixable; --write changes them" in said
    assert (path / "task.toml").read_text() == before
    assert main(["fix", str(path), "--write", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "fixed"
    assert main(["fix", str(path)]) == 0
    assert "1 separate" in capsys.readouterr().out
    (path / "task.toml").write_text(before)
    (path / "tests/test_outputs.py").write_text("import psutil\n")
    assert main(["fix", str(path), "--write"]) == 1
    assert "refused: tests/test_outputs.py:1: the tests use psutil" in capsys.readouterr().out
    assert main(["fix", str(path / "nowhere")]) == 2
