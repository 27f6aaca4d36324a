"""Text encodings: from one Latin-1 file to a program that finds and undoes mojibake."""

from __future__ import annotations

import codecs
import csv
import io
import random

from envwheel.api import Alternative, Mutant
from envwheel_swe import naming, trees
from envwheel_swe.cases import encoded
from envwheel_swe.families.encoding_fix_program import program_of_repair
from envwheel_swe.families.encoding_texts import (
    EURO,
    GREEK,
    POLISH,
    QUOTED,
    RUSSIAN,
    SENTENCES,
    WESTERN,
    lines,
    misread,
    put,
    undo,
)
from envwheel_swe.family import Recipe, SweFamily, python, swap
from envwheel_swe.repair import instruction

ID = "encoding_fix"


def make(level: int, seed: int) -> Recipe:
    """One environment of this family."""
    draw = naming.rng(ID, level, seed)
    if level == 0:
        return one_file(draw, in_place=seed % 2 == 1)
    return (line_ends, manifest, mojibake, program_of_repair)[level - 1](draw)


def one_file(draw: random.Random, in_place: bool) -> Recipe:
    """Level 0: one Latin-1 file becomes UTF-8."""
    old, new = (f"{name}.txt" for name in draw.sample(naming.NOUNS, 2))
    new = old if in_place else new
    text = lines(draw, WESTERN, draw.randint(2, 4))
    data, want = text.encode("latin-1"), text.encode()
    asked = (
        f"The file /app/{old} is encoded in ISO-8859-1. Convert it to UTF-8, in place."
        if in_place
        else f"The file /app/{old} is encoded in ISO-8859-1. Write it in UTF-8 to /app/{new}."
    )
    to = f"/tmp/{new}\nmv /tmp/{new} /app/{new}" if in_place else f"/app/{new}"
    other = (
        f"from pathlib import Path\nPath('/app/{new}').write_bytes(Path('/app/{old}').read_text('latin-1').encode())"
    )
    return Recipe(
        instruction=asked,
        artifacts=(f"/app/{new}",),
        files={old: data},
        solve=f"iconv -f ISO-8859-1 -t UTF-8 /app/{old} > {to}",
        check="outputs",
        expect={"outputs": {f"/app/{new}": {"as": "bytes", "value": encoded(want)}}},
        mutants=(
            Mutant("unchanged", "still ISO-8859-1", put({f"/app/{new}": data})),
            Mutant("twice", "converted twice", put({f"/app/{new}": want.decode("latin-1").encode()})),
            Mutant("dropped", "letters are left out", put({f"/app/{new}": text.encode("ascii", "ignore")})),
        ),
        alternatives=(Alternative("python", "converted by Python", python(other)),),
        knobs={"variant": "in_place" if in_place else "new_file"},
    )


def line_ends(draw: random.Random) -> Recipe:
    """Level 1: byte order marks and CRLF go, and nothing else does."""
    root, sub = draw.sample(naming.FOLDERS, 2)
    bom = codecs.BOM_UTF8
    names = [f"{noun}.txt" for noun in draw.sample(naming.NOUNS, 6)]
    dos = [lines(draw, WESTERN + POLISH, draw.randint(3, 6), "\r\n").encode() for _ in range(3)]
    unix = lines(draw, RUSSIAN, 3)
    files = {
        names[0]: bom + dos[0],
        f"{sub}/{names[1]}": dos[1].rstrip(),
        f"{sub}/{names[2]}": bom + unix.encode(),
        names[3]: unix.encode() + "zero\ufeffwidth\n".encode(),
        names[4]: b"progress 10 %\rprogress 90 %\rdone\r\n" + dos[2],
        f"{sub}/{names[5]}": b"",
        f"{sub}/logo.dat": bom + b"\r\n\x00\x01\r\n\xff",
        "upload.csv": bom + b"id;name\r\n1;" + "Zoë".encode() + b"\r\n",
    }
    want = {
        path: data.removeprefix(bom).replace(b"\r\n", b"\n") if path.endswith(".txt") else data
        for path, data in files.items()
    }
    solve = f"find /app/{root} -name '*.txt' -exec sed -i -e '1s/^\\xEF\\xBB\\xBF//' -e 's/\\r$//' {{}} +"
    other = f"""
from pathlib import Path
for path in Path("/app/{root}").rglob("*.txt"):
    path.write_bytes(path.read_bytes().removeprefix(b"\\xef\\xbb\\xbf").replace(b"\\r\\n", b"\\n"))
"""
    again = put({f"/app/{root}/{path}": data for path, data in files.items()})
    return Recipe(
        instruction=(
            f"The text files in /app/{root} and in its subfolders, that is all files whose name ends in `.txt`, are "
            "UTF-8, but they come from several systems. Change them in place: a byte order mark at the very beginning "
            "of a file goes, and every line end CR LF becomes LF. A CR that is not followed by LF stays, and so does "
            "U+FEFF anywhere but at the beginning. All other files there stay as they are, and none is added."
        ),
        artifacts=(f"/app/{root}",),
        files={f"{root}/{path}": data for path, data in files.items()},
        solve=solve,
        check="tree",
        expect=trees.tree(f"/app/{root}", {path: trees.file(data) for path, data in want.items()}, exact=True),
        mutants=(
            Mutant("top_only", "subfolders are left out", again + swap(solve, " -name", " -maxdepth 1 -name")),
            Mutant("every_cr", "lone CRs are lost", again + swap(solve, "s/\\r$//", "s/\\r//g")),
            Mutant("every_file", "other files are changed", again + swap(solve, "-name '*.txt'", "-type f")),
            Mutant("marks_kept", "byte order marks stay", again + swap(solve, "-e '1s/^\\xEF\\xBB\\xBF//' ", "")),
        ),
        alternatives=(Alternative("python", "bytes replaced by Python", python(other)),),
    )


CONVERT = """
import csv
from pathlib import Path

inbox, outbox = Path("/app/inbox"), Path("/app/outbox")
rejected = []
outbox.mkdir(exist_ok=True)
with open(inbox / "manifest.csv", encoding="ascii", newline="") as file:
    for row in csv.DictReader(file):
        source, target = inbox / row["file"], outbox / row["file"]
        try:
            text = source.read_bytes().decode(row["encoding"], "strict")
        except (OSError, UnicodeDecodeError):
            rejected.append(row["file"])
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.removeprefix("\\ufeff").encode())
(outbox / "rejected.txt").write_text("".join(name + "\\n" for name in sorted(rejected)))
"""


def manifest(draw: random.Random) -> Recipe:
    """Level 2: a folder of files whose encodings a manifest tells, some of them wrongly."""
    names = draw.sample(naming.NOUNS, 13)
    places = [draw.choice(("", "north/", "south/")) + name + ".txt" for name in names]
    texts = {code: lines(draw, sentences, draw.randint(3, 6)) for code, sentences in SENTENCES.items()}
    codes = list(texts)
    draw.shuffle(codes)
    pairs = list(zip(places, codes, strict=False))
    files = {path: texts[code].encode(code) for path, code in pairs}
    marked = lines(draw, GREEK, 3)
    files[places[10]] = codecs.BOM_UTF8 + marked.encode()
    broken = {places[11]: texts["ISO-8859-1"].encode("latin-1"), places[12]: b"Gr\xf6\xdfe \x81 unklar\r\n"}
    rows = [*pairs, (places[10], "UTF-8"), (places[11], "UTF-8"), (places[12], "WINDOWS-1252"), ("lost.txt", "UTF-8")]
    draw.shuffle(rows)
    table = io.StringIO()
    csv.writer(table, lineterminator="\n").writerows([("file", "encoding"), *rows])
    want = {path: texts[code].encode() for path, code in pairs} | {places[10]: marked.encode()}
    rejected = "".join(f"{path}\n" for path in sorted([*broken, "lost.txt"]))
    want["rejected.txt"] = rejected.encode()
    guess = swap(CONVERT, 'row["encoding"], "strict"', '"latin-1" if row["encoding"].startswith("ISO") else "utf-8"')
    inbox = {**files, **broken, "manifest.csv": table.getvalue().encode(), "south/draft.txt": "Übrig\n".encode()}
    fresh = "rm -rf /app/outbox\n"
    return Recipe(
        instruction=(
            "/app/inbox holds text files in several encodings. /app/inbox/manifest.csv (header `file,encoding`) tells "
            "for each file, by its path relative to /app/inbox, in which encoding it is. Write each of them in UTF-8 "
            "to /app/outbox under the same relative path (/app/outbox is to be made, with the subfolders that are "
            "needed). The text must not change: line ends stay as they are; only a byte order mark at the beginning "
            "of a file is no part of its text and is not written.\n\n"
            "A file that is in the manifest but not in the folder, or whose bytes are not valid in the encoding that "
            "the manifest tells, is rejected: it is not written to /app/outbox at all. Write the paths of all rejected "
            "files, as the manifest has them, to /app/outbox/rejected.txt, one on each line, sorted by their bytes. "
            "Files that are not in the manifest are left out. /app/outbox holds nothing else."
        ),
        artifacts=("/app/outbox",),
        files={f"inbox/{path}": data for path, data in inbox.items()},
        solve=python(CONVERT),
        check="tree",
        expect=trees.tree("/app/outbox", {path: trees.file(data) for path, data in want.items()}, exact=True),
        mutants=(
            Mutant("replaced", "broken files are converted with replacement characters",
                   fresh + python(swap(CONVERT, '"strict"', '"replace"'))),
            Mutant("mark_kept", "a byte order mark is written",
                   fresh + python(swap(CONVERT, '.removeprefix("\\ufeff")', ""))),
            Mutant("one_family", "every ISO encoding is taken for ISO-8859-1", fresh + python(guess)),
            Mutant("listed_order", "rejected files in the manifest's order",
                   "cd /app/outbox; sort -r rejected.txt > x; mv x rejected.txt"),
        ),
        alternatives=(Alternative("iconv", "with iconv and a loop of the shell", fresh + ICONV),),
    )  # fmt: skip


ICONV = r"""cd /app/inbox
mkdir -p /app/outbox
tail -n +2 manifest.csv | while IFS=, read -r file code; do
  mkdir -p "/app/outbox/$(dirname "$file")"
  if [ -f "$file" ] && iconv -f "$code" -t UTF-8 "$file" > /tmp/converted; then
    sed '1s/^\xEF\xBB\xBF//' /tmp/converted > "/app/outbox/$file"
  else
    echo "$file"
  fi
done | LC_ALL=C sort > /tmp/rejected
mv /tmp/rejected /app/outbox/rejected.txt
"""

REPAIR = """
from pathlib import Path

folder = Path("/app/articles")
byte = {}
for number in range(256):
    try:
        byte[bytes([number]).decode("cp1252")] = number
    except UnicodeDecodeError:
        byte[chr(number)] = number
repaired = []
for path in sorted(folder.glob("*.txt")):
    before = text = path.read_bytes().decode()
    while not text.isascii():
        try:
            text = bytes(byte[character] for character in text).decode()
        except (KeyError, UnicodeDecodeError):
            break
    if text != before:
        path.write_bytes(text.encode())
        repaired.append(path.name)
Path("/app/repaired.txt").write_text("".join(name + "\\n" for name in repaired))
"""


def mojibake(draw: random.Random) -> Recipe:
    """Level 3: files that were misread once or more become what they were; the others stay, byte by byte."""
    names = [f"{name}.txt" for name in sorted(draw.sample(naming.NOUNS, 13))]
    draw.shuffle(names)
    capitals = "ÁRBOL, ÍNDICE, ÝMIR\n"
    western = lines(draw, WESTERN, 4)
    damaged = {
        names[0]: misread(western + capitals),
        names[1]: misread(misread(lines(draw, QUOTED + EURO, 4))),
        names[2]: misread(lines(draw, RUSSIAN, 5, "\r\n")),
        names[3]: misread(misread(misread(capitals + lines(draw, POLISH, 2)))),
        names[4]: misread("Preis: 5 €\n" + lines(draw, GREEK, 3).rstrip()),
        names[5]: misread(lines(draw, WESTERN + POLISH, 6)),
    }
    sound = {
        names[6]: "Die Seite zeigt „GrÃ¶ÃŸe“ statt „Größe“.\n" + western,
        names[7]: "SÃO PAULO, MAÇÃ, ÂNGULO\n",
        names[8]: lines(draw, WESTERN, 4, "\r\n") + "no line end",
        names[9]: "plain ASCII text\r\nwith two line ends\n",
        names[10]: lines(draw, RUSSIAN + GREEK, 4),
        names[11]: "© 2019 Â© twice, naïve\n",
        names[12]: "",
    }
    want = dict(sound)
    for path, text in damaged.items():
        while (before := undo(text)) is not None:
            text = before
        want[path] = text
    if any(undo(text) is not None for text in sound.values()):
        raise ValueError("a sound file looks damaged")
    files = {path: text.encode() for path, text in (damaged | sound).items()}
    again = put({f"/app/articles/{path}": data for path, data in files.items()})
    entries = {f"articles/{path}": trees.file(text) for path, text in want.items()}
    entries["repaired.txt"] = trees.file("".join(f"{path}\n" for path in sorted(damaged)))
    strict = swap(REPAIR, "        byte[chr(number)] = number\n", "        pass\n")
    by_line = swap(
        REPAIR,
        "            text = bytes(byte[character] for character in text).decode()\n",
        "            text = ''.join(undone(line) for line in text.split('\\n')[:-1]) + text.split('\\n')[-1]\n",
    )
    by_line = (
        "def undone(line):\n    try:\n        return bytes(byte[c] for c in line).decode() + '\\n'\n"
        + ("    except (KeyError, UnicodeDecodeError):\n        return line + '\\n'\n")
        + swap(by_line, "    while not text.isascii():", "    for _ in range(4):")
    )
    return Recipe(
        instruction=instruction(ID, "3"),
        artifacts=("/app/articles", "/app/repaired.txt"),
        files={f"articles/{path}": data for path, data in files.items()},
        solve=python(REPAIR),
        check="tree",
        expect=trees.tree("/app", entries, exact=True),
        mutants=(
            Mutant("once", "undone once only", again + python(swap(REPAIR, "while not text", "if not text").replace(
                "            break", "            pass"))),
            Mutant("strict", "five bytes are forgotten", again + python(strict)),
            Mutant("by_line", "sound files are repaired line by line", again + python(by_line)),
            Mutant("line_ends", "line ends are changed", "sed -i 's/\\r$//' /app/articles/*.txt"),
        ),
        alternatives=(Alternative("by_script", "each file's right bytes, whatever the way",
                                  put({f"/app/{p}": d for p, d in _result(want, sorted(damaged)).items()})),),
    )  # fmt: skip


def _result(want: dict[str, str], damaged: list[str]) -> dict[str, bytes]:
    files = {f"articles/{path}": text.encode() for path, text in want.items()}
    return files | {"repaired.txt": "".join(f"{path}\n" for path in damaged).encode()}


FAMILY = SweFamily.of(ID, "Text encodings", ("text", "files"), make)
