"""The child that reads one document: `python -I reader.py FILE EXTENSION` -> the record as JSON on stdout.

It never fails by an exception: what cannot be read is a Refused. `read_file` does the same in process, for tests.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

if __name__ == "__main__" and not __package__:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from officekit.reader import main

    sys.exit(main(*sys.argv[1:]))

from importlib import import_module

from . import child
from .model import Document, Refused, to_json


def main(path: str, extension: str) -> int:
    """Read, print, end."""
    (module,) = child.enter(f"read_{extension}")
    try:
        text = json.dumps(to_json(_read(module, path)), allow_nan=False, separators=(",", ":"))
    except MemoryError:
        text = json.dumps(to_json(Refused("it takes too much memory")))
    except ValueError:
        text = json.dumps(to_json(Refused("it holds numbers that are none")))
    child.answer(text)
    return 0


def read_file(path: str) -> Document:
    """The document at `path`, which the guard let pass, read in this process; a workbook's formulas have no values."""
    return _read(import_module(f".read_{os.path.splitext(path)[1].lower().lstrip('.')}", __package__), path)


def _read(module: Any, path: str) -> Document:
    try:
        document: Document = module.read(path)
        return document
    except MemoryError:
        return Refused("it takes too much memory")
    except RecursionError:
        return Refused("it is nested too deeply")
    except Exception as error:
        said = f"{type(error).__name__}: {error}" if type(error).__module__ != module.__name__ else str(error)
        return Refused(f"it cannot be read: {said}"[:300])
