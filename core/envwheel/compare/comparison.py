"""Matched targets through several proposers: the same skills, levels, seeds and digest for each, up to the gate.

    with opened(config, methods, watch) as comparison:
        complete = comparison.run()
    figures.of(comparison.parts.store.records)

A comparison is a run directory whose rounds are the methods, in their order. Nothing is calibrated: a candidate is done
when the gate has judged it. `compare.json` keeps what the configuration has no words for. A comparison that was
interrupted goes on where it was; a candidate that our side failed is made again then.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from envwheel.api import Digest
from envwheel.compare.methods import Method, methods
from envwheel.config import Config, override
from envwheel.domains import Domains
from envwheel.errors import SetupError, UsageError
from envwheel.flywheel import Flywheel
from envwheel.ledger import AnyRecord, Plan, ProposalNote, RoundEnd, Target
from envwheel.parts import Parts, Watch
from envwheel.propose import goals, reading
from envwheel.propose.base import Proposer
from envwheel.propose.digest import digest, seen
from envwheel.propose.procedural import Procedural
from envwheel.start import begin, control_of, proposer_of, ready_engine, settled
from envwheel.store import RunDirectory, write_file

SAVED = "compare.json"


@dataclass(frozen=True, slots=True)
class Source:
    """The run whose rollouts the proposers read; `records` is how many of its records count."""

    run: str = ""
    records: int = 0

    @classmethod
    def of(cls, run: Path | None) -> Source:
        """The run as it is now. Raises UsageError when it is none."""
        if run is None:
            return cls()
        records = RunDirectory.read(run)
        if not records:
            raise UsageError(f"--run: {run} is no run directory (it has no records).")
        return cls(str(run), len(records))

    def read(self) -> list[AnyRecord]:
        """Those records."""
        return RunDirectory.read(Path(self.run))[: self.records] if self.run else []

    def digest(self) -> Digest:
        """What is known of the solver from them."""
        return digest(seen(self.read()), Path(self.run), round=0)


class Comparison:
    """The methods of one comparison, one after the other."""

    def __init__(self, parts: Parts, methods: Sequence[Method], proposers: Sequence[Proposer], source: Source) -> None:
        self.parts, self.methods, self.proposers, self.source = parts, methods, proposers, source
        self.store, self.control = parts.store, parts.control

    def run(self) -> bool:
        """Whatever is missing; True when every target of every method is judged.

        Raises SetupError, and InfraError when our side failed ten times in a row.
        """
        for note in self.store.of(ProposalNote):
            self.control.spend(note.tokens)
        self.aim()
        for number, (method, proposer) in enumerate(zip(self.methods, self.proposers, strict=True), 1):
            own = replace(self.parts, config=method.config(self.parts.config), proposer=proposer)
            turning = Flywheel(own)
            plan = self.store.last(Plan, round=number)
            assert plan is not None
            if not self.store.of(RoundEnd, round=number) or turning.missing(plan):
                turning.turn(number)
            if not self.control.go_on():
                break
        return not any(self.missing())

    def _tell(self, number: int, records: Sequence[AnyRecord]) -> None:
        """The digest as files: of the source, and nothing of what earlier methods made."""
        folder = self.store.path / "digest" / str(number)
        if not folder.is_dir():
            tokens = self.parts.config.proposer.digest_tokens
            reading.write(folder, records, Path(self.source.run), round=0, tokens=tokens)

    def missing(self) -> Iterator[Target]:
        """Targets without a verdict."""
        for plan in self.store.of(Plan):
            yield from Flywheel(self.parts).missing(plan)

    def aim(self) -> None:
        """Plan every method: the same targets, with candidates of its own. What is planned stays."""
        config, records = self.parts.config, self.source.read()
        levels, seed = config.proposer.levels, config.run.seed
        targets = goals.plan(self.parts.domains, levels, 1, config.run.candidates, seed, records)
        scored = len(seen(records))
        for number, proposer in enumerate(self.proposers, 1):
            self._tell(number, records)
            if self.store.last(Plan, round=number):
                continue
            own = proposer.like(targets, seed) if isinstance(proposer, Procedural) else targets
            named = tuple(_named(target, number) for target in own)
            self.store.append(Plan(round=number, targets=named, rollouts_read=scored))


def _named(target: Target, number: int) -> Target:
    """`target` as the method `number` makes it: r01-c003 -> r02-c003."""
    candidate = f"r{number:02d}{target.candidate[3:]}"
    return target.model_copy(update={"candidate": candidate, "name": target.name.replace(target.candidate, candidate)})


@contextlib.contextmanager
def opened(config: Config, names: Sequence[str], source: Source, watch: Watch, *, resume: bool) -> Iterator[Comparison]:
    """Everything a comparison needs, closed at the end. Raises SetupError with what to mend."""
    chosen = methods(names)
    config = override(config, {"run.rounds": len(chosen)})
    config = settled(config, resume=resume)
    _refuse_others(config.directory, chosen, source)
    domains = Domains.load(config.run.domains)
    with contextlib.ExitStack() as stack:
        hungriest = next((one for one in chosen if one.kind == "terminal"), chosen[0])
        engine = stack.enter_context(contextlib.closing(ready_engine(hungriest.config(config), domains)))
        proposers = [stack.enter_context(contextlib.closing(_proposer(one, config, domains, engine))) for one in chosen]
        store = stack.enter_context(RunDirectory.open(config.directory))
        control = control_of(config, seats=config.proposer.parallel)
        parts = Parts(
            config,
            store,
            engine,
            domains,
            proposers[0],
            None,
            control,
            watch,
            admits=False,
            digest=source.digest(),
        )
        begin(parts, proposer=",".join(names))
        saved = {"schema": 1, "methods": list(names), "run": source.run, "run_records": source.records}
        write_file(store.path / SAVED, json.dumps(saved, indent=1))
        yield Comparison(parts, chosen, proposers, source)


def _proposer(method: Method, config: Config, domains: Domains, engine: Any) -> Proposer:
    proposer = proposer_of(method.config(config), domains, engine)
    if proposer.method != method.name:
        proposer.close()
        raise SetupError(f"--methods: '{method.name}' is not there in this version of envwheel.")
    return proposer


def read_saved(path: Path) -> tuple[list[str], Source] | None:
    """Names of the methods and source of the comparison at `path`; None when there is none. Raises UsageError."""
    try:
        saved = json.loads((path / SAVED).read_text("utf-8"))
        return [str(name) for name in saved["methods"]], Source(str(saved["run"]), int(saved["run_records"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise UsageError(f"{path / SAVED}: no record of a comparison ({type(error).__name__}: {error}).") from None


def _refuse_others(path: Path, chosen: Sequence[Method], source: Source) -> None:
    """Raise UsageError when `path` holds something else than a comparison of these methods with this source."""
    if not RunDirectory.read(path):
        return
    saved = read_saved(path)
    if saved is None:
        raise UsageError(f"{path} holds a run, no comparison. Choose another --out.")
    if saved[0] != [one.name for one in chosen]:
        raise UsageError(f"{path} was begun with --methods {','.join(saved[0])}. Use these, or another --out.")
    if saved[1].run != source.run:
        raise UsageError(f"{path} was begun with --run {saved[1].run or '(none)'}. Use this, or another --out.")
