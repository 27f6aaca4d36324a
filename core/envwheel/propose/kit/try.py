#!/usr/bin/python3
"""Rehearse the draft in this box: lay it out, run the tests on the untouched state, the reference, the tests again.

    /workspace/reference/try [FOLDER]          # default: /workspace/draft

The untouched state must score 0 and the reference 1. It takes the place of what lies in /app, /tests, /solution and
/logs/verifier. It is no gate: see what it says at the end.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

APP, TESTS, SOLUTION, LOGS, KEEP = map(Path, ("/app", "/tests", "/solution", "/logs/verifier", "/var/tmp/try-app"))
PLAIN = (
    r"FROM \S+",
    r"WORKDIR /app/?",
    r"COPY (--chown=agent:agent )?app/? /app/?",
    r"COPY setup.sh /tmp/setup.sh",
    r"RUN bash /tmp/setup.sh.*",
)
NOT_TRIED = """
Not rehearsed here: building the images, fresh boxes, limits, no network, another date, host name and locale, forgeries,
wrong solutions. `validate` does all of that."""


def main() -> int:
    draft = Path(sys.argv[1] if len(sys.argv) > 1 else "/workspace/draft")
    try:
        table = tomllib.loads((draft / "task.toml").read_text("utf-8"))
    except (OSError, ValueError) as error:
        return fail(f"task.toml: {error}")
    artifacts = [one if isinstance(one, str) else one.get("source", "") for one in table.get("artifacts", [])]
    if not artifacts:
        return fail("task.toml: `artifacts` is empty, so that the tests see nothing of the work")
    for name in ("instruction.md", "environment/Dockerfile", "solution/solve.sh", "tests/test.sh", "tests/Dockerfile"):
        if not (draft / name).is_file() or not (draft / name).read_bytes().strip():
            return fail(f"{name} is missing or empty")
    if not lay_out(draft):
        return fail("the work box could not be laid out")
    save(APP, KEEP)
    untouched = graded(draft, artifacts, seconds(table, "verifier"))
    print(f"untouched: {untouched} (must be 0)")
    save(KEEP, APP)
    solved = solve(draft, seconds(table, "agent"))
    reference = graded(draft, artifacts, seconds(table, "verifier"))
    print(f"reference: {reference} (must be 1)")
    good = untouched == 0 and solved and reference == 1
    print("\nThe rehearsal held." if good else "\nThe rehearsal did NOT hold.", NOT_TRIED, sep="")
    return 0 if good else 1


def lay_out(draft: Path) -> bool:
    """What the simple form of environment/Dockerfile does, in /app; lines of another form are said, not done."""
    text = (draft / "environment" / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
    for line in lines:
        if not any(re.fullmatch(form, line) for form in PLAIN):
            print(f"not done here: {line}")
    empty(APP)
    for line in lines:
        if re.fullmatch(PLAIN[2], line):
            source = draft / "environment" / "app"
            if not source.is_dir() or not any(source.iterdir()):
                print("environment/app/ is empty: put files there, or leave its COPY out of the Dockerfile")
                return False
            shutil.copytree(source, APP, symlinks=True, dirs_exist_ok=True)
        elif re.fullmatch(PLAIN[4], line):
            shutil.copyfile(draft / "environment" / "setup.sh", "/tmp/setup.sh")
            code, _ = ran(["bash", "/tmp/setup.sh"], 600, "setup.sh")
            os.unlink("/tmp/setup.sh")
            if code != 0:
                return False
    subprocess.run(["chown", "-Rh", "agent:agent", str(APP)], check=False)
    return True


def solve(draft: Path, limit: float) -> bool:
    """Run the reference as `agent`."""
    empty(SOLUTION)
    shutil.copytree(draft / "solution", SOLUTION, dirs_exist_ok=True)
    command = ["setpriv", "--reuid=agent", "--regid=agent", "--init-groups", "bash", "/solution/solve.sh"]
    code, _ = ran(command, limit, "solve.sh")
    return code == 0


def graded(draft: Path, artifacts: list, limit: float):
    """The reward of the tests with nothing but the artifacts in /app."""
    whole = Path("/var/tmp/try-whole")
    save(APP, whole)
    empty(APP)
    for path in artifacts:
        at = whole / os.path.relpath(path, "/app")
        if os.path.lexists(at):
            carry(at, Path(path))
    subprocess.run(["chown", "-Rh", "root:root", str(APP)], check=False)
    empty(TESTS)
    shutil.copytree(draft / "tests", TESTS, dirs_exist_ok=True)
    kit = Path(__file__).resolve().parent / "kit"
    shutil.copytree(kit, TESTS / "kit", dirs_exist_ok=True)
    subprocess.run(["chmod", "-R", "go-rwx", str(TESTS)], check=False)
    empty(LOGS)
    code, output = ran(["bash", "/tests/test.sh"], limit, "test.sh", quiet=True)
    reward = read_reward()
    if not isinstance(reward, (int, float)) or reward != 1:
        show("test.sh", code, output)
    for check in failed():
        print(f"  failed check {check.get('id')}: {check.get('message', '')}"[:400])
    save(whole, APP)
    return reward


def read_reward():
    """The number that the tests wrote, or why there is none."""
    try:
        found = json.loads((LOGS / "reward.json").read_text())
        return float(found["reward"] if "reward" in found else next(iter(found.values())))
    except (OSError, ValueError, TypeError, KeyError, StopIteration):
        pass
    try:
        return float((LOGS / "reward.txt").read_text())
    except (OSError, ValueError):
        return "no valid reward"


def failed() -> list:
    """The checks that did not pass."""
    try:
        return [one for one in json.loads((LOGS / "checks.json").read_text()) if not one.get("passed")][:8]
    except (OSError, ValueError, AttributeError, TypeError):
        return []


def ran(command: list, limit: float, name: str, quiet: bool = False):
    """Exit code (None: out of time) and output of a command in /app."""
    path = os.environ.get("PATH", "/usr/bin:/bin")
    environment = {"PATH": path, "HOME": "/home/agent", "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(
            command, cwd=APP, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=limit, check=False,
        )  # fmt: skip
        code, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        code, output = None, late.stdout or b""
    text = output.decode("utf-8", "replace")
    if code != 0 and not quiet:
        show(name, code, text)
    return code, text


def show(name: str, code, text: str) -> None:
    """What a script printed, its tail."""
    print(f"{name} ended with {'its time limit' if code is None else f'exit code {code}'}:\n{text[-3000:].rstrip()}")


def seconds(table: dict, who: str) -> float:
    """The time limit in task.toml."""
    limit = table.get(who, {}).get("timeout_sec", 600)
    return float(limit) if isinstance(limit, (int, float)) else 600.0


def empty(folder: Path) -> None:
    """`folder`, with nothing in it; it stays the same folder, in which a shell may be."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def save(source: Path, target: Path) -> None:
    """`target` as an exact copy of `source`."""
    empty(target)
    subprocess.run(["cp", "-a", f"{source}/.", str(target)], check=True)


def carry(source: Path, target: Path) -> None:
    """Copy an artifact to its place."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir():
        subprocess.run(["cp", "-a", f"{source}/.", str(target)], check=True)
    else:
        subprocess.run(["cp", "-a", str(source), str(target)], check=True)


def fail(why: str) -> int:
    print(f"The rehearsal did NOT hold: {why}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
