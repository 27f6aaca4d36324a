"""Runs the candidate's tests with right and with faulty implementations, each as nobody in a folder of its own."""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, "/tests/kit")
import grade

EXPECT = json.loads(Path("/tests/expect.json").read_text())
MODULE = EXPECT["module"]


def outcome(tests, source):
    """(status, number of tests, last line) of a run."""
    cwd = grade.scratch({f"{MODULE}.py": source, f"test_{MODULE}.py": tests})
    env = {"PYTHONDONTWRITEBYTECODE": "1"}
    ran = grade.run(["/usr/bin/python3", "-m", "unittest", f"test_{MODULE}"], cwd=cwd, env=env, timeout=20)
    lines = ran.err.decode("utf-8", "replace").strip().splitlines()
    count = re.search(r"^Ran (\d+) tests? in", "\n".join(lines[-4:]), re.MULTILINE)
    return ran.code, int(count[1]) if count else 0, lines[-1] if lines else ""


def main():
    g = grade.Grade()
    tests = grade.read_text(EXPECT["target"], 200_000)
    g.check("is a plain file", tests is not None, f"{EXPECT['target']} is no plain text file")
    fits = False
    with g.case("right implementations"):
        grade.need(tests is not None, "nothing to run")
        for path in sorted(Path("/tests/right").iterdir()):
            code, count, last = outcome(tests, path.read_text())
            grade.need(
                code == 0 and last == "OK" and count > 0, f"{path.stem}: status {code}, {count} tests, {last[:80]}"
            )
        fits = True
    with g.case("faulty implementations"):
        grade.need(fits, "not tried, since the tests do not pass with a right one")
        missed = []
        for path in sorted(Path("/tests/bugs").iterdir()):
            code, count, last = outcome(tests, path.read_text())
            if not (code == 1 and count > 0 and last.startswith("FAILED (")):
                missed.append(path.stem)
        grade.need(not missed, f"not noticed: {', '.join(missed)}")
    g.finish()


main()
