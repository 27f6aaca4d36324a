"""One candidate on its way: folder -> gate -> calibration -> pool. Each step looks first whether it was done before.

    Candidate(parts, round=1, target=target).make()        # always ends in an `Attempt` record, or in `Stopped`

What a step finds is on disk before the next one starts, so that a run killed in between goes on where it was: a folder
is made anew from its target when it is missing, a gate note holds for the tree hash that it names, a finished rollout
is counted once whether its note was written or not, and admission is one rename.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Literal

from envwheel.attempt import Subject, attempt, trial_note
from envwheel.calibrate import BandDecision, Tried, calibrate
from envwheel.control import Stopped
from envwheel.environment import folder as folders
from envwheel.environment.hash import tree_sha256
from envwheel.gate.ladder import GateOptions, Verdict, judge
from envwheel.ledger import Attempt, GateNote, ProposalNote, Target, Tokens, TrialNote
from envwheel.parts import Parts
from envwheel.propose.seeds import derive
from envwheel.proposing import NothingProposed, Proposing, finish_rollouts
from envwheel.rates import wilson
from envwheel.rollout import RolloutSummary, read_summary
from envwheel.sandbox.base import Image
from envwheel.store import write_file
from envwheel.triage import said
from envwheel.trial import build_images

PLAIN = GateOptions(only=("build", "empty", "reference"), repeat=1, jobs=1)
"""The plain standard as a gate: it builds, one trial of the untouched state, one of the reference."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How far a candidate got."""

    stage: str
    verdict: Literal["admitted", "ok", "rejected", "infra"]
    code: str
    message: str
    note: GateNote | None = None


class Candidate:
    """One candidate of round `round`."""

    def __init__(self, parts: Parts, round: int, target: Target) -> None:
        self.parts, self.round, self.target = parts, round, target
        self.store, self.control = parts.store, parts.control
        self.images: list[Image] = []
        self.held: dict[str, Verdict] = {}
        """Tree hash -> what the gate said of a draft that held."""

    def make(self) -> Attempt:
        """Take the candidate as far as it gets and write its `Attempt`. Raises Stopped, SetupError, InfraError."""
        try:
            return self._close(self._stages())
        finally:
            self.leave()

    def leave(self) -> None:
        """Give up the images and say no more."""
        for image in self.images:
            self.parts.engine.remove(image)
        self.say("")

    def say(self, text: str) -> None:
        """Tell who watches."""
        self.parts.watch.stage(self.target.candidate, text)

    def _stages(self) -> Ending:
        target = self.target
        if target.duplicate:
            return Ending(
                "duplicate", "rejected", "duplicate", f"{target.family} has nothing new at level {target.level}"
            )
        try:
            folder = self._folder()
        except NothingProposed as nothing:
            return Ending("draft", "infra" if nothing.infra else "rejected", nothing.code, str(nothing))
        note = self._gate(folder)
        if note.verdict != "ok":
            return Ending(note.stage, note.verdict, note.code, note.message, note)
        if not self.parts.admits:
            return Ending(note.stage, "ok", "", "every step of the gate held", note)
        if self.parts.solver is None:
            self.admit(folder, note)
            return Ending("pool", "admitted", "", "the gate held; no solver was asked", note)
        decision = self.calibrated(folder, note)
        if decision.code == "infra":
            return Ending("band", "infra", "", decision.message, note)
        if not decision.in_band:
            return Ending("band", "rejected", decision.code, decision.message, note)
        self.admit(folder, note, decision)
        return Ending("pool", "admitted", "", decision.message, note)

    def _folder(self) -> Path:
        """The environment's folder: in the pool when it got there, else among the candidates, made when missing."""
        note = self.store.last(GateNote, candidate=self.target.candidate)
        place = self.store.environments / self.target.name
        if note and note.verdict == "ok" and place.exists() and tree_sha256(place) == note.tree_sha256:
            return place
        return Proposing(self.parts, self.round, self.target, self._verdict_on_draft).folder()

    def _verdict_on_draft(self, folder: Path) -> Verdict:
        """What the gate says while the proposer is at work; kept for the case that nothing is changed afterwards."""
        verdict = self._verdict(folder, replace(self.parts.gate, all_findings=True, keep_images=False))
        if verdict.verdict == "ok":
            self.held[verdict.tree_sha256] = verdict
        return verdict

    def _gate(self, folder: Path) -> GateNote:
        """What the gate says; what it said before holds for the same content unless our side had failed."""
        note = self.store.last(GateNote, candidate=self.target.candidate)
        if note and note.verdict != "infra" and note.tree_sha256 == tree_sha256(folder):
            return note
        note = self._judge(folder)
        self.store.append(note)
        if note.verdict == "infra":
            self.control.infra("gate", note.message)
        else:
            self.control.fine("gate")
        return note

    def _verdict(self, folder: Path, options: GateOptions) -> Verdict:
        parts = self.parts
        with self.control.place():
            known = parts.benchmark.faults if parts.benchmark and options.only != PLAIN.only else None
            return judge(folder, parts.engine, parts.domains, options=options, on_step=self._step, known=known)

    def _judge(self, folder: Path) -> GateNote:
        held = self.held.get(tree_sha256(folder))
        verdict = held or self._verdict(folder, self.parts.gate)
        if not held:  # a draft's images went back when it was judged
            self.images += {id(image): image for image in verdict.images.values()}.values()
        self._write_evidence(folder, verdict.evidence())
        trials = [trial for step in verdict.steps for trial in step.trials]
        untouched = next((trial.checks for trial in trials if trial.kind == "empty"), ())
        return GateNote(
            round=self.round,
            candidate=self.target.candidate,
            environment=self.target.name,
            tree_sha256=verdict.tree_sha256,
            verdict=verdict.verdict,
            code=verdict.code,
            message=verdict.message,
            stage=verdict.stage,
            seconds=0.0 if held else verdict.seconds,  # counted where the draft was judged
            cpu_s=_sum([trial.cpu_s for trial in trials]),
            plain=self._plain(folder, verdict),
            untouched_fails=tuple(check.id for check in untouched if not check.passed),
            untouched_says=said(untouched),
        )

    def _plain(self, folder: Path, verdict: Verdict) -> bool | None:
        """The plain standard. What a model wrote, or is compared, is tried by it also where `lint` ended the gate."""
        said, generated = plain(verdict), self.parts.proposer.model is None
        if said is not None or verdict.verdict != "rejected" or (generated and self.parts.admits):
            return said
        self.say("plain standard")
        return plain(self._verdict(folder, replace(PLAIN, back_off_s=self.parts.gate.back_off_s)))

    def _step(self, step: str, outcome: str) -> None:
        """Between two steps of the gate the run may be stopped."""
        if outcome == "running":
            self.say(step)
            if not self.control.go_on():
                raise Stopped

    def calibrated(self, folder: Path, note: GateNote) -> BandDecision:
        """Trials of the solver in this round until the band decision is certain. Raises Stopped."""
        parts, target = self.parts, self.target
        task = folders.read(folder)
        images = build_images(parts.engine, task)
        self.images += images.uses
        subject = Subject(task, images, target.domain)
        noted = self.store.of(TrialNote, round=self.round, candidate=target.candidate)
        taken = {trial.id for trial in self.store.of(TrialNote, candidate=target.candidate)}
        free = (id for number in count(1) if (id := f"{target.candidate}-t{number:02d}") not in taken)
        guard = threading.Lock()

        def trial(number: int) -> Tried:
            with guard:
                id = next(free)
            return tried(self._trial(subject, id))

        decision = calibrate(
            trial,
            parts.domains.band(target.domain, parts.config.band.band),
            done=[tried(trial) for trial in noted if trial.outcome != "infra"],
            untouched_fails=note.untouched_fails,
            untouched_says=note.untouched_says,
            jobs=parts.config.run.jobs,
            most_trials=parts.config.band.max_trials,
            go_on=self.control.go_on,
        )
        if decision is None:
            raise Stopped
        return decision

    def _trial(self, subject: Subject, id: str) -> TrialNote:
        """One trial, or the rollout of one that ended just before the run was killed."""
        parts = self.parts
        assert parts.solver is not None
        folder = self.store.rollouts / str(self.round)
        finished = folder / f"{id}.json"
        summary, cpu_s, log = read_summary(finished) if finished.exists() else None, None, ""
        if summary is None or summary.tree_sha256 != subject.task.tree_sha256:
            with self.control.place():
                self.say(f"trial {id[-2:]}")
                seed = derive(parts.config.run.seed, id)
                made = attempt(
                    parts.engine,
                    subject,
                    parts.solver,
                    parts.domains,
                    id=id,
                    folder=folder,
                    seed=seed,
                    round=self.round,
                )
            summary, cpu_s, log = made.summary, made.trial.cpu_s, made.trial.log_tail
        note = self._note(summary, cpu_s)
        self.store.append(note)
        self.control.spend(note.tokens)
        if note.outcome == "infra":
            self.control.infra("trial", log or note.reason)
            self.control.pause(self.control.back_off_s)
        else:
            self.control.fine("trial")
        return note

    def _note(self, summary: RolloutSummary, cpu_s: float | None) -> TrialNote:
        return trial_note(
            summary,
            candidate=self.target.candidate,
            environment=self.target.name,
            rollout=f"rollouts/{self.round}/{summary.id}.json",
            round=self.round,
            cpu_s=cpu_s,
        )

    def admit(self, folder: Path, note: GateNote, decision: BandDecision | None = None) -> None:
        """Complete the evidence and move the folder into the pool."""
        evidence = json.loads((folder / "evidence.json").read_text("utf-8"))
        if decision is not None:
            evidence["calibration"] = self._calibration(decision)
        self._write_evidence(folder, evidence)
        place = self.store.admit(folder, note.tree_sha256)
        self.parts.domains.admitted({"path": str(place), "round": self.round, **evidence})

    def _calibration(self, decision: BandDecision) -> dict[str, Any]:
        """The part of the evidence that tells of the solver's trials."""
        trials = self.store.of(TrialNote, round=self.round, candidate=self.target.candidate)
        solver = self.parts.solver
        return {
            "solver": solver.name if solver else "",
            "simulated": bool(solver and solver.simulated),
            "passes": decision.passes,
            "scored": decision.scored,
            "verifier_errors": decision.verifier_errors,
            "interval": [round(decision.low, 4), round(decision.high, 4)],
            "rollouts": [trial.rollout for trial in trials if trial.outcome != "infra"],
        }

    def _write_evidence(self, folder: Path, evidence: Mapping[str, Any]) -> None:
        # What a kill leaves half written must not lie in the folder: it would change the tree hash.
        part = self.store.path / f".{self.target.candidate}.part"
        write_file(folder / "evidence.json", json.dumps(evidence, indent=1), part=part)

    def _close(self, ending: Ending) -> Attempt:
        """Write the ledger's record of this candidate."""
        parts, target, note = self.parts, self.target, ending.note
        trials = self.store.of(TrialNote, candidate=target.candidate)
        notes = self.store.of(GateNote, candidate=target.candidate)
        proposals = self.store.of(ProposalNote, candidate=target.candidate)
        work: list[ProposalNote | GateNote | TrialNote] = [*proposals, *notes, *trials]
        scored = [trial for trial in trials if trial.outcome == "scored"]
        passes = sum(trial.passed is True for trial in scored)
        low, high = wilson(passes, len(scored)) if scored else (None, None)
        record = Attempt(
            round=self.round,
            **target.model_dump(include={"candidate", "domain", "family", "level", "skills", "seed"}),
            method=parts.proposer.method,
            model=parts.proposer.model,
            solver=parts.solver.name if parts.solver else "",
            simulated=bool(parts.solver and parts.solver.simulated),
            environment=target.name,
            tree_sha256=note.tree_sha256 if note else "",
            stage=ending.stage,
            verdict=ending.verdict,
            code=ending.code,
            message=ending.message,
            valid=note is not None and note.verdict == "ok",
            valid_plain=note.plain if note else False if ending.verdict == "rejected" else None,
            passes=passes,
            scored=len(scored),
            verifier_errors=sum(trial.outcome == "verifier_error" for trial in trials),
            infra_trials=sum(trial.outcome == "infra" for trial in trials),
            low=low,
            high=high,
            validations=sum(one.validations for one in proposals),
            harness=proposals[-1].harness if proposals else "",
            proposer_tokens=sum((one.tokens for one in proposals), Tokens()),
            solver_tokens=sum((trial.tokens for trial in trials), Tokens()),
            wall_s=sum(one.seconds for one in work),
            cpu_s=_sum([one.cpu_s for one in work]),
            rollouts=tuple(trial.rollout for trial in trials),
            finished=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        self.store.append(record)
        finish_rollouts(parts, record)
        parts.watch.closed(record)
        return record


def plain(verdict: Verdict) -> bool | None:
    """Whether it is valid by the plain standard: it builds, the untouched state scores 0 and the reference 1, once."""
    steps = {step.step: step for step in verdict.steps}
    if steps["schema"].outcome == "failed" or steps["build"].outcome == "failed":
        return False
    empty, reference = (next(iter(steps[name].trials), None) for name in ("empty", "reference"))
    if empty is not None and empty.reward != 0.0:
        return False
    return reference.reward == 1.0 if empty is not None and reference is not None else None


def tried(trial: TrialNote) -> Tried:
    """The part of a trial that calibration looks at."""
    return Tried(trial.outcome, trial.passed, trial.value, tuple(trial.checks.items()), trial.messages)


def _sum(seconds: Iterable[float | None]) -> float | None:
    """The sum of what is known; None when nothing is."""
    known = [one for one in seconds if one is not None]
    return sum(known) if known else None
