"""A comparison for people: a table of the methods, how the first compares with each other one, reasons of rejection.

show(figures(records, names), Console(highlight=False))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.table import Table

from envwheel.compare.figures import Against, Figures, MethodFigures, Share
from envwheel.compare.intervals import Figure
from envwheel.console import safe

HEAD = ("method", "judged", "valid", "rate (95 %)", "plain", "tokens/valid", "$/valid (95 %)", "s/valid")
"""Columns of the methods; docs/reading-the-report.md says what each means."""
RATIOS = {
    "valid_rate": "valid rate",
    "valid_plain_rate": "plain rate",
    "tokens_per_valid": "tokens/valid",
    "dollars_per_valid": "$/valid",
    "seconds_per_valid": "s/valid",
}
"""Columns of the ratios: the field and what it is called."""


def show(found: Figures, console: Console) -> None:
    """Print it."""
    console.print(_table(HEAD, ((one.method, *row(one)) for one in found.methods)))
    if found.ratios:
        first = found.methods[0].method
        heads = (f"{first} against", "pairs", *RATIOS.values())
        console.print()
        console.print(_table(heads, ((one.against, *times(one)) for one in found.ratios)))
    console.print()
    for one in found.methods:
        console.print(safe(f"{one.method}: {reasons(one)}"), soft_wrap=True)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for at, name in enumerate(heads):
        table.add_column(safe(name), justify="right" if at else "left", no_wrap=True)
    for cells in rows:
        table.add_row(*map(safe, cells))
    return table


def row(one: MethodFigures) -> tuple[str, ...]:
    """The cells of a method after its name."""
    return (
        str(one.judged),
        str(one.valid.count),
        share(one.valid),
        f"{one.valid_plain.count} of {one.valid_plain.of}",
        number(one.tokens_per_valid, bounds=False),
        number(one.dollars_per_valid),
        number(one.seconds_per_valid, bounds=False),
    )


def times(one: Against) -> tuple[str, ...]:
    """The cells of a ratio after the name of the other method: how many times as much the first one has."""
    return str(one.pairs), *(number(getattr(one, name)) for name in RATIOS)


def reasons(one: MethodFigures) -> str:
    """Why candidates of a method were rejected, and what has no verdict."""
    return ", ".join(_reasons(one))


def _reasons(one: MethodFigures) -> Iterator[str]:
    yield "rejected: " + (", ".join(f"{count} {code}" for code, count in one.rejected.items()) or "none")
    if one.infra:
        yield f"{one.infra} failed by our side, not counted"
    if one.open:
        yield f"{one.open} not finished"


def share(one: Share) -> str:
    """`50 % (24-76)`."""
    return "-" if one.rate is None else f"{one.rate:.0%} ({100 * one.low:.0f}-{100 * one.high:.0f})"


def number(one: Figure, *, bounds: bool = True) -> str:
    """`0.31 (0.2-0.6)`, or why there is no number."""
    if one.value is None:
        return one.why + (f" (at least {_short(one.low)})" if bounds and one.low is not None else "")
    if not bounds:
        return _short(one.value)
    high = "..." if one.high is None else _short(one.high)
    return f"{_short(one.value)} ({'...' if one.low is None else _short(one.low)}-{high})"


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
