"""Judges a build: puts the solver's files among pristine sources and plays what a developer does, as nobody.

expect.json: {"artifact": "/app/x", "take": [files of it], "sources": {path: text}, "plays": [{"id", "steps"}]}. Each
play starts in a fresh folder. A step has one of these, where "@" in an argument and "@FOLDER@" in a text is the folder:
- "make" [arguments], which works, or must not with "fails";
- "run" [argv] with "stdin", "out" (exactly) or "sorted" (lines, in any order);
- "write" {path: text}; "remove" [paths];
- "changed" [paths] "of" [paths]: what the last make made anew, no more and no less;
- "files" [paths]: all files that are no sources (of the folder "below", or but for the folder "except");
- and perhaps "mode" {path: octal}, "text" {path: content}.
"""

import json
import os
import stat
import sys

sys.path.insert(0, "/tests/kit")
import grade

with open("/tests/expect.json", encoding="utf-8") as source:
    EXPECT = json.load(source)
PAST = 1_500_000_000
"""Before each make everything is that old, in the order in which it was made, so that no clock's grain matters."""


class Play:
    """A folder and what happens in it."""

    def __init__(self, files):
        self.folder = grade.scratch(files)
        self.sources = set(files)
        self.before = {}
        self.age()

    def path(self, name):
        return os.path.join(self.folder, name)

    def files(self, below=""):
        """Relative path -> lstat of everything that is no folder."""
        top = self.path(below)
        paths = [os.path.join(folder, name) for folder, _, names in os.walk(top) for name in names]
        grade.need(len(paths) < 2000, "far too many files")
        return {os.path.relpath(path, top): os.lstat(path) for path in paths}

    def age(self):
        """Make every file old, keeping which is older than which."""
        found = self.files()
        times = sorted({info.st_mtime_ns for info in found.values()})
        for name, info in found.items():
            at = PAST + times.index(info.st_mtime_ns)
            os.utime(self.path(name), (at, at), follow_symlinks=False)

    def write(self, files):
        self.age()
        for name, text in files.items():
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            if os.path.lexists(self.path(name)):
                os.unlink(self.path(name))
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text.replace("@FOLDER@", self.folder))
            self.sources.add(name)
        grade.give(self.folder)

    def remove(self, names):
        self.age()
        for name in names:
            os.unlink(self.path(name))
            self.sources.discard(name)

    def start(self, argv, stdin=""):
        argv = [word.replace("@", self.folder) for word in argv]
        return grade.run(argv, stdin=stdin.encode(), cwd=self.folder, timeout=60)

    def make(self, args, step):
        self.before = {name: info.st_mtime_ns for name, info in self.files().items()}
        ran = self.start(["/usr/bin/make", *args])
        said = (ran.err or ran.out)[-300:]
        if step.get("fails"):
            grade.need(ran.code, f"make {args} should fail")
        else:
            grade.need(ran.code == 0, f"make {args} ends with {ran.code}: {said!r}")

    def run(self, argv, step):
        ran = self.start(argv, step.get("stdin", ""))
        grade.need(ran.code == 0, f"{argv[0]} ends with {ran.code}: {ran.err[-200:]!r}")
        out = ran.out.decode("utf-8", "replace")
        if "out" in step:
            grade.need(out == step["out"], f"{argv[0]} prints {out[:200]!r} instead of {step['out'][:200]!r}")
        if "sorted" in step:
            grade.need(sorted(out.splitlines()) == sorted(step["sorted"]), f"{argv[0]} prints {out[:200]!r}")

    def changed(self, wanted, step):
        after = {name: info.st_mtime_ns for name, info in self.files().items()}
        made = {name for name in step["of"] if after.get(name) != self.before.get(name)}
        missing, more = sorted(set(wanted) - made), sorted(made - set(wanted))
        grade.need(not missing, f"{step['why']}: not made anew: {missing}")
        grade.need(not more, f"{step['why']}: made anew without need: {more}")

    def only(self, wanted, step):
        found = set(self.files(step.get("below", "")))
        found -= set() if "below" in step else self.sources
        if "except" in step:
            found = {name for name in found if not name.startswith(step["except"] + "/")}
        gone = sorted(name for name in self.sources if not os.path.lexists(self.path(name)))
        grade.need(found == set(wanted), f"there are {sorted(found)[:8]} instead of {sorted(wanted)[:8]}")
        grade.need(not gone, f"sources are gone: {gone}")

    def step(self, step):
        if "write" in step:
            self.write(step["write"])
        elif "remove" in step:
            self.remove(step["remove"])
        elif "make" in step:
            self.make(step["make"], step)
        elif "run" in step:
            self.run(step["run"], step)
        elif "changed" in step:
            self.changed(step["changed"], step)
        elif "files" in step:
            self.only(step["files"], step)
        for name, wanted in step.get("mode", {}).items():
            info = os.lstat(self.path(name))
            mode = f"{stat.S_IMODE(info.st_mode):o}" if stat.S_ISREG(info.st_mode) else "no file"
            grade.need(mode == wanted, f"{name} has the mode {mode} instead of {wanted}")
        for name, wanted in step.get("text", {}).items():
            found = grade.read_text(self.path(name))
            grade.need(found == wanted, f"{name} holds {found!r} instead of {wanted!r}")


def main():
    g = grade.Grade()
    taken = {name: grade.read_text(os.path.join(EXPECT["artifact"], name), 200_000) for name in EXPECT["take"]}
    missing = sorted(name for name, text in taken.items() if text is None)
    if g.check("files", not missing, f"not there as plain text: {missing}"):
        for play in EXPECT["plays"]:
            with g.case(play["id"]):
                stage = Play({**EXPECT["sources"], **taken})
                for step in play["steps"]:
                    stage.step(step)
    g.finish()


main()
