"""What people see while a run goes on and when it ends. Everything goes to standard error but the last table.

`Board` is the `Watch` of a run: a bar a round, a line for each candidate that is done. `report` is the summary.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from envwheel.console import safe
from envwheel.ledger import AnyRecord, Attempt, HarnessNote, Plan, Recheck
from envwheel.revisions import Revision
from envwheel.revisions import table as revisions
from envwheel.standing import states
from envwheel.summary import RoundSummary, pool_balance, summaries

ROUND = ("round", "proposed", "valid", "admitted", "infra", "passed", "tokens", "dollars", "s/valid")
HARNESS = ("harness", "candidates", "valid", "95 %", "tokens", "dollars/valid")
SIMULATED = "The solver is simulated: its pass rates say nothing about a model."
COLOURS = {"admitted": "green", "ok": "green", "rejected": "yellow", "infra": "red"}


class Board:
    """Bars and lines on `console`; nothing with `quiet`. `rounds` are names to show in place of "round 1", ..."""

    def __init__(self, console: Console, *, quiet: bool = False, rounds: Sequence[str] = ()) -> None:
        self.console, self.quiet, self.rounds = console, quiet, rounds
        self._stages: dict[str, str] = {}
        self._bar: TaskID | None = None
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("[dim]{task.fields[now]}"),
            console=console,
            transient=True,
            disable=quiet,
        )

    def __enter__(self) -> Board:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def say(self, text: str) -> None:
        """A line for people; `text` is plain."""
        if not self.quiet:
            self.console.print(safe(text), soft_wrap=True)

    def planned(self, plan: Plan, done: int) -> None:
        """A new bar, and what the round aims at."""
        name = self.rounds[plan.round - 1] if self.rounds else f"round {plan.round}"
        self._bar = self._progress.add_task(name, total=len(plan.targets), completed=done, now="")
        aims = Counter((target.family, target.level) for target in plan.targets)
        named = ", ".join(f"{family} {level}" + (f" x{n}" if n > 1 else "") for (family, level), n in aims.items())
        self.say(f"{name}: {len(plan.targets)} candidates after {plan.rollouts_read} rollouts: {named}")

    def stage(self, candidate: str, text: str) -> None:
        """What happens to a candidate now."""
        stages = {**self._stages, candidate: text}
        self._stages = {name: what for name, what in stages.items() if what}
        if self._bar is not None:
            self._progress.update(
                self._bar, now=", ".join(f"{name[-4:]} {what}" for name, what in self._stages.items())
            )

    def closed(self, record: Attempt) -> None:
        """A line for a candidate, and the bar moves on."""
        if self._bar is not None:
            self._progress.advance(self._bar)
        if not self.quiet:
            word = record.code or record.verdict
            self.console.print(
                f"  {record.candidate} {safe(record.environment)}: [{COLOURS[record.verdict]}]{word}[/] "
                f"[dim]{safe(record.message.splitlines()[0][:160] if record.message else '')} ({record.wall_s:.0f} s)",
                soft_wrap=True,
            )

    def rechecked(self, record: Recheck) -> None:
        """A line for an environment that was calibrated again."""
        where = {"kept": "in the pool", "retired": "retired", "too_hard": "on the shelf"}[record.verdict]
        self.say(f"  {record.candidate} {record.environment}: again {record.code}, {where}: {record.message}")

    def ended(self, summary: RoundSummary) -> None:
        """The round's bar goes."""
        if self._bar is not None:
            self._progress.remove_task(self._bar)
            self._bar = None


def report(records: Sequence[AnyRecord], pool: int, console: Console) -> None:
    """The summary of a run: a table of its rounds, what was rejected, what was aimed at and why."""
    plans = {record.round: record for record in records if isinstance(record, Plan)}
    rounds = summaries(records)
    if simulated(records):
        console.print(SIMULATED)
    table = _table(ROUND)
    for one in rounds:
        table.add_row(*round_cells(one))
    console.print(table)
    if not all(one.complete for one in rounds):
        console.print("* not complete")
    for one in rounds:
        for line in outcomes(one):
            console.print(line, soft_wrap=True)
        if one.proposer.input + one.proposer.output:
            console.print(f"[dim]  {proposing(one)}", soft_wrap=True)
        if plan := plans.get(one.round):
            _aims(plan, console)
    _revisions(records, console)
    console.print(standing(records, pool), soft_wrap=True)


def round_cells(one: RoundSummary) -> tuple[str, ...]:
    """A round under the heads `ROUND`."""
    return (
        f"{one.round}" + ("" if one.complete else "*"),
        str(one.proposed),
        f"{one.valid} {_percent(one.valid_rate)}",
        *map(str, (one.admitted, one.infra)),
        f"{one.passes}/{one.scored} {_percent(one.pass_rate)}",
        f"{one.tokens:,}",
        "unknown" if one.dollars is None else f"{one.dollars:.4g}",
        "-" if one.seconds_per_valid is None else f"{one.seconds_per_valid:.1f}",
    )


def revision_cells(one: Revision) -> tuple[str, ...]:
    """A revision of the proposer's harness under the heads `HARNESS`."""
    low, high = one.interval
    dollars = "-" if one.dollars_per_valid is None else f"{one.dollars_per_valid:.4g}"
    tokens = f"{one.tokens.input + one.tokens.output:,}"
    return one.number, str(one.judged), str(one.valid), f"{low:.2f} to {high:.2f}", tokens, dollars


def harness_turn(note: HarnessNote) -> str:
    """What became of the harness before a round, and why."""
    action = note.action.replace("_", " ")
    return f"before round {note.round}: {action}, {note.parent} -> {note.revision}: {note.reason}"


def _table(heads: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in heads:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def proposing(one: RoundSummary) -> str:
    """What a model took to propose, apart from what the solver took."""
    tokens, each = one.proposer, one.dollars_per_valid
    dollars = "price unknown" if tokens.dollars is None else f"{tokens.dollars:.4g} dollars"
    per_valid = "" if each is None else f", {each:.4g} for each valid one"
    plain = f"by the plain standard {one.valid_plain} of {one.tried_plain} are valid"
    taken = f"{tokens.input:,} + {tokens.output:,} tokens ({tokens.cached:,} of them cached)"
    return f"proposing took {taken}, {dollars}{per_valid}; {plain}"


def _revisions(records: Sequence[AnyRecord], console: Console) -> None:
    """What became of the candidates of each revision of the proposer's harness, and why it was revised."""
    notes = [note for note in records if isinstance(note, HarnessNote)]
    if not notes:
        return
    table = _table(HARNESS)
    for one in revisions(records):
        table.add_row(*revision_cells(one))
    console.print(table)
    for note in notes:
        console.print(f"[dim]  {safe(harness_turn(note))}", soft_wrap=True)


def _aims(plan: Plan, console: Console) -> None:
    failures = ", ".join(f"{kind} {n}" for kind, n in plan.failures.items())
    seen = f"{plan.rollouts_read} rollouts" + (f"; failures: {failures}" if failures else "")
    console.print(f"[dim]  aimed at, from {safe(seen)}:", soft_wrap=True)
    groups = Counter((target.family, target.level, target.reason) for target in plan.targets)
    for (family, level, reason), n in groups.items():
        console.print(f"[dim]    {n} x {safe(family)}, level {level}: {safe(reason)}", soft_wrap=True)
    for doubt in plan.rechecks:
        console.print(f"[dim]    again {safe(doubt.environment)}: {safe(doubt.reason)}", soft_wrap=True)


def outcomes(one: RoundSummary) -> Iterator[str]:
    """What a round rejected for what, and what became of the environments that were calibrated again."""
    yield f"round {one.round}: rejected: " + (", ".join(f"{n} {code}" for code, n in one.rejected.items()) or "none")
    if one.rechecked:
        yield f"round {one.round}: calibrated again: {_rechecked(one)}"


def _rechecked(one: RoundSummary) -> str:
    words = {"kept": "in the pool", "retired": "retired", "too_hard": "on the shelf"}
    counted = ", ".join(f"{n} {words[verdict]}" for verdict, n in one.rechecked.items())
    return counted + (f" ({one.returned} from the shelf)" if one.returned else "")


def standing(records: Sequence[AnyRecord], pool: int) -> str:
    """What is in the pool, what else there is, and how evenly the pool is spread."""
    counted = states(records)
    rest = "".join(f"; {word}: {n}" for word, n in (("shelf", counted["shelf"]), ("retired", counted["retired"])) if n)
    spread = [f"{axis} {value:.2f}" for axis, value in pool_balance(records).items() if value is not None]
    return f"pool: {pool} environments" + rest + (f"; balance: {', '.join(spread)}" if spread else "")


def simulated(records: Sequence[AnyRecord]) -> bool:
    """Whether no model solved anything."""
    return any(isinstance(record, Attempt) and record.simulated for record in records)


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.0%}"
