"""What the readers make of a document: plain records, the same for equal documents however they were written.

The reader child sends them as JSON (`to_json`), the judging process reads them back (`from_json`). Nothing here parses.
"""

from __future__ import annotations

import dataclasses
import gc
import types
import typing
from typing import Any

from .model_cells import (
    Cell,
    Chart,
    Conditional,
    Kind,
    Pivot,
    Scalar,
    Series,
    Sheet,
    Style,
    TableObject,
    Validation,
    Workbook,
)
from .model_pages import (
    Block,
    Comment,
    Deck,
    Field,
    FormField,
    Grid,
    Page,
    Paragraph,
    Pdf,
    Refused,
    Revision,
    Run,
    Section,
    Shape,
    Slide,
    TextDocument,
    Word,
)

__all__ = [
    "KINDS", "Block", "Cell", "Chart", "Comment", "Conditional", "Deck", "Document", "Field", "FormField",
    "Grid", "Kind", "Page", "Paragraph", "Pdf", "Pivot", "Refused", "Revision", "Run", "Scalar", "Section",
    "Series", "Shape", "Sheet", "Slide", "Style", "TableObject", "TextDocument", "Validation", "Word",
    "Workbook", "from_json", "to_json",
]  # fmt: skip

Document = Workbook | TextDocument | Deck | Pdf | Refused
KINDS = {"xlsx": Workbook, "docx": TextDocument, "pptx": Deck, "pdf": Pdf, "refused": Refused}


def to_json(document: Document) -> dict[str, Any]:
    """The document as plain data. A workbook's cells, which can be a million, are columns instead of mappings."""
    if not isinstance(document, Workbook):
        return dataclasses.asdict(document)
    bare = [dataclasses.replace(sheet, cells={}) for sheet in document.sheets]
    data = dataclasses.asdict(dataclasses.replace(document, sheets=bare))
    for packed, sheet in zip(data["sheets"], document.sheets, strict=True):
        cells = sheet.cells.values()
        packed["cells"] = {
            "names": list(sheet.cells),
            "kinds": [cell.kind for cell in cells],
            "values": [cell.value for cell in cells],
            "styles": [cell.style for cell in cells],
            "formulas": {at: cell.formula for at, cell in enumerate(cells) if cell.formula is not None},
        }
    return data


def from_json(data: dict[str, Any]) -> Document:
    """The document of plain data, which came out of a box: ValueError when it is none."""
    kind = data.get("kind") if isinstance(data, dict) else None
    if kind not in KINDS:
        raise ValueError(f"no document: kind {kind!r}")
    collecting = gc.isenabled()
    gc.disable()  # a million small objects, none of them garbage
    try:
        return _record(KINDS[kind], data)
    except (TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError(f"no document of kind {kind}: {error}") from None
    finally:
        if collecting:
            gc.enable()


def _record(cls: Any, data: Any) -> Any:
    if cls is Sheet:
        data = {**data, "cells": _cells(**data["cells"])}
    hints = _hints(cls)
    return cls(**{name: _value(hints[name], value) for name, value in data.items()})


def _cells(
    names: list[str], kinds: list[Kind], values: list[Scalar], styles: list[int], formulas: dict[str, str]
) -> dict[str, Cell]:
    """The cells of a sheet as `to_json` packed them."""
    rows = zip(names, kinds, values, styles, strict=True)
    cells = {name: Cell(kind, value, None, style) for name, kind, value, style in rows}
    for at, formula in formulas.items():
        cells[names[int(at)]].formula = formula
    return cells


_known: dict[Any, dict[str, Any]] = {}


def _hints(cls: Any) -> dict[str, Any]:
    if cls not in _known:
        _known[cls] = typing.get_type_hints(cls)
    return _known[cls]


def _value(hint: Any, value: Any) -> Any:
    """`value` with records made of the mappings that stand for them; everything else as it came."""
    if dataclasses.is_dataclass(hint):
        return value if isinstance(value, hint) else _record(hint, value)  # type: ignore[arg-type]
    origin = typing.get_origin(hint)
    if origin is list:
        (inner,) = typing.get_args(hint)
        return [_value(inner, item) for item in value]
    if origin is tuple:
        return tuple(value)
    if origin is dict:
        inner = typing.get_args(hint)[1]
        return {key: _value(inner, item) for key, item in value.items()}
    if origin in (types.UnionType, typing.Union) and value is not None:
        records = [option for option in typing.get_args(hint) if dataclasses.is_dataclass(option)]
        return _record(records[0], value) if records else value
    return value
