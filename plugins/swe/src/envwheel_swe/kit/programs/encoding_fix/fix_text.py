"""Writes the files of a folder again as clean UTF-8: fix_text.py SOURCE TARGET."""

import codecs
import os
import re
import sys

BYTES = {}
for number in range(256):
    try:
        BYTES[bytes([number]).decode("cp1252")] = number
    except UnicodeDecodeError:
        BYTES[chr(number)] = number
CHARACTERS = {number: character for character, number in BYTES.items()}


def line_text(line):
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(CHARACTERS[byte] for byte in line)


def file_text(data):
    """The text of a file; None for one that is copied."""
    for mark, name in ((codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF16_LE, "utf-16-le")):
        if data.startswith(mark):
            try:
                return data[2:].decode(name)
            except UnicodeDecodeError:
                return None
    if b"\0" in data:
        return None
    return "\n".join(map(line_text, data.removeprefix(codecs.BOM_UTF8).split(b"\n")))


def undone(match):
    run = match[0]
    while True:
        try:
            before = bytes(BYTES[character] for character in run).decode("utf-8")
        except (KeyError, UnicodeDecodeError):
            return run
        run = before


def cleaned(data):
    text = file_text(data)
    return data if text is None else re.sub("[^\0-\x7f]+", undone, text).encode("utf-8")


def main():
    if len(sys.argv) != 3 or not os.path.isdir(sys.argv[1]) or os.path.lexists(sys.argv[2]):
        print("usage: fix_text.py SOURCE TARGET, where TARGET is new", file=sys.stderr)
        return 2
    source, target = map(os.fsencode, sys.argv[1:])
    changed = []
    os.makedirs(target)
    for folder, _, names in os.walk(source):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), source)
            with open(os.path.join(source, path), "rb") as file:
                data = file.read()
            clean = cleaned(data)
            os.makedirs(os.path.dirname(os.path.join(target, path)), exist_ok=True)
            with open(os.path.join(target, path), "wb") as file:
                file.write(clean)
            if clean != data:
                changed.append(path)
    sys.stdout.buffer.write(b"".join(path + b"\n" for path in sorted(changed)))
    return 0


sys.exit(main())
