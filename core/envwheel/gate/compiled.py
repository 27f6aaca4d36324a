"""Compiled Python in the image that does what the reference's source does: a leak, whatever it is called.

Compiled forms of the faulty and of the repaired module may differ by one operator, so that no text tells them apart.
Hence each is *run*: in place of the module stands a loader of the compiled form, and only the tests' reward of 1 makes
it a leak. Nothing compiled is ever loaded outside a box.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from dataclasses import replace

from envwheel.gate.lab import Batch, Lab
from envwheel.gate.options import Fault
from envwheel.gate.payloads import kind_of
from envwheel.gate.secret_files import names_of, opened
from envwheel.gate.wrong_artifacts import Result
from envwheel.sandbox.base import LayerFile, Tree

HEADER = 16
"""Bytes before the code in a compiled file (Python 3.7 and later)."""
MOST_TRIED = 4
_CODE = (0xE3, 0x63)
"""How a marshalled code object begins."""
_LOADER = "import base64\nimport marshal\n\nexec(marshal.loads(base64.b64decode({!r})))\n"


def is_compiled(data: bytes) -> bool:
    """Whether `data` looks like a .pyc file."""
    return len(data) > HEADER and data[2:4] == b"\r\n" and data[HEADER] in _CODE


def leaked(lab: Lab, batch: Batch, files: Iterable[LayerFile]) -> list[Fault]:
    """The first compiled file of the image that solves the task in place of a module of the reference."""
    found = [(file, place, data) for file in files for place, data in opened(file.read()) if is_compiled(data)]
    if not found:
        return []
    lab.learn(batch)
    result = Result(lab.reference or Tree(), lab.untouched or Tree(), "", {})
    for number, (file, inside, path, tree) in enumerate(_tried(result, found)):
        if number == MOST_TRIED:
            break
        if lab.holds(batch.grade("attack", "compiled", tree).result().record) and _matters(lab, batch, result, path):
            place = f"{file.path} ({inside})" if inside else file.path
            place += "" if file.visible else " (in a lower layer)"
            return [Fault("leak_tests", f"the image holds {path}, as the reference leaves it, compiled: {place}")]
    return []


def _tried(result: Result, found: Iterable[tuple[LayerFile, str, bytes]]) -> Iterator[tuple[LayerFile, str, str, Tree]]:
    modules = {path: entry for path, entry in result.produced.items() if kind_of(path, entry.data) == "python"}
    for file, inside, data in found:
        for path, entry in modules.items():
            names = names_of(entry.data)
            if names and all(name in data for name in names):
                code = base64.b64encode(data[HEADER:]).decode()
                loader = replace(entry, data=_LOADER.format(code).encode())
                yield file, inside, path, Tree({**result.reference.entries, path: loader})


def _matters(lab: Lab, batch: Batch, result: Result, path: str) -> bool:
    """Whether the reference does not hold without its change to `path`."""
    entries = {name: entry for name, entry in result.reference.entries.items() if name != path}
    before = result.untouched.entries.get(path)
    tree = Tree({**entries, path: before} if before else entries)
    return not lab.holds(batch.grade("attack", "compiled", tree).result().record)
