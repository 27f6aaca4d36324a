"""A comparison for people: one table of the methods, how the first compares, and why candidates were rejected."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from envwheel.compare.figures import Against, Figures, MethodFigures, Share
from envwheel.compare.intervals import Figure
from envwheel.console import safe

HEAD = ("method", "judged", "valid", "rate (95 %)", "plain", "tokens/valid", "$/valid (95 %)", "s/valid")
"""Columns of the table; docs/reading-the-report.md says what each means."""


def show(found: Figures, console: Console) -> None:
    """Print it."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in HEAD:
        table.add_column(name, justify="left" if name == "method" else "right", no_wrap=True)
    for one in found.methods:
        table.add_row(safe(one.method), *row(one))
    console.print(table)
    for against in found.ratios:
        console.print(safe(sentence(against)), soft_wrap=True)
    for one in found.methods:
        console.print(safe(f"{one.method}: {reasons(one)}"), soft_wrap=True)


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


def sentence(one: Against) -> str:
    """How the first method compares with another."""
    parts = [f"valid rate x{number(one.valid_rate)}", f"plain valid rate x{number(one.valid_plain_rate)}"]
    for name in ("tokens", "dollars", "seconds"):
        parts.append(f"{name} per valid x{number(getattr(one, f'{name}_per_valid'))}")
    return f"{one.method} against {one.against} ({one.pairs} pairs): {', '.join(parts)}"


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
