"""Judges a program by running it, as nobody, on inputs that the solver has not seen.

expect.json: {"artifact": "/app/x.py", "argv": ["/usr/bin/python3", "/app/x.py"], "cases": [{"id", "args": [],
"stdin": base64, "files": {name: base64}, "modes": {name: "640"}, "code": 0, "out": text or absent,
"after": {name: base64 or null}, "after_modes": {name: "640"}, "only": bool}]}. The program runs in a fresh folder that
holds `files`; `after` are files (null: gone) in it afterwards, with `only` nothing else may be there.
"""

import base64
import json
import os
import stat
import sys

sys.path.insert(0, "/tests/kit")
import grade

with open("/tests/expect.json", encoding="utf-8") as source:
    EXPECT = json.load(source)


def prepare(case):
    """A fresh folder of nobody's with the case's files and modes."""
    folder = grade.scratch({name: base64.b64decode(data) for name, data in case.get("files", {}).items()})
    for name, mode in sorted(case.get("modes", {}).items(), reverse=True):
        os.chmod(os.path.join(folder, name), int(mode, 8))
    return folder


def content(path):
    """Bytes of a plain file of at most 5 MB, else None."""
    try:
        info = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(info.st_mode) or info.st_size > 5_000_000:
        return None
    with open(path, "rb") as file:
        return file.read()


def problem(folder, case, ran):
    """What is wrong with this run; empty when nothing is."""
    if ran.code != case.get("code", 0):
        return f"exit status {ran.code} instead of {case.get('code', 0)}: {ran.err[-200:]!r}"
    if "out" in case and ran.out != case["out"].encode():
        return f"wrong output: {ran.out[:300]!r}"
    for name, data in case.get("after", {}).items():
        found = content(os.path.join(folder, name))
        if data is None and os.path.lexists(os.path.join(folder, name)):
            return f"{name} should be gone"
        if data is not None and found != base64.b64decode(data):
            return f"{name} is wrong: {found if found is None else found[:200]!r}"
    for name, mode in case.get("after_modes", {}).items():
        path = os.path.join(folder, name)
        found = f"{stat.S_IMODE(os.lstat(path).st_mode):o}" if os.path.lexists(path) else "none"
        if found != mode:
            return f"{name} has the mode {found} instead of {mode}"
    if case.get("only"):
        left = {
            os.path.relpath(os.path.join(top, name), folder) for top, _, names in os.walk(folder) for name in names
        } - {name for name, data in case["after"].items() if data is not None}
        return f"not expected: {sorted(left)[:5]}" if left else ""
    return ""


def main():
    g = grade.Grade()
    artifact = EXPECT["artifact"]
    there = grade.plain_file(artifact)
    g.check("program", there, f"{artifact} is not a plain file")
    if there:
        os.chmod(artifact, 0o755)
        for case in EXPECT["cases"]:
            folder = prepare(case)
            stdin = base64.b64decode(case.get("stdin", ""))
            ran = grade.run(EXPECT["argv"] + case.get("args", []), stdin=stdin, cwd=folder, timeout=10)
            wrong = problem(folder, case, ran)
            g.check("case:" + case["id"], not wrong, wrong)
    g.finish()


main()
