"""Level 4 of the configuration family: a program that resolves includes, references and overrides."""

from __future__ import annotations

import json
import random
from typing import Any

from envwheel_swe import cases, naming
from envwheel_swe.family import Recipe, mutated, write_file

PATH = "/app/resolve.py"

RESOLVER = r"""
import json
import os
import re
import sys


class Wrong(Exception):
    pass


def read(path, above, result):
    if path in above:
        raise Wrong(f"include cycle: {path}")
    section = None
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
    except FileNotFoundError:
        raise Wrong(f"missing file: {path}")
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"\[([a-z][a-z0-9_.]*)\]", line)
        if match:
            section = match[1]
            continue
        match = re.fullmatch(r"include\s+(\S.*)", line)
        if match:
            read(os.path.normpath(os.path.join(os.path.dirname(path), match[1])), [*above, path], result)
            continue
        match = re.fullmatch(r"([a-z][a-z0-9_]*)\s*(\?=|=)\s*(.*)", line)
        if not match or section is None:
            raise Wrong(f"{path}:{number}: cannot read this line")
        key = f"{section}.{match[1]}"
        if match[2] == "=" or key not in result:
            result[key] = match[3]


def resolve(key, raw, done, running):
    if key in done:
        return done[key]
    if key in running:
        raise Wrong(f"reference cycle: {min(running[running.index(key):])}")

    def value(match):
        if match[0] == "$$":
            return "$"
        name, _, default = match[1].partition(":")
        if name not in raw:
            if ":" in match[1]:
                return default
            raise Wrong(f"{key}: unknown reference {name}")
        return resolve(name, raw, done, [*running, key])

    done[key] = re.sub(r"\$\$|\$\{([^}]*)\}", value, raw[key])
    return done[key]


def main():
    raw = {}
    read(os.path.normpath(sys.argv[1]), [], raw)
    for text in sys.argv[2:]:
        key, _, value = text.partition("=")
        if key not in raw:
            raise Wrong(f"unknown override: {key}")
        raw[key] = value
    done = {}
    for key in sorted(raw):
        resolve(key, raw, done, [])
    tree = {}
    for key in sorted(done):
        section, _, name = key.rpartition(".")
        value = done[key]
        if value in ("on", "off"):
            value = value == "on"
        elif re.fullmatch(r"-?[0-9]+", value):
            value = int(value)
        tree.setdefault(section, {})[name] = value
    print(json.dumps(tree, sort_keys=True))


try:
    main()
except Wrong as error:
    print(f"error: {error}", file=sys.stderr)
    sys.exit(3)
"""

FAULTS = (
    ("include_base", "includes are relative to the start", "os.path.join(os.path.dirname(path), match[1])",
     "os.path.join(os.path.dirname(sys.argv[1]), match[1])"),
    ("section_lost", "an include ends the section",
     "[*above, path], result)", "[*above, path], result); section = None"),
    ("override_late", "overrides do not reach references", "raw[key] = value", "raw.setdefault(key, value)"),
    ("default_set", "?= replaces", 'if match[2] == "=" or key not in result', "if True"),
    ("dollar", "$$ stays", 'return "$"', 'return "$$"'),
    ("diamond", "a file that is included twice is a cycle", "if path in above:",
     'if path in read.__dict__.setdefault("seen", set()) or read.seen.add(path):'),
)  # fmt: skip


def resolver(draw: random.Random) -> Recipe:
    """Layered settings with includes, defaults, references and overrides."""
    return Recipe(
        instruction=f"""
Write {PATH} (Python 3, standard library only). `python3 {PATH} FILE [KEY=VALUE...]` reads settings and prints them,
resolved, as JSON.

Files are UTF-8. Of each line, blanks at both ends do not count. Empty lines and lines that start with `#` are
skipped. A line is otherwise one of these:

- `[NAME]` begins a section: a small letter, then small letters, digits, `_` and `.`.
- `include PATH` (blanks between) reads another file at this place, as if by itself; PATH is relative to the folder of
  the file with the include. An included file has sections of its own: it starts outside of any section, and
  afterwards the including file goes on in the section where it was. A file may be included several times, but not
  from within itself.
- `KEY = VALUE` sets KEY in the present section; `KEY ?= VALUE` does so only if it is not yet set there. Blanks around
  `=` and `?=` do not count and may be missing; VALUE may be empty. A KEY is a small letter, then small letters,
  digits, `_`.

A setting's full name is NAME.KEY. Arguments `NAME.KEY=VALUE` then replace settings that are there, in their order.

Then references are resolved, in values of files and of arguments alike: `${{NAME.KEY}}` is the resolved value of that
setting, `${{NAME.KEY:TEXT}}` too, or TEXT when there is no such setting; TEXT and names hold no `}}` and TEXT is not
resolved further. `$$` is a `$` that starts nothing. Any other `$` stays as it is.

Print one line: a JSON object of sections, each an object of keys, as `json.dumps(..., sort_keys=True)` writes it.
Only sections with settings are there. After resolving, `on` and `off` become true and false, decimal whole numbers
(perhaps with a minus) become numbers, all else are texts. The exit status is 0.

When something is wrong, nothing goes to standard output, the exit status is 3, and standard error is `error: ` and a
message of your own: a missing file, an include cycle, a line of no known shape or a setting outside of any section,
an argument for a setting that is not there, a reference without TEXT to a setting that is not there, a reference
cycle (also in settings that nothing else needs). Only {PATH} is graded, on other files.
""",
        artifacts=(PATH,),
        files={"sample/main.conf": "include base.conf\n[web]\nport = 8080\nurl = http://${web.host}:${web.port}/\n",
               "sample/base.conf": "[web]\nhost ?= localhost\n"},
        solve=write_file(PATH, RESOLVER),
        check="program",
        expect=cases.program(PATH, [*good_cases(draw), *bad_cases(draw)]),
        mutants=mutated(RESOLVER, lambda text: write_file(PATH, text), FAULTS),
        skills=("services", "data"),
    )  # fmt: skip


def good_cases(draw: random.Random) -> list[dict[str, Any]]:
    """Settings that resolve."""
    found = []
    for number in range(3):
        a, b, c = draw.sample(naming.FOLDERS, 3)
        one, two, three, four = draw.sample(naming.NOUNS, 4)
        port, host = draw.randint(1000, 9999), naming.host(draw)
        main = (
            f"# main\ninclude parts/{b}.conf\n[{a}]\n{one}= {port}\n  include parts/{c}.conf\n"
            f"{two} = http://${{{b}.host}}:${{{a}.{one}}}/${{{c}.no:none}}\n{three} ?=on\n"
            f"include parts/{c}.conf\nprice = 5$$ or $${{x}} or $5\n"
        )
        part_b = f"include deep/x.conf\n[{b}]\nhost ?= {host}\n{four}=\n[{b}.sub]\n{one} = -{number + 1}\n"
        part_c = f"[{c}]\n{two} = ${{{a}.{one}}}${{{b}.sub.{one}}}\n{three} = ${{{b}.{four}:x}}off\n"
        deep = f"include ../{c}.conf\n[{b}]\nhost ?= first-{host}\n[{a}]\n{three} = 007\n"
        files = {"etc/main.conf": main, f"etc/parts/{b}.conf": part_b, f"etc/parts/{c}.conf": part_c,
                 "etc/parts/deep/x.conf": deep}  # fmt: skip
        override = number == 2
        port_text = "on" if override else str(port)
        want = {
            a: {one: True if override else port, two: f"http://first-{host}:{port_text}/none", three: 7,
                "price": "5$ or ${x} or $5"},
            b: {"host": f"first-{host}", four: ""},
            f"{b}.sub": {one: -(number + 1)},
            c: {two: f"{port_text}-{number + 1}", three: False},
        }  # fmt: skip
        args = ("etc/main.conf", f"{a}.{one}=5", f"{a}.{one}=on") if override else ("etc/main.conf",)
        found.append(cases.case(f"good {number}", args, files=files, out=json.dumps(want, sort_keys=True) + "\n"))
    found.append(cases.case("empty", ("none.conf",), files={"none.conf": "# nothing\n[x]\n"}, out="{}\n"))
    return found


def bad_cases(draw: random.Random) -> list[dict[str, Any]]:
    """Settings with something wrong in them, one thing each."""
    section, key, other = draw.choice(naming.FOLDERS), *draw.sample(naming.NOUNS, 2)
    start = f"[{section}]\n{key} = 1\n"
    wrong = {
        "missing file": ({"m": start + "include gone.conf\n"}, ()),
        "include cycle": ({"m": start + "include sub/n\n", "sub/n": "include ../m\n"}, ()),
        "outside": ({"m": f"{key} = 1\n"}, ()),
        "outside in include": ({"m": start + "include n\n", "n": f"{other} = 1\n"}, ()),
        "shape": ({"m": start + "what is this\n"}, ()),
        "capital": ({"m": start + f"{other.capitalize()} = 2\n"}, ()),
        "override": ({"m": start}, (f"{section}.{other}=1",)),
        "reference": ({"m": start + f"{other} = ${{{section}.nothing}}\n"}, ()),
        "reference cycle": ({"m": start + f"{other} = a ${{{section}.x}}\nx = ${{{section}.{other}:y}}\n"}, ()),
        "self": ({"m": start + f"{other} = ${{{section}.{other}}}\n"}, ()),
    }
    return [cases.case(name, ("m", *args), files=files, code=3, out="") for name, (files, args) in wrong.items()]
