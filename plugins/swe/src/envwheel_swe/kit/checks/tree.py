"""Judges a folder: which files, folders and links are there, with which content and mode.

expect.json: {"root": "/app/x", "exact": bool, "folders_exact": bool, "absent": [path],
"entries": {path: {"sha256": hex} | {"folder": true} | {"link": path, "relative": bool}, and with it perhaps
"mode": "640" (exactly) or "allow": "100" / "deny": "022" (bits that must be there / must not)}}; paths are relative to
root. `exact`: no other files and links; `folders_exact`: no other folders.
"""

import hashlib
import json
import os
import stat
import sys

sys.path.insert(0, "/tests/kit")
import grade

with open("/tests/expect.json", encoding="utf-8") as source:
    EXPECT = json.load(source)
ROOT = EXPECT["root"]


def scan():
    """Relative path -> lstat of everything below ROOT, not following links; None when there is far too much."""
    seen = {"": os.lstat(ROOT)}
    for folder, names, files in os.walk(ROOT):
        for name in names + files:
            path = os.path.join(folder, name)
            seen[os.path.relpath(path, ROOT)] = os.lstat(path)
        if len(seen) > 20_000:
            return None
    return seen


def same_content(path, info, digest):
    if not stat.S_ISREG(info.st_mode) or info.st_size > 5_000_000:
        return False
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest() == digest


def same_link(path, info, wanted):
    if not stat.S_ISLNK(info.st_mode):
        return False
    target = os.readlink(path)
    if wanted.get("relative") and target.startswith("/"):
        return False
    resolved = os.path.normpath(os.path.join(os.path.dirname(path), target))
    return resolved == os.path.normpath(os.path.join(ROOT, wanted["link"]))


def problem(name, wanted, seen):
    """Why the entry is not as wanted; empty when it is."""
    info, path = seen.get(name), os.path.join(ROOT, name) if name else ROOT
    if info is None:
        return "is not there"
    if "sha256" in wanted and not same_content(path, info, wanted["sha256"]):
        return "is not a file with the right content"
    if wanted.get("folder") and not stat.S_ISDIR(info.st_mode):
        return "is not a folder"
    if "link" in wanted and not same_link(path, info, wanted):
        return "is not the right link"
    mode = stat.S_IMODE(info.st_mode)
    if "mode" in wanted and mode != int(wanted["mode"], 8):
        return f"has the mode {mode:o}"
    if int(wanted.get("allow", "0"), 8) & ~mode or int(wanted.get("deny", "0"), 8) & mode:
        return f"has the mode {mode:o}"
    return ""


def main():
    g = grade.Grade()
    seen = scan() if os.path.isdir(ROOT) and not os.path.islink(ROOT) else None
    g.check("folder", seen is not None, f"{ROOT} is not a folder of reasonable size")
    seen = seen or {}
    for name, wanted in sorted(EXPECT["entries"].items()):
        wrong = problem(name, wanted, seen)
        g.check("entry:" + (name or "."), not wrong, f"{name or ROOT} {wrong}" if wrong else "")
    for name in EXPECT.get("absent", []):
        g.check("absent:" + name, name not in seen, f"{name} should be gone")
    if EXPECT.get("exact"):
        others = [n for n, i in seen.items() if not stat.S_ISDIR(i.st_mode) and n not in EXPECT["entries"]]
        g.check("no other files", not others, f"not expected: {sorted(others)[:5]}")
    if EXPECT.get("folders_exact"):
        needed = {""}
        for name in EXPECT["entries"]:
            if EXPECT["entries"][name].get("folder"):
                needed.add(name)
            while os.path.dirname(name):
                name = os.path.dirname(name)
                needed.add(name)
        others = [n for n, i in seen.items() if stat.S_ISDIR(i.st_mode) and n not in needed]
        g.check("no other folders", not others, f"not expected: {sorted(others)[:5]}")
    g.finish()


main()
