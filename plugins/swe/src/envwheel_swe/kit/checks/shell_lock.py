"""Runs a lock script with hostile arguments, beside a holder of the lock, and under signals."""

import json
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, "/tests/kit")
import grade

EXPECT = json.loads(Path("/tests/expect.json").read_text())
SCRIPT = "/app/" + EXPECT["script"]
ARGUMENTS = ["two  words", "", "*", "new\nline", "-n", "$HOME", "back\\slash", "end "]
SHOW = 'printf "%s|" "$@"; cat; printf "%s" "$MARK"; cat "$L/owner" > /dev/null && [ -d "$L" ] && echo held'
# A driver of nobody's starts the script, signals it and reports: then the whole scene lives in one run.
SIGNALLED = """
import os, signal, subprocess, sys, time
script, lock, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell cannot trap what was ignored when it started
job = "trap 'sleep 0.7; echo job ended >> log; exit 9' TERM; echo $$ > job; while :; do sleep 0.05; done"
p = subprocess.Popen(["/bin/bash", script, lock, "/bin/bash", "-c", job], stdin=subprocess.DEVNULL)
end = time.time() + 20
while not os.path.exists("job") or not open("job").read().strip():
    assert time.time() < end
    time.sleep(0.02)
time.sleep(0.2)
owner = open(lock + "/owner").read()
print("owner", owner == str(p.pid) + chr(10))
os.kill(p.pid, number)
early = False
while p.poll() is None and time.time() < end:
    early = early or (not os.path.exists(lock) and not os.path.exists("log"))
    time.sleep(0.01)
print("status", p.returncode)
print("lock", os.path.exists(lock), early)
print("log", open("log").read() if os.path.exists("log") else "none")
"""


def run(script, cwd, *argv, **more):
    return grade.run(["/bin/bash", script, *argv], cwd=cwd, timeout=30, **more)


def plain_cases(g, rng, script):
    for lock in ("job.lock", "my lock", "-lock", "*"):
        with g.case(f"runs a command under {lock}"):
            cwd = grade.scratch()
            words = rng.sample(ARGUMENTS, 5)
            mark = str(rng.randrange(10**6))
            given = f"input {mark}\nand more\n".encode()
            ran = run(
                script,
                cwd,
                lock,
                "/bin/bash",
                "-c",
                SHOW,
                "x",
                *words,
                stdin=given,
                env={"MARK": mark, "L": "./" + lock},
            )
            wanted = "".join(word + "|" for word in words).encode() + given + mark.encode() + b"held\n"
            grade.need(ran.code == 0, f"status {ran.code}: {ran.err[-150:]!r}")
            grade.need(ran.out == wanted, f"the command saw something else: {ran.out[:120]!r}")
            grade.need(not os.path.lexists(f"{cwd}/{lock}"), "the lock is still there")
            for status in (1, 3, 75, rng.randint(4, 120)):
                ran = run(script, cwd, lock, "/bin/bash", "-c", f"exit {status}")
                grade.need((ran.code, ran.out) == (status, b""), f"wanted status {status}, got {ran.code}")
                grade.need(not os.path.lexists(f"{cwd}/{lock}"), "the lock is still there after a failure")
    with g.case("a command that is not there"):
        cwd = grade.scratch()
        ran = run(script, cwd, "l", "./no-such-command")
        grade.need(
            ran.code == 127 and not os.path.lexists(cwd + "/l"), f"wanted status 127 and no lock, got {ran.code}"
        )


def held_cases(g, script):
    for what, files in (("with its owner", {"l/owner": "1\n"}), ("just made", {"l/x": ""})):
        with g.case(f"lock {what}"):
            cwd = grade.scratch(files)
            if what == "just made":
                os.unlink(cwd + "/l/x")
            before = sorted(os.listdir(cwd + "/l"))
            ran = run(script, cwd, "l", "/bin/touch", "ran")
            grade.need(
                ran.code == 75 and ran.err.strip() == b"locked" and not ran.out,
                f"wanted 75 and 'locked', got {ran.code}",
            )
            grade.need(not os.path.exists(cwd + "/ran"), "the command ran although the lock was held")
            left = os.path.isdir(cwd + "/l") and sorted(os.listdir(cwd + "/l"))
            grade.need(left == before, "the other's lock was touched")
    with g.case("nested in itself"):
        cwd = grade.scratch()
        ran = run(script, cwd, "l", "/bin/bash", script, "l", "/bin/echo", "no")
        grade.need(ran.code == 75 and not ran.out and not os.path.exists(cwd + "/l"), f"wanted 75, got {ran.code}")


def signal_cases(g, script):
    for number in (signal.SIGTERM, signal.SIGINT):
        with g.case(f"stopped by {number.name}"):
            cwd = grade.scratch({"drive.py": SIGNALLED})
            ran = grade.run(
                ["/usr/bin/python3", "-B", "drive.py", script, "the lock", str(int(number))], cwd=cwd, timeout=40
            )
            wanted = "owner True\nstatus 143\nlock False False\nlog job ended\n\n"
            grade.need(ran.code == 0 and ran.out.decode() == wanted, f"got {ran.out[-200:]!r} {ran.err[-100:]!r}")


def main():
    g = grade.Grade()
    text = grade.read_text(SCRIPT, 100_000)
    g.check("is a plain script", text is not None, f"{SCRIPT} is no plain text file")
    if text is not None:
        script = grade.scratch({EXPECT["script"]: text}) + "/" + EXPECT["script"]
        plain_cases(g, grade.rng(EXPECT["seed"]), script)
        held_cases(g, script)
        signal_cases(g, script)
    g.finish()


main()
