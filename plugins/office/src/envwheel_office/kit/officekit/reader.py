"""Reading one document, which the guard let pass. For a candidate's this is a child's work (child.py).

It never fails by an exception: what cannot be read is a Refused.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from .child import Work
from .model import Document, Refused, to_json


def work(extension: str) -> Work:
    """The work of reading a document of this kind; its reader is imported now."""
    module = _module(extension)
    return lambda path: to_json(_read(module, path))


def read_file(path: str) -> Document:
    """The document at `path` read in this process, for tests; a workbook's formulas have no values."""
    return _read(_module(os.path.splitext(path)[1].lower().lstrip(".")), path)


def _module(extension: str) -> Any:
    return import_module(f".read_{extension}", __package__)


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
