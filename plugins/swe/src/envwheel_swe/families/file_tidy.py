"""Making, copying, renaming, removing; from one file to a program that sorts any messy tree by rules."""

from __future__ import annotations

import random

from envwheel.api import Alternative, Mutant
from envwheel_swe import naming, trees
from envwheel_swe.families.file_tidy_program import sorter
from envwheel_swe.family import Recipe, SweFamily, python, swap

ID = "file_tidy"


def make(level: int, seed: int) -> Recipe:
    """One environment of this family."""
    draw = naming.rng(ID, level, seed)
    if level == 0:
        return (make_folder, rename, copy, remove, make_folder, rename)[seed % 6](draw)
    return (by_suffix, by_kind, by_month, sorter)[level - 1](draw)


def make_folder(draw: random.Random) -> Recipe:
    """Level 0: make a folder."""
    name = draw.choice(naming.FOLDERS)
    phrase = draw.choice(
        ("Make a new folder {name}.", "Create the folder /app/{name}.", "Create a folder named {name}.")
    )
    return Recipe(
        instruction=phrase.format(name=name),
        artifacts=(f"/app/{name}",),
        files={"readme.txt": "A small project.\n"},
        solve=f"mkdir /app/{name}",
        check="tree",
        expect=trees.tree("/app", {name: trees.folder()}, exact=True, folders_exact=True),
        mutants=(
            Mutant("file", "a file is no folder", f"rmdir /app/{name}; touch /app/{name}"),
            Mutant("elsewhere", "in another folder", f"mkdir /app/new; mv /app/{name} /app/new/{name}"),
            Mutant("misspelt", "the name is not quite right", f"mv /app/{name} /app/{name}1"),
        ),
        alternatives=(Alternative("parents", "with mkdir -p", f"cd /tmp; mkdir -p /app/{name}"),),
        knobs={"variant": "folder"},
    )


def rename(draw: random.Random) -> Recipe:
    """Level 0: rename a file."""
    old, new = (f"{name}.{draw.choice(('txt', 'md', 'csv'))}" for name in draw.sample(naming.NOUNS, 2))
    text = naming.words(draw, 8) + "\n"
    phrase = draw.choice(("Rename {old} to {new}.", "Rename the file /app/{old} to /app/{new}."))
    return Recipe(
        instruction=phrase.format(old=old, new=new),
        artifacts=(f"/app/{old}", f"/app/{new}"),
        files={old: text},
        solve=f"mv /app/{old} /app/{new}",
        check="tree",
        expect=trees.tree("/app", {new: trees.file(text)}, absent=[old]),
        mutants=(
            Mutant("copied", "the old name is still there", f"cp /app/{new} /app/{old}"),
            Mutant("emptied", "the content is lost", f": > /app/{new}"),
        ),
        alternatives=(Alternative("copy_delete", "copy, then delete", f"cd /app; cp {old} {new} && rm {old}"),),
        knobs={"variant": "rename"},
    )


def copy(draw: random.Random) -> Recipe:
    """Level 0: copy a file."""
    old, new = (f"{name}.txt" for name in draw.sample(naming.NOUNS, 2))
    text = naming.words(draw, 8) + "\n"
    phrase = draw.choice(("Copy {old} to {new}.", "Copy the file {old} to {new}."))
    return Recipe(
        instruction=phrase.format(old=old, new=new),
        artifacts=(f"/app/{old}", f"/app/{new}"),
        files={old: text},
        solve=f"cp /app/{old} /app/{new}",
        check="tree",
        expect=trees.tree("/app", {new: trees.file(text), old: trees.file(text)}),
        mutants=(
            Mutant("moved", "the old one is gone", f"rm /app/{old}"),
            Mutant("emptied", "no content", f": > /app/{new}"),
            Mutant("linked", "a link is no copy", f"ln -sf {old} /app/{new}"),
        ),
        alternatives=(Alternative("cat", "through cat", f"cat /app/{old} > /app/{new}"),),
        knobs={"variant": "copy"},
    )


def remove(draw: random.Random) -> Recipe:
    """Level 0: remove a file."""
    old, other = (f"{name}.{draw.choice(('txt', 'log', 'tmp'))}" for name in draw.sample(naming.NOUNS, 2))
    text = naming.words(draw, 8) + "\n"
    phrase = draw.choice(("Delete the file /app/{old}.", "Remove the file /app/{old}."))
    return Recipe(
        instruction=phrase.format(old=old),
        artifacts=("/app",),
        files={old: text, other: text},
        solve=f"rm /app/{old}",
        check="tree",
        expect=trees.tree("/app", {other: trees.file(text)}, absent=[old]),
        mutants=(
            Mutant("emptied", "it is still there", f": > /app/{old}"),
            Mutant("all", "others are gone too", "rm -f /app/*"),
            Mutant("wrong", "another one was deleted", f"mv /app/{other} /app/{old}"),
        ),
        alternatives=(Alternative("find", "with find", f"find /app -name {old} -delete"),),
        knobs={"variant": "remove"},
    )


def by_suffix(draw: random.Random) -> Recipe:
    """Level 1: two kinds of files move into folders of their own, the rest stays."""
    one, two = draw.sample(("jpg", "pdf", "csv", "mp3", "zip", "md"), 2)
    into_one, into_two = draw.sample(naming.FOLDERS, 2)
    names = [f"{noun}.{suffix}" for noun, suffix in zip(draw.sample(naming.NOUNS, 8), [one, two] * 4, strict=True)]
    files = {name: naming.words(draw, 5) + "\n" for name in names}
    files |= {f"{one}.txt": "stays\n", f"old.{two}.bak": "stays\n"}
    folder_of = {one: into_one, two: into_two}
    moved = {name: f"{folder_of[name[-3:].lstrip('.')]}/{name}" for name in names}
    solve = f"cd /app/inbox\nmkdir {into_one} {into_two}\nmv *.{one} {into_one}/\nmv *.{two} {into_two}/"
    return Recipe(
        instruction=(
            f"Tidy up the folder /app/inbox: move the `.{one}` files into the new folder /app/inbox/{into_one} and the "
            f"`.{two}` files into the new folder /app/inbox/{into_two}. Everything else stays where it is."
        ),
        artifacts=("/app/inbox",),
        files={f"inbox/{name}": text for name, text in files.items()},
        solve=solve,
        check="tree",
        expect=trees.tree(
            "/app/inbox",
            {moved.get(name, name): trees.file(text) for name, text in files.items()},
            exact=True,
            folders_exact=True,
        ),
        mutants=(
            Mutant("copied", "the old ones are still there", f"cd /app/inbox; cp {into_one}/* ."),
            Mutant("swapped", "into the wrong folders",
                   f"cd /app/inbox; mv {into_one} x; mv {into_two} {into_one}; mv x {into_two}"),
            Mutant("too_many", "the backup has moved too", f"cd /app/inbox; mv *.bak {into_two}/"),
        ),
        alternatives=(
            Alternative("find", "with find", f"cd /app/inbox; mkdir -p {into_one} {into_two}\n"
                        f"find . -maxdepth 1 -name '*.{one}' -exec mv -t {into_one} {{}} +\n"
                        f"find . -maxdepth 1 -name '*.{two}' -exec mv -t {into_two} {{}} +\n"),
        ),
    )  # fmt: skip


KINDS = {
    "images": ("jpg", "jpeg", "png", "gif"),
    "documents": ("pdf", "txt", "md", "docx"),
    "tables": ("csv", "tsv", "xlsx"),
    "archives": ("zip", "gz", "tar"),
}

BY_KIND = """
import os
import shutil

KINDS = %r
found = []
for folder, _, names in os.walk("/app/downloads"):
    found += [os.path.join(folder, name) for name in names]
found.sort(key=lambda path: os.fsencode(os.path.relpath(path, "/app/downloads")))
taken = set()
for path in found:
    name = os.path.basename(path)
    stem, dot, suffix = name.rpartition(".")
    kind = next((k for k, known in KINDS.items() if stem and suffix.lower() in known), "other")
    if not stem:
        stem, dot, suffix = name, "", ""
    number, target = 1, f"{kind}/{name}"
    while target in taken:
        number += 1
        target = f"{kind}/{stem}-{number}{dot}{suffix}"
    taken.add(target)
    os.makedirs(f"/app/sorted/{kind}", exist_ok=True)
    shutil.move(path, f"/app/sorted/{target}")
"""


def by_kind(draw: random.Random) -> Recipe:
    """Level 2: a download tree is sorted by kind; equal names get numbers."""
    suffixes = [suffix for known in KINDS.values() for suffix in known]
    folders = ["", *(f"{name}/" for name in draw.sample(naming.FOLDERS, 3))]
    folders.append(folders[1] + "old stuff/")
    nouns = draw.sample(naming.NOUNS, 5)
    paths = {f"{draw.choice(folders)}{draw.choice(nouns)}.{draw.choice(suffixes)}" for _ in range(14)}
    same, other = f"{nouns[0]}.{draw.choice(suffixes)}", f"{nouns[1]}.PDF"
    paths |= {f"{folder}{same}" for folder in folders[:4]} | {f"{folders[2]}{other}", f"{folders[3]}{other}"}
    paths |= {f"{folders[1]}README", f"{folders[4]}README", ".hidden", f"{folders[2]}.txt", f"{nouns[2]}.tar.gz",
              f"{folders[3]}{nouns[2]}.tar.gz", f"{nouns[3]}.xyz", f"{folders[4]}notes of May.TXT"}  # fmt: skip
    stem, _, suffix = same.rpartition(".")
    paths.add(f"zz/{stem}-2.{suffix}")
    files = {path: naming.words(draw, 6) + f" ({path})\n" for path in sorted(paths)}
    want: dict[str, str] = {}
    for path in sorted(files, key=str.encode):
        want[sorted_place(path, want)] = files[path]
    program = BY_KIND % (KINDS,)
    reset = "rm -rf /app/sorted /app/downloads; cp -r /app/.copy /app/downloads\n"
    kinds = "\n".join(f"  - `{kind}`: {', '.join(known)}" for kind, known in KINDS.items())
    return Recipe(
        instruction=f"""
Sort the files of the tree /app/downloads into /app/sorted, which is new. Every file moves into one of these folders of
/app/sorted, by the suffix of its name (what follows the last dot, in any case):

{kinds}
  - `other`: everything else, also names without a dot and names whose only dot is the first character

File names stay as they are. When a name is already taken in its new folder, `-2` is put before the last dot (at the end
of a name without a dot, or whose only dot is the first character), or `-3` when that is taken too, and so on. For that,
take the files in the byte order of their paths below /app/downloads (as `LC_ALL=C sort` does).

Folders of /app/sorted that would be empty are not made. Afterwards no file is left in /app/downloads (empty folders
do not matter). Only /app/sorted is graded.
""",
        artifacts=("/app/sorted",),
        files={f"downloads/{path}": text for path, text in files.items()},
        solve="cp -r /app/downloads /app/.copy\n" + python(program),
        check="tree",
        expect=trees.tree(
            "/app/sorted", {path: trees.file(text) for path, text in want.items()}, exact=True, folders_exact=True
        ),
        mutants=(
            Mutant("overwritten", "equal names overwrite each other",
                   reset + python(swap(program, "while target in taken:", "while False:"))),
            Mutant("case", "PDF is not pdf", reset + python(swap(program, "suffix.lower()", "suffix"))),
            Mutant("walk_order", "order of names only", reset + python(swap(
                program, 'os.path.relpath(path, "/app/downloads")', "os.path.basename(path) + path[::-1]"))),
            Mutant("number_at_end", "the number is at the end",
                   reset + python(swap(program, "{stem}-{number}{dot}{suffix}", "{stem}{dot}{suffix}-{number}"))),
        ),
    )  # fmt: skip


def sorted_place(path: str, taken: dict[str, str]) -> str:
    """Where by_kind wants the file at `path`."""
    name = path.rpartition("/")[2]
    base, dot, suffix = (name, "", "") if "." not in name[1:] else name.rpartition(".")
    kind = next((kind for kind, known in KINDS.items() if dot and suffix.lower() in known), "other")
    names = [name, *(f"{base}-{number}{dot}{suffix}" for number in range(2, 99))]
    return next(f"{kind}/{name}" for name in names if f"{kind}/{name}" not in taken)


BY_MONTH = """
import hashlib
import os
import re

SOURCE, TARGET = "/app/scans", "/app/archive"
os.makedirs(TARGET)
paths = []
for folder, _, names in os.walk(SOURCE):
    paths += [os.path.relpath(os.path.join(folder, name), SOURCE) for name in names]
seen, log = {}, []
for path in sorted(paths, key=os.fsencode):
    with open(os.path.join(SOURCE, path), "rb") as file:
        data = file.read()
    if not data:
        log.append((path, "empty"))
        continue
    digest = hashlib.sha256(data).hexdigest()
    if digest in seen:
        log.append((path, "duplicate " + seen[digest]))
        continue
    name = os.path.basename(path).lower().replace(" ", "_")
    match = re.search(r"(?<![0-9])(20[0-9][0-9])-?([01][0-9])-?([0-3][0-9])(?![0-9])", name)
    if match and 1 <= int(match[2]) <= 12 and 1 <= int(match[3]) <= 31:
        target = f"{match[1]}/{match[2]}/{name}"
    else:
        target = f"undated/{name}"
    stem, suffix = os.path.splitext(target)
    number = 1
    while os.path.exists(os.path.join(TARGET, target)):
        number += 1
        target = f"{stem}_{number}{suffix}"
    seen[digest] = target
    os.makedirs(os.path.dirname(os.path.join(TARGET, target)), exist_ok=True)
    with open(os.path.join(TARGET, target), "wb") as file:
        file.write(data)
with open(os.path.join(TARGET, "skipped.tsv"), "w", encoding="utf-8") as file:
    for path, why in log:
        file.write(f"{path}\\t{why}\\n")
"""


def by_month(draw: random.Random) -> Recipe:
    """Level 3: scans are filed by the date in their names, duplicates and empty files are listed."""
    folders = [f"{name}/" for name in draw.sample(naming.FOLDERS, 3)] + [""]
    nouns = draw.sample(naming.NOUNS, 6)
    days = [naming.day(draw) for _ in range(6)]
    text = [naming.words(draw, 8) + "\n" for _ in range(20)]
    a, b, c, d, e, f = nouns
    files = {
        f"{folders[0]}{a.capitalize()} {days[0]}.pdf": text[0],
        f"{folders[1]}{a} {days[0]}.PDF": text[1],
        f"{folders[2]}{a}_{days[0]}.pdf": text[2],
        f"{folders[1]}{b}-{days[1].replace('-', '')}.png": text[3],
        f"{folders[0]}copy of {b}-{days[1].replace('-', '')}.png": text[3],
        f"{folders[2]}{c}.txt": text[4],
        f"{folders[0]}{c}.TXT": text[5],
        f"{c} 20201315.txt": text[6],
        f"{folders[1]}{d} 120190401.csv": text[7],
        f"{folders[2]}{d} {days[2]} {days[3]}.csv": text[8],
        f"{folders[1]}{days[4]}": text[9],
        f"{folders[0]}{e}.log": "",
        f"{folders[2]}{e} {days[5]}.log": "",
        f"{folders[2]}deep/er/{f}.{days[5]}.tar.gz": text[10],
        f"{folders[1]}{f}.txt": text[4],
        f"{folders[0]}{a.capitalize()}_{days[0]}_2.pdf": text[11],
    }
    want, skipped = filed(files)
    again = "rm -rf /app/archive\n"
    return Recipe(
        instruction="""
File the scans in /app/scans (a tree) in the new folder /app/archive. Take the files in the byte order of their paths
below /app/scans, and for each:

- An empty file is skipped. So is a file with the same content as one filed before.
- Its new name is its base name in lower case (ASCII letters only occur), each blank replaced by `_`.
- A date in the new name is YYYY-MM-DD or YYYYMMDD (each of the two dashes may be missing), years 2000 to 2099, month 01
  to 12, day 01 to 31, with no digit directly before or after it. The first place in the name where the digits have
  this shape (20dd, then a month digit 0 or 1 and another digit, then a day digit 0 to 3 and another digit) decides: if
  month or day is out of range there, the name has no date. With a date the file goes to /app/archive/YYYY/MM/, without
  one to /app/archive/undated/.
- If that path is taken, `_2` is put before the suffix (the last dot and what follows it; at the end when the name has
  no dot), else `_3`, and so on.

Write /app/archive/skipped.tsv with a line for each skipped file, in the order in which they were met: its path below
/app/scans, a tab, and the word `empty`, or `duplicate`, a blank and the path below /app/archive of the file that has
its content. Each line ends with a newline. Nothing else is in /app/archive; /app/scans is not graded.
""",
        artifacts=("/app/archive",),
        files={f"scans/{path}": content for path, content in files.items()},
        solve=python(BY_MONTH),
        check="tree",
        expect=trees.tree(
            "/app/archive",
            {path: trees.file(content) for path, content in want.items()} | {"skipped.tsv": trees.file(skipped)},
            exact=True,
            folders_exact=True,
        ),
        mutants=(
            Mutant("duplicates_filed", "equal contents are filed twice",
                   again + python(swap(BY_MONTH, "if digest in seen:", "if False:"))),
            Mutant("digits_around", "longer numbers count as dates",
                   again + python(swap(BY_MONTH, "(?<![0-9])", ""))),
            Mutant("range", "month 13 is a month", again + python(swap(BY_MONTH, "1 <= int(match[2]) <= 12 and ", ""))),
            Mutant("case_kept", "names keep their capitals", again + python(swap(BY_MONTH, ".lower()", ""))),
        ),
    )  # fmt: skip


def filed(files: dict[str, str]) -> tuple[dict[str, str], str]:
    """What by_month wants: the archive, and the text of skipped.tsv."""
    archive: dict[str, str] = {}
    skipped = []
    for path in sorted(files, key=str.encode):
        content = files[path]
        same = next((place for place, text in archive.items() if text == content), None)
        if not content or same is not None:
            skipped.append(f"{path}\t{'duplicate ' + same if same is not None else 'empty'}\n")
            continue
        name = path.rpartition("/")[2].lower().replace(" ", "_")
        base, dot, suffix = name.rpartition(".") if "." in name else (name, "", "")
        names = [name, *(f"{base}_{number}{dot}{suffix}" for number in range(2, 99))]
        folder = month_of(name)
        archive[next(f"{folder}/{n}" for n in names if f"{folder}/{n}" not in archive)] = content
    return archive, "".join(skipped)


def month_of(name: str) -> str:
    """YYYY/MM of the first date in `name`, else undated; looked for character by character."""
    for start in range(len(name)):
        for width, dashes in ((8, ()), (10, (4, 7)), (9, (4,)), (9, (6,))):
            piece, around = name[start : start + width], name[max(start - 1, 0) : start] + name[start + width :][:1]
            digits = piece.replace("-", "")
            if len(piece) != width or any(piece[place] != "-" for place in dashes) or len(digits) != 8:
                continue
            shaped = digits.isdigit() and digits[:2] == "20" and digits[4] in "01" and digits[6] in "0123"
            if not shaped or any(letter.isdigit() for letter in around):
                continue
            good = 1 <= int(digits[4:6]) <= 12 and 1 <= int(digits[6:]) <= 31
            return f"{digits[:4]}/{digits[4:6]}" if good else "undated"
    return "undated"


FAMILY = SweFamily.of(ID, "Tidying up", ("files", "shell"), make)
