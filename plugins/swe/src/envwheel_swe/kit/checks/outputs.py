"""Judges files that the solver wrote.

expect.json: {"outputs": {path: {"as": "text" | "number" | "json" | "toml" | "bytes", "value": ...}}}. "text": equal but
for blanks at line ends and empty lines at the end. "number": the file's first word is that number, and nothing follows
but perhaps `names`. "json", "toml": equal as data. "bytes": equal byte for byte (value in base64).
"""

import base64
import json
import sys
import tomllib

sys.path.insert(0, "/tests/kit")
import grade

with open("/tests/expect.json", encoding="utf-8") as source:
    EXPECT = json.load(source)
READERS = {"json": json.loads, "toml": tomllib.loads}


def lines(text):
    return [line.rstrip() for line in text.rstrip().splitlines()]


def typed(value):
    """JSON with its types in sight, so that true is not 1 and 1.0 is not 1."""
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    return (type(value).__name__, value)


def right(path, wanted):
    if wanted["as"] == "bytes":
        if not grade.plain_file(path):
            return False
        with open(path, "rb") as file:
            return file.read() == base64.b64decode(wanted["value"])
    text = grade.read_text(path)
    if text is None:
        return False
    if wanted["as"] == "number":
        words = text.split()
        return bool(words) and words[0] == str(wanted["value"]) and all(w in wanted.get("names", []) for w in words[1:])
    if wanted["as"] in READERS:
        try:
            return typed(READERS[wanted["as"]](text)) == typed(wanted["value"])
        except (ValueError, RecursionError):
            return False
    return lines(text) == lines(wanted["value"])


def main():
    g = grade.Grade()
    for path, wanted in sorted(EXPECT["outputs"].items()):
        g.check("output:" + path, right(path, wanted), f"{path} is not what was asked for")
    g.finish()


main()
