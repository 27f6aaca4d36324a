"""How much of a table is right: rows matched by key, F1 over the filled cells.

score = score_rows(["Invoice", "Total"], [["A-1", 3.0]], columns, ["Invoice"], [["A-1", 4.0]], "any")
score.reason   # "1 of 1 cells differ; first: row 'A-1', column Total: 3, not 4"
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence

from .bench import Fault, Score
from .equal import fold, from_text, is_blank, is_number, same, serial, spell, text_key
from .language_base import Column, Scalar

Row = Sequence[Scalar]
PAIRS = 60_000
"""Comparisons at most, one by one, of rows whose keys are not the same at first sight."""


def score_rows(
    headers: Sequence[str],
    rows: Sequence[Row],
    columns: Sequence[Column],
    key: Sequence[str],
    expected_rows: Sequence[Row],
    order: str = "any",
    *,
    written: str = "",
    extra_rows: str = "penalise",
) -> Score:
    """The F1 of a found table (`headers`, `rows`) against `expected_rows`, whose values stand as in `columns`.

    A filled cell that is expected and right counts for it; missing, wrong and extra ones count against. Cells of the
    key count only where there is no other column: copying the keys is no part of the answer. Rows of the same key are
    paired so that most cells agree. `order` "exact": times the share of rows in their order. `written`: the found
    cells are texts, "human" of a document, "plain" of a CSV file. Fault when a key is no column.
    """
    places, lost = _places(headers, columns)
    keys = [index for index, column in enumerate(columns) if fold(column.header) in {fold(name) for name in key}]
    if len(keys) != len({fold(name) for name in key}):
        raise Fault(f"the key {list(key)} is not among the columns")
    if any(places[index] is None for index in keys):
        return Score(0.0, "; ".join(lost))
    found = [
        [_cell(row, place, column, written) for place, column in zip(places, columns, strict=True)] for row in rows
    ]
    found = [row for row in found if not all(is_blank(value) for value in row)]
    pairs = _match(found, expected_rows, columns, keys)
    counted = [index for index in range(len(columns)) if index not in keys] or keys
    return _score(found, expected_rows, pairs, columns, keys, counted, (order, extra_rows, lost))


def _places(headers: Sequence[str], columns: Sequence[Column]) -> tuple[list[int | None], list[str]]:
    """Where each column stands, and why those that stand nowhere do not."""
    at: dict[str, list[int]] = defaultdict(list)
    for index, header in enumerate(headers):
        at[fold(str(header))].append(index)
    places: list[int | None] = []
    lost = []
    for column in columns:
        there = at.get(fold(column.header), [])
        places.append(there[0] if len(there) == 1 else None)
        if len(there) != 1:
            lost.append(f"{'two columns have' if there else 'no column has'} the header {column.header!r}")
    return places, lost


def _cell(row: Row, place: int | None, column: Column, written: str) -> Scalar:
    value = row[place] if place is not None and place < len(row) else None
    if written and isinstance(value, str):
        return from_text(value, column.type, plain=written == "plain")
    return value


def _match(
    found: list[list[Scalar]], expected: Sequence[Row], columns: Sequence[Column], keys: list[int]
) -> dict[int, int]:
    """Expected row -> found row."""
    free: dict[tuple[object, ...], list[int]] = defaultdict(list)
    wanted: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for index, row in enumerate(found):
        free[tuple(_hash(row[at], columns[at]) for at in keys)].append(index)
    for index, other in enumerate(expected):
        wanted[tuple(_hash(other[at], columns[at]) for at in keys)].append(index)
    pairs: dict[int, int] = {}
    for bucket, there in wanted.items():
        pairs.update(_pair(there, free.get(bucket, []), found, expected, columns))
    taken = set(pairs.values())
    rest = [index for index in range(len(found)) if index not in taken]
    missing = [index for index in range(len(expected)) if index not in pairs]
    if len(rest) * len(missing) <= PAIRS:
        for index in missing:
            for at in rest:
                if all(_equal(found[at][k], expected[index][k], columns[k]) for k in keys):
                    pairs[index] = at
                    rest.remove(at)
                    break
    return pairs


def _pair(
    wanted: list[int], free: list[int], found: list[list[Scalar]], expected: Sequence[Row], columns: Sequence[Column]
) -> dict[int, int]:
    """Rows of one key: those that agree in most cells first, then in their order."""
    if len(wanted) == 1 and len(free) == 1:
        return {wanted[0]: free[0]}
    free = free[: max(100, PAIRS // max(1, len(wanted)))]
    graded = []
    for index in wanted:
        for at in free:
            hits = sum(_equal(found[at][k], expected[index][k], column) for k, column in enumerate(columns))
            graded.append((-hits, index, at))
    pairs: dict[int, int] = {}
    taken = set()
    for _, index, at in sorted(graded):
        if index not in pairs and at not in taken:
            pairs[index] = at
            taken.add(at)
    return pairs


def _hash(value: Scalar, column: Column) -> object:
    """Equal for most values that are the same, and never the reason that two are."""
    if isinstance(value, bool) or is_blank(value):
        return value if isinstance(value, bool) else None
    if isinstance(value, str) and column.type in ("date", "any") and (day := serial(value)) is not None:
        value = day
    elif isinstance(value, str) and column.type in ("number", "any"):
        value = from_text(value, "number")
    if is_number(value):
        return f"{float(value or 0):.9g}"
    return text_key(str(value)) if column.case else fold(str(value))


def _equal(found: Scalar, expected: Scalar, column: Column) -> bool:
    if column.blanks and isinstance(found, str) and isinstance(expected, str) and found != expected:
        return False
    return same(found, expected, column.type, column.tol, column.case)


def _score(
    found: list[list[Scalar]],
    expected: Sequence[Row],
    pairs: dict[int, int],
    columns: Sequence[Column],
    keys: list[int],
    counted: list[int],
    rules: tuple[str, str, list[str]],
) -> Score:
    order, extra_rows, reasons = rules[0], rules[1], list(rules[2])
    asked = given = right = 0
    first = ""
    for index, row in enumerate(expected):
        asked += sum(not is_blank(row[at]) for at in counted)
        for at in counted if index in pairs else ():
            value = found[pairs[index]][at]
            given += not is_blank(value)
            if _equal(value, row[at], columns[at]):
                right += not is_blank(row[at])
            elif not first:
                day = columns[at].type == "date"
                where = f"row {_name(row, keys)}, column {columns[at].header}"
                first = f"{where}: {spell(value, day)}, not {spell(row[at])}"
    taken = set(pairs.values())
    extra = [row for index, row in enumerate(found) if index not in taken]
    missing = [row for index, row in enumerate(expected) if index not in pairs]
    given += sum(not is_blank(value) for row in extra for value in row)
    value = 2 * right / (asked + given) if asked + given else 1.0
    if first:
        reasons.append(f"{asked - right} of {asked} cells differ or are missing; first: {first}")
    if missing:
        reasons.append(f"{len(missing)} of {len(expected)} rows are missing, first {_name(missing[0], keys)}")
    if extra:
        reasons.append(f"{len(extra)} rows are too many, first {_name(extra[0], keys)}")
        value = 0.0 if extra_rows == "fail" else value
    if order == "exact" and pairs:
        kept = rising([pairs[index] for index in sorted(pairs)])
        if kept < len(pairs):
            reasons.append(f"only {kept} of {len(pairs)} rows stand in the order asked for")
            value *= kept / len(pairs)
    return Score(value, "; ".join(reasons))


def _name(row: Row, keys: list[int]) -> str:
    return " / ".join(spell(row[at]) for at in keys)


def rising(places: list[int]) -> int:
    """The length of the longest rising run, gaps allowed (patience sorting)."""
    ends: list[int] = []
    for place in places:
        at = bisect_left(ends, place)
        ends[at : at + 1] = [place]
    return len(ends)
