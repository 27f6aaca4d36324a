"""Runs a script of files on folders with hostile names and compares what is there afterwards, name by name."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, "/tests/kit")
import grade

EXPECT = json.loads(Path("/tests/expect.json").read_text())
EXT = EXPECT["extension"]
SCRIPT = "/app/" + EXPECT["script"]
STEMS = ["plain", "two  words", "-rf", "--help", "new\nline", "tab\there", "star*", "[ab]", "a?b", "$HOME", "`id`"]
STEMS += ["back\\slash", "quote's", 'double"', "ünïcode", ";semi", "end ", " start", "Upper Case", "&", ".hidden"]


def tree(root):
    """Relative path -> content, link target or None for a folder."""
    found = {}
    for folder, folders, names in os.walk(root):
        for name in folders + names:
            path = os.path.join(folder, name)
            content = None
            if os.path.islink(path):
                content = "-> " + os.readlink(path)
            elif os.path.isfile(path):
                content = Path(path).read_text("utf-8", "replace")
            found[os.path.relpath(path, root)] = content
    return found


def build(root, files, links=()):
    for name, content in files.items():
        path = Path(root, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    for name, target in links:
        Path(root, name).symlink_to(target)
    for folder, folders, names in os.walk(root):
        for name in [".", *folders, *names]:
            os.lchown(os.path.join(folder, name), grade.NOBODY, grade.NOBODY)


def run(script, cwd, *argv):
    return grade.run(["/bin/bash", script, *argv], cwd=cwd, timeout=30)


def draw_names(rng, count):
    """Some of the names; one case in each kind has all of them, so that none is left to chance."""
    return [stem + str(rng.randrange(100)) if rng.random() < 0.2 else stem for stem in rng.sample(STEMS, count)]


def count_cases(g, rng, script):
    for number, (folder, size) in enumerate([("in", 0), ("my files", 5), ("in", len(STEMS)), ("a*b", 9)]):
        files = {}
        for stem in draw_names(rng, size):
            if not stem.startswith("."):
                files[f"{folder}/{stem}.{rng.choice([EXT, EXT, EXT + 'x', 'bak', EXT.upper()])}"] = "x"
        files |= {f"{folder}/sub/deep.{EXT}": "x", f"{folder}/no{EXT}": "", f"{folder}/folder.{EXT}/inside": ""}
        wanted = sum(name.count("/") == 1 and name.endswith("." + EXT) for name in files)
        with g.case(f"counts in folder {number}"):
            cwd = grade.scratch()
            build(cwd, files)
            ran = run(script, cwd, folder)
            grade.need(
                ran.code == 0 and ran.out == f"{wanted}\n".encode(), f"wanted {wanted}, got {ran.code} {ran.out[:60]!r}"
            )
    with g.case("wants one argument"):
        codes = [run(script, grade.scratch(), *argv).code for argv in ([], ["a", "b"])]
        grade.need(codes == [2, 2], f"wrong number of arguments: wanted status 2, got {codes}")


def collect_cases(g, rng, script):
    for number, (source, target) in enumerate(
        [("in", "out"), ("my files", "new/my  target"), ("-in", "-out"), ("s*", "t?"), ("in", "in2")]
    ):
        files, links = (
            {f"{source}/deep/x.{EXT}": "deep", f"{source}/folder.{EXT}/y": ""},
            [(f"{source}/link.{EXT}", "deep/x." + EXT)],
        )
        names = STEMS if number == 1 else draw_names(rng, 12) if number < 4 else []
        for stem in names:
            ending = EXT if number == 1 else rng.choice([EXT, EXT, EXT, "bak"])
            files[f"{source}/{stem}.{ending}"] = f"content of {stem}"
        fitting = [
            name
            for name in files
            if name.startswith(source + "/") and name.count("/") == 1 and name.endswith("." + EXT)
        ]
        kept = {f"{target}/{name.split('/')[-1]}": "" for name in fitting[::2]} if number in (0, 2, 3) else {}
        with g.case(f"collects {number}"):
            cwd = grade.scratch()
            build(cwd, files | kept, links)
            before = tree(cwd)
            ran = run(script, cwd, source, target)
            after = before | {f"{target}/{name.split('/')[-1]}": files[name] for name in fitting} | kept
            after |= {part: None for part in (target, os.path.dirname(target)) if part}
            said = f"copied {len(fitting) - len(kept)}, kept {len(kept)}\n"
            grade.need(
                ran.code == 0 and ran.out.decode() == said,
                f"wanted {said!r}, got {ran.code} {ran.out[:80]!r} {ran.err[-120:]!r}",
            )
            grade.need(tree(cwd) == after, "the files are not as they should be afterwards")
    with g.case("refuses what is no folder"):
        ran = run(script, grade.scratch({"file": ""}), "file", "out")
        grade.need(ran.code == 2 and ran.err.strip() and not ran.out, f"wanted status 2, got {ran.code}")


def tidied(name):
    return "".join(c.lower() if c.isascii() else "_" if c in " \t\n" else c for c in name).translate(
        {32: "_", 9: "_", 10: "_"}
    )


def rename_cases(g, rng, script):
    for number, root in enumerate(["in", "My  Files", "-Root", "clean"]):
        files, links = {}, []
        folders = ["", "Sub Folder/", "a\nb/", "-x/"]
        drawn = STEMS if number == 1 else draw_names(rng, 14)
        for stem in [] if number == 3 else [*drawn, "Same Name", "Upper\n", "Two  Blanks\t", "same*name"]:
            files[f"{root}/{rng.choice(folders)}{stem}"] = f"content of {stem!r} {rng.random()}"
        if number == 3:
            files = {f"{root}/already_fine": "x", f"{root}/b/fine": "y"}
        if number in (0, 1):
            files |= {
                f"{root}/Sub Folder/Taken X": "loser",
                f"{root}/Sub Folder/taken_x": "winner",
                f"{root}/AB": "1",
                f"{root}/aB": "2",
            }
            if number:
                files |= {f"{root}/X y": "1", f"{root}/x_y": "2"}
            links = [(f"{root}/dangling_l", "nowhere")]
            files[f"{root}/Dangling L"] = "stays"
        after, renamed, skipped = dict(files) | {name: "-> " + to for name, to in links}, 0, 0
        for path in sorted(files, key=os.fsencode):
            new = os.path.join(os.path.dirname(path), tidied(os.path.basename(path)))
            if new != path and new in after:
                skipped += 1
            elif new != path:
                after[new] = after.pop(path)
                renamed += 1
        with g.case(f"renames {number}"):
            cwd = grade.scratch()
            build(cwd, files, links)
            ran = run(script, cwd, root)
            said, code = f"renamed {renamed}, skipped {skipped}\n", 3 if skipped else 0
            grade.need(
                (ran.code, ran.out.decode()) == (code, said),
                f"wanted {code} {said!r}, got {ran.code} {ran.out[-80:]!r} {ran.err[-120:]!r}",
            )
            grade.need(
                {n: c for n, c in tree(cwd).items() if c is not None} == after,
                "the files are not as they should be afterwards",
            )
    with g.case("refuses what is no folder"):
        ran = run(script, grade.scratch({"file": ""}), "file")
        grade.need(ran.code == 2 and ran.err.strip() and not ran.out, f"wanted status 2, got {ran.code}")


def main():
    g = grade.Grade()
    text = grade.read_text(SCRIPT, 100_000)
    g.check("is a plain script", text is not None, f"{SCRIPT} is no plain text file")
    if text is not None:
        script = grade.scratch({EXPECT["script"]: text}) + "/" + EXPECT["script"]
        cases = {"count": count_cases, "collect": collect_cases, "rename": rename_cases}
        cases[EXPECT["kind"]](g, grade.rng(EXPECT["seed"]), script)
    g.finish()


main()
