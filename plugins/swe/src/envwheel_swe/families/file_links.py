"""Links and moves: from one symbolic link to a tree whose duplicate files become links to one keeper."""

from __future__ import annotations

import random
from collections.abc import Mapping

from envwheel.api import Alternative, Mutant
from envwheel_swe import naming, trees
from envwheel_swe.family import Recipe, SweFamily, python, swap

ID = "file_links"


def make(level: int, seed: int) -> Recipe:
    """One environment of this family."""
    draw = naming.rng(ID, level, seed)
    return (one_link if seed % 2 == 0 else one_move, switch, newest, repair, deduplicate)[level](draw)


def one_link(draw: random.Random) -> Recipe:
    """Level 0: make one link."""
    target, name = draw.sample(naming.FOLDERS, 2)
    note = naming.words(draw, 6) + "\n"
    phrase = draw.choice(
        (
            "Create a symbolic link to /app/{target}. The link is /app/{name}.",
            "Create a symbolic link to /app/{target}. The link is /app/{name}.",
            "Create a symbolic link to /app/{target} named /app/{name}.",
        )
    )
    return Recipe(
        instruction=phrase.format(name=name, target=target),
        artifacts=("/app",),
        files={f"{target}/notes.txt": note},
        solve=f"ln -s {target} /app/{name}",
        check="tree",
        expect=trees.tree("/app", {name: trees.link(target), f"{target}/notes.txt": trees.file(note)}),
        mutants=(
            Mutant("copied", "a copy is no link", f"rm /app/{name}; cp -r /app/{target} /app/{name}"),
            Mutant("wrong_target", "points elsewhere", f"ln -sfn {target}-old /app/{name}"),
            Mutant("inside", "the link lies in the folder", f"rm /app/{name}; ln -s ../{target} /app/{target}/{name}"),
        ),
        alternatives=(Alternative("absolute", "an absolute link is right too", f"ln -s /app/{target} /app/{name}"),),
        knobs={"variant": "link"},
    )


def one_move(draw: random.Random) -> Recipe:
    """Level 0: move or rename one file."""
    old, new = (f"{name}.txt" for name in draw.sample(naming.NOUNS, 2))
    folder, text = draw.choice(naming.FOLDERS), naming.words(draw, 8) + "\n"
    rename = draw.random() < 0.7
    to = new if rename else f"{folder}/{old}"
    phrase = "Rename the file /app/{old} to /app/{new}." if rename else "Move the file /app/{old} into /app/{folder}."
    keep = {} if rename else {f"{folder}/readme.txt": "Kept here.\n"}
    return Recipe(
        instruction=phrase.format(old=old, new=new, folder=folder),
        artifacts=("/app",),
        files={old: text, **keep},
        solve=f"mv /app/{old} /app/{to}",
        check="tree",
        expect=trees.tree("/app", {to: trees.file(text), **{n: trees.file(t) for n, t in keep.items()}}, absent=[old]),
        mutants=(
            Mutant("copied", "the old one is still there", f"cp /app/{to} /app/{old}"),
            Mutant("emptied", "the content is lost", f": > /app/{to}"),
            Mutant("linked", "a link is no move", f"mv /app/{to} /app/{old}; ln -s /app/{old} /app/{to}"),
        ),
        alternatives=(Alternative("copy_delete", "copy, then delete", f"cp /app/{old} /app/{to} && rm /app/{old}"),),
        knobs={"variant": "rename" if rename else "move"},
    )


def switch(draw: random.Random) -> Recipe:
    """Level 1: `current` moves to a new release, `previous` to the one that it leaves."""
    product = draw.choice(naming.PRODUCTS)
    major = draw.randint(1, 6)
    older, old, new = (f"{major}.{minor}.{draw.randint(0, 9)}" for minor in sorted(draw.sample(range(1, 30), 3)))
    root = f"/app/{product}"
    files = {f"{product}/releases/{v}/VERSION": v + "\n" for v in (older, old, new)}
    kept = {path.partition("/")[2]: trees.file(text) for path, text in files.items()}
    return Recipe(
        instruction=(
            f"{root}/releases holds three releases of {product}; {root}/current is a symbolic link to the one in use, "
            f"{root}/previous to the one before. Switch to release {new}: afterwards {root}/current must be a symbolic "
            f"link to the folder {root}/releases/{new}, and {root}/previous a symbolic link to the release that "
            "current points to now. Write both as relative links, so that the tree can be moved. Leave everything "
            f"else in {root} as it is."
        ),
        artifacts=(root,),
        files=files,
        setup=trees.make_links({f"{product}/current": f"releases/{old}", f"{product}/previous": f"releases/{older}"}),
        solve=f"cd {root}\nln -sfn releases/{old} previous\nln -sfn releases/{new} current",
        check="tree",
        expect=trees.tree(
            root,
            {"current": trees.link(f"releases/{new}", True), "previous": trees.link(f"releases/{old}", True), **kept},
            exact=True,
            folders_exact=True,
        ),
        mutants=(
            Mutant("absolute", "not relative", f"ln -sfn {root}/releases/{new} {root}/current"),
            Mutant("followed", "without -n the link is made inside the old release",
                   f"cd {root}; ln -sfn releases/{old} current; ln -sf releases/{new} current"),
            Mutant("forgot_previous", "previous stays", f"ln -sfn releases/{older} {root}/previous"),
        ),
        alternatives=(
            Alternative("rename", "through new links and renames",
                        f"cd {root}; rm previous; mv current previous; ln -s ./releases/{new}/ current"),
        ),
    )  # fmt: skip


def newest(draw: random.Random) -> Recipe:
    """Level 2: a `latest` link for each package, by version number."""
    names = draw.sample(naming.PRODUCTS, 6)
    files: dict[str, str] = {}
    want = {}
    for number, name in enumerate(names):
        major, minor = draw.randint(0, 3), draw.randint(2, 9)
        versions = [f"{major}.{minor}.{draw.randint(0, 9)}", f"{major}.{minor + 8}.{draw.randint(0, 9)}",
                    f"{major}.{minor - 1}.12"]  # fmt: skip
        if number % 2 == 0:
            versions.append(f"{major}.{minor + 9}.0-rc1")
        files |= {f"packages/{name}/{v}/info": f"{name} {v}\n" for v in versions}
        want[name] = versions[1]
    solve = r"""cd /app/packages
for name in *; do
  best=$(ls "$name" | grep -Ex '[0-9]+\.[0-9]+\.[0-9]+' | sort -t. -k1,1n -k2,2n -k3,3n | tail -n 1)
  ln -s "$best" "$name/latest"
done"""
    broken = "cd /app/packages\nrm */latest\n" + solve
    wrong = names[0]
    return Recipe(
        instruction=(
            "Each folder /app/packages/NAME holds one folder for each version of a package. Put into each of them a "
            "symbolic link `latest` (that is /app/packages/NAME/latest) to the folder with the highest version. "
            "Versions have three numbers, compared as numbers from left to right, so 1.10.0 is higher than 1.9.3. "
            "Folders with a suffix such as 2.0.0-rc1 are release candidates and do not count. The links must be "
            "relative; nothing else in /app/packages may change."
        ),
        artifacts=("/app/packages",),
        files=files,
        solve=solve,
        check="tree",
        expect=trees.tree(
            "/app/packages",
            {f"{name}/latest": trees.link(f"{name}/{version}", True) for name, version in want.items()}
            | {path.partition("/")[2]: trees.file(text) for path, text in files.items()},
            exact=True,
            folders_exact=True,
        ),
        mutants=(
            Mutant("as_text", "1.9 sorts after 1.10", swap(broken, "sort -t. -k1,1n -k2,2n -k3,3n", "LC_ALL=C sort")),
            Mutant("candidates", "takes release candidates", swap(broken, r"[0-9]+\.[0-9]+\.[0-9]+", ".*[0-9]")),
            Mutant("absolute", "not relative", swap(broken, 'ln -s "$best"', 'ln -s "$PWD/$name/$best"')),
            Mutant("one_missing", "one package is left out", f"rm /app/packages/{wrong}/latest"),
        ),
        alternatives=(Alternative("dotted", "./VERSION is the same", swap(solve, 'ln -s "$best"', 'ln -s "./$best"')),),
    )


REPAIR = """
import os

os.chdir("/app/farm")
moved = {}
for folder, _, names in os.walk("files"):
    for name in names:
        moved[name] = os.path.join(folder, name)
final = {}
for folder, _, names in os.walk("links"):
    for name in names:
        path, seen = os.path.join(os.getcwd(), folder, name), set()
        start = path
        while os.path.islink(path) and path not in seen:
            seen.add(path)
            path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
        final[start] = None if path in seen else path if os.path.isfile(path) else moved.get(os.path.basename(path))
for path, target in final.items():
    os.unlink(path)
    if target is not None:
        os.symlink(os.path.relpath(os.path.abspath(target), os.path.dirname(path)), path)
"""


def repair(draw: random.Random) -> Recipe:
    """Level 3: a farm of broken, chained and looping links is made direct again."""
    names = [f"{noun}-{draw.randint(10, 99)}.dat" for noun in draw.sample(naming.NOUNS, 12)]
    folders = draw.sample(naming.FOLDERS, 4)
    where = {name: f"files/{draw.choice(folders)}/{name}" for name in names}
    files = {f"farm/{path}": naming.words(draw, 7) + "\n" for path in where.values()}
    links: dict[str, str] = {}
    want: dict[str, str] = {}
    for number, name in enumerate(names):
        at, path = f"links/{draw.choice('abc')}/{name[:-4]}", where[name]
        gone = f"files/{folders[number % 4]}-old/{name}"
        kind = number % 4
        if kind == 0:
            links[at] = f"/app/farm/{path}"
        elif kind == 1:
            links[at] = f"../../{gone}"
        elif kind == 2:
            links[f"links/c/via-{number}"], links[at] = f"../../{path}", f"../c/via-{number}"
            want[f"links/c/via-{number}"] = path
        else:
            links[f"links/a/hop-{number}"], links[at] = f"/app/farm/{gone}", f"/app/farm/links/a/hop-{number}"
            want[f"links/a/hop-{number}"] = path
        want[at] = path
    links |= {"links/b/round": "../c/about", "links/c/about": "../b/round", "links/a/self": "self",
              "links/b/lost": "../../files/nowhere/lost.dat", "links/c/to-lost": "/app/farm/links/b/lost"}  # fmt: skip
    reset = "cd /app/farm\nrm -rf links\nmkdir -p links/a links/b links/c\n" + trees.make_links(links)
    solve = python(REPAIR)
    return Recipe(
        instruction=(
            "/app/farm/links is a tree of symbolic links to the files below /app/farm/files. Files were moved about, "
            "and now many links are broken. Repair /app/farm/links so that every link in it leads directly, without "
            "another link on the way and written as a relative path, to a regular file below /app/farm/files:\n\n"
            "- A link that still leads to a file, directly or over other links, goes on leading to that file.\n"
            "- Where the path at the end of a chain of links does not exist, that file was moved: the right one is the "
            "file below /app/farm/files with the same base name as the missing path. Base names are unique there.\n"
            "- If there is no such file, or if the links run in a circle, the link is removed.\n\n"
            "Links keep their own names and places, `via-` and `hop-` links included. Nothing below /app/farm/files "
            "may change, and no other file may appear in /app/farm."
        ),
        artifacts=("/app/farm",),
        files=files,
        setup="mkdir -p farm/links/a farm/links/b farm/links/c\ncd farm\n" + trees.make_links(links),
        solve=solve,
        check="tree",
        expect=trees.tree(
            "/app/farm",
            {at: trees.link(to, True) for at, to in want.items()}
            | {path.partition("/")[2]: trees.file(text) for path, text in files.items()},
            exact=True,
        ),
        mutants=(
            Mutant("lost_kept", "a broken link stays", "ln -s ../../files/nowhere/lost.dat /app/farm/links/b/lost"),
            Mutant("chained", "over another link", chained(want)),
            Mutant("absolute", "absolute targets stay", reset + python(swap(
                REPAIR, "os.path.relpath(os.path.abspath(target), os.path.dirname(path))", "os.path.abspath(target)"))),
            Mutant("moved_given_up", "links to moved files are removed",
                   reset + python(swap(REPAIR, "moved.get(os.path.basename(path))", "None"))),
        ),
    )  # fmt: skip


def chained(want: Mapping[str, str]) -> str:
    """Bash that lets one link lead to its file over another link again."""
    hop = next(at for at in sorted(want) if "/hop-" in at)
    name = next(at for at in sorted(want) if want[at] == want[hop] and at != hop)
    return f"ln -sfn ../../{hop} /app/farm/{name}\n"


DEDUPLICATE = """
import hashlib
import os

ROOT = "/app/store"
groups = {}
for folder, _, names in os.walk(ROOT):
    for name in names:
        path = os.path.join(folder, name)
        if not os.path.islink(path) and os.path.getsize(path):
            with open(path, "rb") as file:
                groups.setdefault(hashlib.sha256(file.read()).digest(), []).append(os.path.relpath(path, ROOT))
keeper = {}
for paths in groups.values():
    paths.sort(key=lambda p: (p.count("/"), os.fsencode(p)))
    keeper |= {path: paths[0] for path in paths}
old = []
for folder, _, names in os.walk(ROOT):
    for name in names:
        path = os.path.join(folder, name)
        if os.path.islink(path):
            end = os.path.relpath(os.path.realpath(path), ROOT)
            old.append((os.path.relpath(path, ROOT), keeper.get(end, end)))
made = []
for path, kept in sorted(keeper.items()):
    if path != kept:
        made.append((path, kept))
for path, kept in made + old:
    full = os.path.join(ROOT, path)
    os.unlink(full)
    os.symlink(os.path.relpath(os.path.join(ROOT, kept), os.path.dirname(full)), full)
with open("/app/store/links.tsv", "w", encoding="utf-8") as file:
    for path, kept in sorted(made, key=lambda pair: os.fsencode(pair[0])):
        file.write(f"{path}\\t{kept}\\n")
"""


def deduplicate(draw: random.Random) -> Recipe:
    """Level 4: equal files become relative links to one keeper; links that were there lead to keepers too."""
    a, b, c = draw.sample(naming.FOLDERS, 3)
    nouns = draw.sample(naming.NOUNS, 6)
    texts = [naming.words(draw, 9) + "\n" for _ in range(6)]
    # Depth goes before byte order, byte order puts capitals first, and blanks in names break unquoted loops.
    groups = [
        [f"{b}/{nouns[0]}.txt", f"{a}/deep/er/{nouns[0]}.txt", f"{c}/x/{nouns[0]} copy.txt"],
        [f"{a}/{nouns[1]}.csv", f"{a}/{nouns[1].capitalize()}.csv", f"{c}/sub/{nouns[1]}.csv"],
        [f"{b}/one/{nouns[2]}.bin", f"{a}/two/{nouns[2]}-été.bin", f"{a}/two/.{nouns[2]}.bin"],
        [f"{c}/{nouns[3]}.md", f"{nouns[3]}.md"],
        [f"{b}/{nouns[4]}.log"],
        [f"{c}/sub/deeper/{nouns[5]} (1).log", f"{c}/sub/{nouns[5]} (1).log"],
    ]
    files: dict[str, str] = {path: text for group, text in zip(groups, texts, strict=True) for path in group}
    files |= {f"{a}/empty.txt": "", f"{b}/empty.txt": "", f"{b}/near.txt": texts[0] + "\n"}
    keeper = {path: min(group, key=lambda p: (p.count("/"), p.encode())) for group in groups for path in group}
    links = {
        f"{b}/shortcut": (f"../{groups[0][1]}", groups[0][1]),
        f"{c}/sub/alias": (f"../../{groups[3][0]}", groups[3][0]),
        f"{a}/chain": (f"../{b}/shortcut", groups[0][1]),
    }
    want = {p: trees.link(k, True) if p != k else trees.file(files[p]) for p, k in keeper.items()}
    want |= {p: trees.file(t) for p, t in files.items() if p not in keeper}
    want |= {at: trees.link(keeper[end], True) for at, (_, end) in links.items()}
    made = sorted((p.encode(), k) for p, k in keeper.items() if p != k)
    want["links.tsv"] = trees.file("".join(f"{p.decode()}\t{k}\n" for p, k in made))
    reset = "rm -rf /app/store; cp -a /app/.copy /app/store\n"
    solve = "cp -a /app/store /app/.copy\n" + python(DEDUPLICATE)
    return Recipe(
        instruction=(
            "The tree /app/store holds many files twice or more. Save space: replace duplicates by symbolic links.\n\n"
            "- Regular files with the same content form a group. The keeper of a group is the file with the fewest "
            "slashes in its path; among equals, the one whose path comes first in byte order. Every other file of the "
            "group is replaced by a symbolic link that leads directly to the keeper. Keepers stay unchanged.\n"
            "- Empty files are left alone. Hidden files count like others.\n"
            "- Symbolic links that are there already keep leading to the same content, but directly: each is replaced "
            "by a link to the keeper of the file at the end of its chain.\n"
            "- All links in /app/store are relative to the folder that they lie in, and correct from there.\n"
            "- Write /app/store/links.tsv: one line for each file that you replaced (not for the links that were there "
            "before), its path, a tab and its keeper's path, both relative to /app/store, sorted by the first path in "
            "byte order, each line ended by a newline.\n\n"
            "No other files may be in /app/store."
        ),
        artifacts=("/app/store",),
        files={f"store/{path}": text for path, text in files.items()},
        setup="cd store\n" + trees.make_links({at: text for at, (text, _) in links.items()}),
        solve=solve,
        check="tree",
        expect=trees.tree("/app/store", want, exact=True),
        mutants=(
            Mutant("byte_order_only", "depth is ignored",
                   reset + python(swap(DEDUPLICATE, "(p.count(\"/\"), os.fsencode(p))", "os.fsencode(p)"))),
            Mutant("empty_too", "empty files are linked",
                   reset + python(swap(DEDUPLICATE, " and os.path.getsize(path)", ""))),
            Mutant("old_links_stay", "links that were there lead over links",
                   reset + python(swap(DEDUPLICATE, "made + old", "made"))),
            Mutant("folded_case", "order without regard to case",
                   reset + python(swap(DEDUPLICATE, "os.fsencode(p))", "p.lower(), p.swapcase())"))),
        ),
    )  # fmt: skip


FAMILY = SweFamily.of(ID, "Links and moves", ("files",), make)
