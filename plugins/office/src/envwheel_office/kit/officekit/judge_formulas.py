"""Judges of what is computed: formulas by what they read, and by how they behave when their inputs change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from . import find, refs
from .bench import FULL, Bench, Computation, Fault, Score
from .changes import draw
from .equal import UNSURE, fold, is_blank, same, spell
from .formulas import INDIRECT, Chain, Parts, Precedents
from .formulas import function as known_as
from .influence import idle
from .intake import FORBIDDEN_FUNCTIONS
from .language_base import Column, Where
from .language_cells import Formula, Metamorphic
from .model import Cell, Scalar, Sheet, Workbook
from .tables import score_rows

BELOW = 3
"""Rows read below a table's last: a change may make it longer."""
TRIES = 6
"""Draws for each wanted seed at most: one that moves nothing tells nothing."""


def formula(check: Formula, bench: Bench) -> Score:
    """Whether cells are computed from what they must depend on. The score is the share of cells and of dependencies."""
    book = find.workbook(bench, check.file)
    sheet, cells = _cells(check, book)
    walk = Precedents(book)
    banned = FORBIDDEN_FUNCTIONS | {known_as(name) for name in check.forbid}
    wanted = [find.area(book, text, sheet.name) for text in check.depends_on]
    chain, judged = walk.of(sheet, *cells), set(cells)
    for (name, inner), parts in chain.formulas.items():
        given = any(at.name == name and area.has(*refs.place(inner)) for at, area in wanted)
        problem = "" if given or (name == sheet.name and inner in judged) else _unsound(parts, banned, check.max_digits)
        if problem:  # an input's own formula is no part of the answer, all else on the way is
            return Score(0.0, f"{sheet.name}!{cells[0]} {problem} (in {name}!{inner})")
    lost = []
    for ref in cells:
        problem = _problem(sheet.cells.get(ref, find.BLANK), chain.formulas.get((sheet.name, ref)), banned, check)
        if problem:
            lost.append(f"{sheet.name}!{ref} {problem}")
    share = 1 - len(lost) / len(cells)
    if not share:
        return Score(0.0, lost[0] if len(cells) == 1 else f"none of {len(cells)} cells counts, first {lost[0]}")
    unread = _unread(check, bench, (sheet, cells), chain, wanted)
    reasons = [f"{len(lost)} of {len(cells)} cells do not count, first {lost[0]}"] if lost else []
    kept = 1 - len(unread) / len(wanted) if unread else 1.0
    return Score(share * kept, "; ".join(reasons + unread))


def _unread(
    check: Formula, bench: Bench, cells: tuple[Sheet, list[str]], chain: Chain, wanted: list[tuple[Sheet, refs.Area]]
) -> list[str]:
    """Which dependencies are not read in all their filled cells, or are read and move nothing.

    What OFFSET and INDIRECT read no formula says: there the movement alone decides.
    """
    unread: dict[int, str] = {}
    blind = bool(chain.functions() & INDIRECT)
    for at, (place, area) in enumerate(wanted):
        hit, filled = chain.reached(place, area)
        if not filled or (hit < filled and not blind):
            unread[at] = f"{check.depends_on[at]} is read in {hit} of {filled} filled cells"
    asked = [at for at in range(len(wanted)) if at not in unread]
    for number in idle(bench, check.file, *cells, [wanted[at] for at in asked]):
        at = asked[number]
        unread[at] = f"another {check.depends_on[at]} changes nothing"
    return [unread[at] for at in sorted(unread)]


def _cells(check: Formula, book: Workbook) -> tuple[Sheet, list[str]]:
    if check.at is not None:
        spot = find.cell(book, check.at)
        hidden = find.View(book, spot.sheet).unseen(*refs.place(spot.ref))
        if hidden:
            raise find.NotFound(f"{spot.address} cannot be seen: {hidden}")
        return spot.sheet, [spot.ref]
    assert check.anchor
    assert check.column
    found = find.table(book, check.anchor)
    column = found.column(check.column)
    if not found.rows:
        raise find.NotFound(f"the table on {found.view.sheet.name!r} has no rows")
    return found.view.sheet, [refs.name(row, column) for row in found.rows]


def _problem(cell: Cell, parts: Parts | None, banned: frozenset[str], check: Formula) -> str:
    """Why a cell does not count as computed; "" when it does."""
    if not cell.formula or parts is None:
        return "holds nothing" if is_blank(cell.value) else f"holds {spell(cell.value)}, no formula"
    if cell.kind == "error":
        return f"is the error {cell.value}"
    if not (parts.areas or parts.tables or parts.names or parts.functions & INDIRECT):
        return "is a formula that reads no cell"
    return _unsound(parts, banned, check.max_digits)


def _unsound(parts: Parts, banned: frozenset[str], max_digits: int) -> str:
    bad = sorted(parts.functions & banned)
    if bad:
        return f"uses {bad[0]}"
    digits, text = parts.digits()
    return f"has the typed number {text}" if digits > max_digits else ""


@dataclass(slots=True)
class Side:
    """One workbook of a metamorphic check: which cells to read, and what stood in them."""

    book: Workbook
    file: str
    ours: bool
    spots: list[str]
    table: find.Table | None
    cells: list[list[str]]
    """A row's cells each, in the order of the check's columns."""
    headers: list[str]
    closing: list[str]

    @property
    def get(self) -> tuple[str, ...]:
        """All that is read."""
        return (*self.spots, *(ref for row in self.cells for ref in row), *self.closing)


def metamorphic(check: Metamorphic, bench: Bench) -> Score:
    """Changes inputs in the candidate's workbook and in the reference's, and compares what both compute then."""
    book = find.workbook(bench, check.file)
    ours = _reference(check, bench)
    theirs = _side(check, book, check.file, False)
    unsound = _volatile(theirs)
    if unsound:
        return Score(0.0, unsound)
    runs, answers = _draws(check, bench, ours)
    given = [_inputs(book, run) for run in runs]
    found = bench.compute(check.file, [Computation(one, theirs.get) for one in given])
    lost = []
    for run, answer, other in zip(given, answers, found, strict=True):
        problem = _compare(check, (ours, answer), (theirs, other))
        if problem:
            lost.append(f"with {_told(run)}: {problem}")
    if not lost:
        return FULL
    return Score(
        1 - len(lost) / len(runs), f"on {len(lost)} of {len(runs)} changed inputs the outputs differ; {lost[0]}"
    )


def _reference(check: Metamorphic, bench: Bench) -> Side:
    """The reference's side. Its labels and keys are mostly typed: it is computed first only where they are not."""
    for computed in (False, True):
        original = bench.original(check.reference, computed=computed)
        if not isinstance(original, Workbook):
            raise Fault(f"tests/{check.reference} is no workbook")
        try:
            return _side(check, original, check.reference, True)
        except find.NotFound as error:
            reason = str(error)
    raise Fault(f"tests/{check.reference}: {reason}")


def _side(check: Metamorphic, book: Workbook, file: str, ours: bool) -> Side:
    spots = [_address(book, where) for where in check.outputs]
    side = Side(book, file, ours, spots, None, [], [], [])
    if check.anchor is None:
        return side
    side.table = found = find.table(book, check.anchor, check.key[0])
    wanted = [column for column in _columns(check) if fold(column.header) in found.columns]
    side.headers = [column.header for column in wanted]
    first = min(found.column(header) for header in check.anchor.headers)
    last = found.rows[-1] if found.rows else found.header
    for row in [*found.rows, *range(last + 1, last + 1 + BELOW)]:
        side.cells.append([found.ref(row, found.column(column.header)) for column in wanted])
        side.closing.append(found.ref(row, first))
    return side


def _address(book: Workbook, where: Where) -> str:
    spot = find.cell(book, where)
    hidden = find.View(book, spot.sheet).unseen(*refs.place(spot.ref))
    if hidden:
        raise find.NotFound(f"{spot.address} cannot be seen: {hidden}")
    return spot.address


def _volatile(side: Side) -> str:
    walk = Precedents(side.book)
    for sheet in side.book.sheets:
        cells = [ref for name, ref in map(refs.split, side.get) if name == sheet.name]
        bad = sorted(walk.of(sheet, *cells).functions() & FORBIDDEN_FUNCTIONS)
        if bad:
            return f"{sheet.name}!{cells[0]} or another output depends on {bad[0]}"
    return ""


def _draws(check: Metamorphic, bench: Bench, ours: Side) -> tuple[list[dict[str, Scalar]], list[dict[str, Scalar]]]:
    """The changed inputs, and what the reference computes from each: only those that move an output.

    Fault when too few do, or when an output or a column is moved by none: the check would not see it typed.
    """
    runs: list[dict[str, Scalar]] = []
    answers: list[dict[str, Scalar]] = []
    still = set(_outputs(check, ours))
    for first in range(0, check.seeds * TRIES, check.seeds):
        batch = [draw(check, ours.book, f"{check.id}/{number}") for number in range(first, first + check.seeds)]
        base, *done = _ours(bench, ours, [{}, *batch])
        for run, answer in zip(batch, done, strict=True):
            moved = {
                name
                for name, cells in _outputs(check, ours).items()
                if any(not _alike(answer[ref], base[ref], check) for ref in cells)
            }
            if moved and (len(runs) < check.seeds or moved & still):
                runs.append(run)
                answers.append(answer)
                still -= moved
        if len(runs) >= check.seeds and not still:
            return runs, answers
    if still:
        raise Fault(f"{check.id}: no change moves {min(still)}")
    raise Fault(f"{check.id}: only {len(runs)} of {check.seeds * TRIES} changes move an output")


def _ours(bench: Bench, ours: Side, runs: list[dict[str, Scalar]]) -> list[dict[str, Scalar]]:
    answers = bench.compute(ours.file, [Computation(run, ours.get) for run in runs], ours=True)
    for answer in answers:
        gone = [address for address in ours.get if address not in answer]
        if gone:
            raise Fault(f"tests/{ours.file}: the engines do not agree on {gone[0]}")
    return answers


def _outputs(check: Metamorphic, side: Side) -> dict[str, list[str]]:
    """Each output that must move at least once, and the cells that it is made of."""
    named = {address: [address] for address in side.spots}
    for at, header in enumerate(side.headers):
        if any(fold(header) == fold(column.header) for column in check.columns):
            named[f"column {header}"] = [row[at] for row in side.cells]
    return named


def _columns(check: Metamorphic) -> list[Column]:
    """The columns that are compared: the key's, too."""
    known = {fold(column.header) for column in check.columns}
    return [Column(header=name) for name in check.key if fold(name) not in known] + check.columns


def _alike(found: Scalar, expected: Scalar, check: Metamorphic) -> bool:
    return same(found, expected, "any", check.tol)


def _inputs(book: Workbook, run: dict[str, Scalar]) -> dict[str, Scalar]:
    """The changes under the candidate's own spelling of the sheets' names. NotFound when a sheet is gone."""
    return {f"{find.sheet(book, refs.split(at)[0]).name}!{refs.split(at)[1]}": value for at, value in run.items()}


def _told(run: dict[str, Scalar]) -> str:
    first = next(iter(run))
    return f"{first} = {spell(run[first])}" + (f" and {len(run) - 1} more" if len(run) > 1 else "")


def _compare(
    check: Metamorphic, reference: tuple[Side, dict[str, Scalar]], candidate: tuple[Side, dict[str, Scalar]]
) -> str:
    (ours, wanted), (theirs, found) = reference, candidate
    for where, other in zip(ours.spots, theirs.spots, strict=True):
        value = found.get(other, UNSURE)
        if not _alike(value, wanted[where], check):
            return f"{other} is {spell(value)}, not {spell(wanted[where])}"
    if ours.table is None:
        return ""
    expected = [dict(zip(map(fold, ours.headers), row, strict=True)) for row in _rows(check, ours, wanted)]
    lines = [[row.get(fold(column.header)) for column in _columns(check)] for row in expected]
    rows = list(_rows(check, theirs, found))
    at = {fold(header): place for place, header in enumerate(theirs.headers)}
    if any(fold(name) not in at for name in check.key):
        return f"the table has no column {' or '.join(check.key)}"
    keys = {tuple(_known(row[fold(name)]) for name in check.key) for row in expected}
    asked = [row for row in rows if tuple(_known(row[at[fold(name)]]) for name in check.key) in keys]
    score = score_rows(theirs.headers, asked, _columns(check), check.key, lines)
    return "" if score.value >= 1 - 1e-9 else score.reason


def _known(value: Scalar) -> object:
    """A key as it is looked up: rows of other keys (a total, a remark) are no matter of behaviour."""
    return fold(value) if isinstance(value, str) else value


def _rows(check: Metamorphic, side: Side, values: dict[str, Scalar]) -> Iterator[list[Scalar]]:
    """A table's rows after the change, down to the first blank key or its closing row."""
    keys = [at for at, header in enumerate(side.headers) if fold(header) == fold(check.key[0])]
    end = check.anchor.end if check.anchor else None
    for row, closing in zip(side.cells, side.closing, strict=True):
        line = [values.get(ref, UNSURE) for ref in row]
        first = values.get(closing)
        if (keys and is_blank(line[keys[0]])) or (end and isinstance(first, str) and fold(first) == fold(end)):
            return
        yield line
