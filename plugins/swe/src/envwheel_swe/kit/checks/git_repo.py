"""Judges a git repository: refs, commits, index, working tree, and perhaps the program in it.

expect.json: {"repo": "/app/x", "refs": {full name: commit}, "program": {...} or absent}. `refs` are all refs there may
be; HEAD is on refs/heads/main, and index and working tree are its. A commit is {"id": hex}, or {"peels": hex} (a tag of
either kind), or it is described: "parents" [hex], "tree" hex, "message" (exactly), "line" (one of its message),
"only" [paths that differ from the first parent].
"program": {"path", "right": text, "runs": [{"args": [], "stdin": ""}]}: the file on main must behave like `right`.

The repository's own configuration never speaks: its objects and its index are looked at in a fresh repository.
"""

import hashlib
import json
import os
import re
import shutil
import sys

sys.path.insert(0, "/tests/kit")
import grade

with open("/tests/expect.json", encoding="utf-8") as source:
    EXPECT = json.load(source)
MAIN = "refs/heads/main"
HALF_DONE = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "BISECT_START", "rebase-merge",
             "rebase-apply", "sequencer", "index.lock", "HEAD.lock")  # fmt: skip


class Repo:
    """The repository at `root`, through a clean one with its objects and its index."""

    def __init__(self, root):
        self.root = grade.copy_tree(root, 20_000_000)
        self.own = os.path.join(self.root, ".git")
        grade.need(os.path.isdir(self.own), ".git is no folder")
        for name in ("shallow", "commondir", "objects/info/alternates"):
            grade.need(not os.path.lexists(os.path.join(self.own, name)), f".git/{name} is there")
        self.clean = grade.scratch()
        self.git("init", "-q", "--bare", "--template=", ".")
        shutil.rmtree(os.path.join(self.clean, "objects"))
        shutil.copytree(os.path.join(self.own, "objects"), os.path.join(self.clean, "objects"))
        shutil.copy(os.path.join(self.own, "index"), os.path.join(self.clean, "index"))
        grade.give(self.clean)

    def git(self, *args):
        ran = grade.git(self.clean, *args)
        grade.need(ran.code == 0, f"git {args[0]}: {ran.err[-200:]!r}")
        return ran.out

    def refs(self):
        """Full name -> what it says, loose before packed."""
        found = {}
        packed = grade.read_text(os.path.join(self.own, "packed-refs")) or ""
        for line in packed.splitlines():
            if line and line[0] not in "#^":
                value, _, name = line.partition(" ")
                found[name] = value
        for folder, _, names in os.walk(os.path.join(self.own, "refs")):
            for name in names:
                path = os.path.join(folder, name)
                found[os.path.relpath(path, self.own)] = (grade.read_text(path) or "").strip()
        return found

    def tree(self, commit):
        """Path -> (mode, blob) of a commit."""
        rows = self.git("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")[:-1]
        parts = [row.partition(b"\t") for row in rows]
        return {path.decode("utf-8", "surrogateescape"): (m.split()[0], m.split()[2]) for m, _, path in parts}

    def index(self):
        """Path -> (mode, blob) of the index."""
        found = {}
        for row in self.git("ls-files", "-s", "-z").split(b"\0")[:-1]:
            head, _, path = row.partition(b"\t")
            mode, blob, stage = head.split()
            grade.need(stage == b"0", "the index has unmerged files")
            found[path.decode("utf-8", "surrogateescape")] = (mode, blob)
        return found

    def files(self):
        """Path -> (mode, blob) of the working tree."""
        found = {}
        for folder, folders, names in os.walk(self.root):
            if folder == self.root:
                folders.remove(".git")
            for name in names:
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    data = file.read()
                blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
                mode = b"100755" if os.lstat(path).st_mode & 0o100 else b"100644"
                found[os.path.relpath(path, self.root)] = (mode, blob.encode())
        return found


def commit_problem(repo, commit, wanted):
    """What is wrong with a commit; empty when nothing is."""
    if "peels" in wanted:
        commit = repo.git("rev-parse", "--verify", commit + "^{commit}").decode().strip()
    if commit != wanted.get("id", wanted.get("peels", commit)):
        return f"it is {commit}, which is another commit"
    head, _, message = repo.git("cat-file", "commit", commit).decode("utf-8", "replace").partition("\n\n")
    parents = re.findall(r"^parent (\w+)$", head, re.M)
    if parents != wanted.get("parents", parents):
        return f"its parents are {parents}"
    if "tree" in wanted and f"tree {wanted['tree']}" != head.partition("\n")[0]:
        return "its files are not as asked"
    if message.strip() != wanted.get("message", message.strip()):
        return f"its message is {message[:100]!r}"
    if "line" in wanted and wanted["line"] not in map(str.strip, message.splitlines()):
        return f"its message has no line {wanted['line']!r}"
    if "only" in wanted:
        before, after = repo.tree(parents[0]), repo.tree(commit)
        changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        return f"it changes {sorted(changed)[:5]}" if changed - set(wanted["only"]) else ""
    return ""


def judge_program(g, repo, commit):
    program = EXPECT["program"]
    text = repo.git("cat-file", "blob", f"{commit}:{program['path']}")
    for number, run in enumerate(program["runs"]):
        with g.case(f"run {number}"):
            ran, right = (
                grade.run(["/usr/bin/python3", "program.py", *run["args"]], stdin=run["stdin"].encode(), **more)
                for more in (
                    {"files": {"program.py": text}},
                    {"files": {"program.py": program["right"]}, "as_root": True},
                )
            )
            grade.need((ran.code, ran.out) == (right.code, right.out), f"status {ran.code}, output {ran.out[:200]!r}")


def judge(g, repo):
    with g.case("nothing half done"):
        left = [name for name in HALF_DONE if os.path.lexists(os.path.join(repo.own, name))]
        grade.need(not left, f"left behind: {left}")
        head = grade.read_text(os.path.join(repo.own, "HEAD"))
        grade.need(head is not None and head.strip() == f"ref: {MAIN}", "HEAD is not on main")
    refs = repo.refs()
    g.check("refs", set(refs) == set(EXPECT["refs"]), f"the refs are {sorted(refs)[:10]}")
    for name, wanted in sorted(EXPECT["refs"].items()):
        with g.case(name):
            grade.need(re.fullmatch("[0-9a-f]{40}", refs.get(name, "")), f"{name} is no commit")
            wrong = commit_problem(repo, refs[name], wanted)
            grade.need(not wrong, f"{name}: {wrong}")
            repo.git("update-ref", name, refs[name])
    with g.case("objects"):
        repo.git("fsck", "--full", "--no-dangling")
    with g.case("index and files"):
        tree = repo.tree(refs[MAIN])
        grade.need(repo.index() == tree, "the index is not main's")
        files = repo.files()
        odd = sorted(path for path in {*files, *tree} if files.get(path) != tree.get(path))
        grade.need(not odd, f"the working tree differs from main: {odd[:5]}")
    if "program" in EXPECT:
        with g.case("program"):
            judge_program(g, repo, refs[MAIN])


def main():
    g = grade.Grade()
    with g.case("repository"):
        repo = Repo(EXPECT["repo"])
        judge(g, repo)
    g.finish()


main()
