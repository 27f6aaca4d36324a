"""An ordinary user without a daemon: the namespace engine in a user namespace, with and without users in its boxes."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from ordinary import HOME, NAME, REPO, Ordinary, ordinary

pytestmark = [pytest.mark.e2e, pytest.mark.slow]

TOML = """schema_version = "1.4"
artifacts = ["/app/total.txt"]
[agent]
timeout_sec = 60.0
{agent}
[verifier]
timeout_sec = 60.0
environment_mode = "separate"
[environment]
cpus = 1
memory_mb = 256
[metadata.envwheel]
needs = {needs}
"""
GRADE = """#!/bin/bash
mkdir -p /logs/verifier
echo 0 >/logs/verifier/reward.txt
{check} && echo 1 >/logs/verifier/reward.txt
exit 0
"""
STRICT = "[ -f /app/total.txt ] && [ ! -L /app/total.txt ] && printf '42\\n' | cmp -s - /app/total.txt"
FILES = {
    "instruction.md": "Write the sum of the numbers in `/app/numbers.txt` and a line feed to `/app/total.txt`.\n",
    "environment/Dockerfile": "FROM envwheel/base:bookworm\nWORKDIR /app\nRUN printf '40\\n2\\n' >/app/numbers.txt\n",
    "solution/solve.sh": "#!/bin/bash\necho $((40 + 2)) >/app/total.txt\n",
    "tests/Dockerfile": "FROM envwheel/base:bookworm\nCOPY . /tests/\nRUN chmod -R go-rwx /tests\n",
}


@pytest.fixture(scope="module", params=["with ranges", "root only"])
def user(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ordinary:
    """The user; a machine without user namespaces leaves the tests out with its reason."""
    found = ordinary(tmp_path_factory.mktemp("user"), ranges=request.param == "with ranges")
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.fixture(scope="module")
def tasks() -> Iterator[Path]:
    """`good`, `loose`, `wrong` need nothing; `person` and `drops` users, `limited` limits, `fails` a network."""
    top = Path(f"/tmp/{NAME}-tasks")
    shutil.rmtree(top, ignore_errors=True)
    task(top / "good")
    task(top / "loose", check="[ -s /app/total.txt ]")
    task(top / "wrong", solve="#!/bin/bash\necho 41 >/app/total.txt\n")
    task(top / "person", agent='user = "agent"', solve="#!/bin/bash\nid -un >/dev/null\necho 42 >/app/total.txt\n")
    task(top / "drops", more={"tests/drop.py": "import os\nos.setresuid(65534, 65534, 65534)\n"})
    task(top / "fails", more={"environment/Dockerfile": "FROM envwheel/base:bookworm\nRUN exit 3\n"})
    task(top / "limited", needs='["limits"]')
    yield top
    shutil.rmtree(top)


def task(
    folder: Path, *, agent: str = "", needs: str = "[]", check: str = STRICT, solve: str = "", more: object = None
) -> None:
    files = {**FILES, "task.toml": TOML.format(agent=agent, needs=needs), "tests/test.sh": GRADE.format(check=check)}
    for name, text in {**files, **({"solution/solve.sh": solve} if solve else {}), **(more or {})}.items():  # type: ignore[dict-item]
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def test_doctor_takes_the_engine_and_says_what_it_lacks(user: Ordinary) -> None:
    done = user.envwheel("doctor", "--json")
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert said[0]["detail"].startswith("namespace (")
    warned = " ".join(one["detail"] for one in said if one["what"] == "engine" and one["state"] == "warn")
    assert "limits on memory" in warned
    assert ("root is the only user" in warned) != user.ranges
    assert ("no network" in warned) != user.ranges


def test_check_judges_what_needs_nothing_and_refuses_the_rest_in_a_line(user: Ordinary, tasks: Path) -> None:
    done = user.envwheel("check", "--json", *map(str, sorted(tasks.iterdir())))
    assert done.returncode == 2, done.stderr
    verdicts = {line["name"]: line for line in map(json.loads, done.stdout.splitlines())}
    found = {name: (one["verdict"], one["code"]) for name, one in verdicts.items()}
    judged = {"good": ("ok", ""), "loose": ("rejected", "weak_verifier"), "wrong": ("rejected", "reference_fails")}
    of_users = dict.fromkeys(("person", "drops"), ("ok", "") if user.ranges else ("infra", "host"))
    fails = ("rejected", "build") if user.ranges else ("infra", "host")
    assert found == {**judged, **of_users, "fails": fails, "limited": ("infra", "host")}, verdicts
    assert verdicts["good"]["engine"] == "namespace"
    assert "limits" in verdicts["good"]["skipped"]
    for name in ("limited", *(() if user.ranges else of_users)):
        assert f"{name} cannot be judged here" in verdicts[name]["message"]
        assert "\n" not in verdicts[name]["message"]


def test_the_engines_promises_hold(user: Ordinary) -> None:
    words = ["-q", "-p", "no:cacheprovider", "-k", "namespace", f"--rootdir={REPO}", f"--basetemp={HOME}/pytest"]
    suite = str(REPO / "tests/e2e/test_engine_conformance.py")
    inside = [user.python, "-P", "-m", "envwheel.sandbox.userns", user.python, "-m", "pytest"]
    done = user.run(*inside, *words, "-c", str(REPO / "pyproject.toml"), suite)
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout


def test_kill_9_leaves_nothing(user: Ordinary) -> None:
    script = (
        "import time; from envwheel.sandbox.base import BoxSpec; from envwheel.sandbox.engines import open_engine; "
        "box = open_engine('auto').start(BoxSpec('envwheel/base:bookworm', 'work', user='root')); "
        "box.shell().run('sleep 98765 &'); print('up', flush=True); time.sleep(1000)"
    )
    command = user.command(user.python, "-P", "-m", "envwheel.sandbox.userns", user.python, "-c", script)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd="/") as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "up\n"
        assert sleepers()
        holder.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 30
    while sleepers() and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not sleepers()


def sleepers() -> str:
    return subprocess.run(["pgrep", "-u", NAME, "-f", "^sleep 98765"], capture_output=True, text=True).stdout
