"""Level 4 of encoding_fix: a program that detects encodings and undoes mojibake, run on hidden folders."""

from __future__ import annotations

import codecs
import random
import re
from collections.abc import Mapping

from envwheel.api import Alternative
from envwheel_swe import naming
from envwheel_swe.cases import case, program
from envwheel_swe.families.encoding_texts import (
    EURO,
    GREEK,
    POLISH,
    QUOTED,
    RUSSIAN,
    W1252,
    WESTERN,
    lines,
    misread,
    undo,
)
from envwheel_swe.family import Fault, Recipe, mutated, swap, write_file
from envwheel_swe.repair import instruction
from envwheel_swe.repair import program as program_files

FAMILY = "encoding_fix"
NAMES = ("fix_text", "clean_text", "to_utf8", "repair_text", "plain_text")
FAULTS: tuple[Fault, ...] = (
    ("strict_1252", "the five undefined bytes are forgotten",
     "        BYTES[chr(number)] = number\n", "        BYTES['?%d' % number] = number\n"),
    ("once", "mojibake is undone only once", "        run = before\n", "        return before\n"),
    ("by_character_lines", "lines end where str.splitlines says",
     '"\\n".join(map(line_text, data.removeprefix(codecs.BOM_UTF8).split(b"\\n")))',
     '"\\n".join(map(line_text, (data.removeprefix(codecs.BOM_UTF8) + b"|").splitlines()))[:-1]'),
    ("every_mark", "U+FEFF is left out everywhere",
     "data.removeprefix(codecs.BOM_UTF8)", 'data.replace(codecs.BOM_UTF8, b"")'),
)  # fmt: skip


def clean(data: bytes) -> bytes:
    """What the program must make of a file."""
    if data[:2] in (codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE):
        try:
            text = data.decode("utf-16")
        except UnicodeDecodeError:
            return data
    elif 0 in data:
        return data
    else:
        start = 3 if data.startswith(codecs.BOM_UTF8) else 0
        text = "".join(map(_line, re.findall(rb"[^\n]*\n|[^\n]+", data[start:])))
    return "".join(_run(run) for run in re.findall("[\0-\x7f]+|[^\0-\x7f]+", text)).encode()


def _line(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return "".join(W1252[byte] for byte in line)


def _run(run: str) -> str:
    while (before := undo(run)) is not None:
        run = before
    return run


def folder(draw: random.Random) -> dict[str, bytes]:
    """A folder in which every rule of the instruction matters."""
    raw = [sentence.encode("cp1252") + b"\r\n" for sentence in draw.sample(QUOTED + EURO + WESTERN, 3)]
    good = [lines(draw, sentences, 2).encode() for sentences in (POLISH, GREEK, RUSSIAN)]
    bad = [misread(lines(draw, WESTERN + EURO + QUOTED, 2)).encode() for _ in range(3)]
    twice = misread(misread(lines(draw, RUSSIAN + WESTERN, 2))).encode()
    mixed = [*raw, *good, *bad, twice]
    draw.shuffle(mixed)
    wide = lines(draw, CAPITALS + GREEK, 3) + misread(draw.choice(WESTERN))
    places = [draw.choice(("", "a/", "a/b c/", "é/")) + name for name in draw.sample(naming.NOUNS, 14)]
    contents = (
        b"".join(mixed),
        b"".join(mixed).rstrip(b"\r\n"),
        misread(lines(draw, CAPITALS, 3, "\r\n")).encode(),
        codecs.BOM_UTF8 + good[0] + b"zero\xef\xbb\xbfwidth\n",
        codecs.BOM_UTF16_LE + wide.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + wide.encode("utf-16-be"),
        codecs.BOM_UTF16_LE + b"a\0b\0\0\xd8c\0",
        codecs.BOM_UTF16_BE + b"\0a\0",
        bad[0] + b"\0" + raw[0],
        b"Gr\xf6\xdfe, but also caf\xc3\xa9 \x81 \x9d\n" + "next\x85line \u2028 caf\u00e9\n".encode(),
        b"form\x0cfeed \x1c and \x85 three dots\r\r\n\n" + raw[1] + "\u2028\n".encode(),
        good[2] + "M\u00fcller \u00e9\u00c3\u00a9 Caf\u00c3\u00a9, na\u00efve, S\u00c3O\n".encode(),
        b"",
        b"plain\r\nASCII",
    )
    return dict(zip(places, contents, strict=True))


CAPITALS = ("ÁRBOL ÍNDICE ÝMIR", "À la carte, Ï", "Анна")


def run_of(id: str, files: Mapping[str, bytes], source: str = "in", target: str = "out") -> dict[str, object]:
    """A hidden run on a folder with `files`: what lies there afterwards, and what is printed."""
    given = {f"{source}/{path}": data for path, data in files.items()}
    made = {f"{target}/{path}": clean(data) for path, data in files.items()}
    changed = sorted(path.encode() for path, data in files.items() if clean(data) != data)
    out = "".join(f"{path.decode()}\n" for path in changed)
    return case(id, [source, target], files=given, after=given | made, out=out, only=True)


def refused(id: str, *args: str) -> dict[str, object]:
    """A hidden run that must write nothing."""
    given = {"in/a.txt": b"caf\xe9\n", "there/b.txt": b"b\n"}
    return case(id, args, files=given, after=given, out="", code=2, only=True)


def program_of_repair(draw: random.Random) -> Recipe:
    """Level 4: the program itself."""
    name = draw.choice(NAMES)
    artifact = f"/app/{name}.py"
    text = next(iter(program_files(FAMILY, {"fix_text": name}).values()))
    sample = {f"sample/{path}": data for path, data in list(folder(draw).items())[2:6]}
    bulk = {f"{number}/x.txt": data for number, data in enumerate(folder(draw).values())}
    cases = [
        *(run_of(f"folder {number}", folder(draw)) for number in range(3)),
        run_of("blanks in names", folder(draw), "my files/x y", "new ones"),
        run_of("many folders", bulk),
        run_of("nothing to change", {"a.txt": b"ok\n", "b": "caf\u00e9\n".encode()}),
        refused("no folder", "nowhere", "out"),
        refused("a file", "in/a.txt", "out"),
        refused("target exists", "in", "there"),
        refused("target is a file", "in", "there/b.txt"),
        refused("one argument", "in"),
        refused("three arguments", "in", "out", "more"),
    ]
    other = swap(text, "os.walk(source)", "os.walk(source, topdown=False)")
    return Recipe(
        instruction=instruction(FAMILY, "4", {"zzprogram": name}),
        artifacts=(artifact,),
        files=sample,
        solve=write_file(artifact, text),
        check="program",
        expect=program(artifact, cases),
        mutants=mutated(text, lambda broken: write_file(artifact, broken), FAULTS),
        alternatives=(Alternative("bottom_up", "goes through the folders bottom up", write_file(artifact, other)),),
        skills=("text", "shell"),
        knobs={"program": name},
    )
