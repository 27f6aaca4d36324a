"""Step `reference`: the reference solution must score 1, every time, in boxes that differ as hosts do.

Trial 1 is plain, trial 2 has the clock at +400 days, trial 3 another host name, time zone, locale, hash seed and test
order, and half of the declared limits; the untouched state is repeated beside them. Where randomness is suspected there
are eight plain trials. What fails is tried again with one thing changed, so that the code names the cause.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

from envwheel.gate.chance import download
from envwheel.gate.lab import Batch, Lab, last_words
from envwheel.gate.options import Fault
from envwheel.trial import Attempt, Perturbation, TrialRecord

PLAIN_WITH_CHANCE = 8
UNTOUCHED_AGAIN = 2
SHARE = 0.5
"""Of a declared limit, that the reference may need."""
CLOCK = Perturbation("clock", clock_days=400)
NETWORK = Perturbation("network", network=True)
OTHER_ENV = {"TZ": "<+14>-14", "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}
TIGHT = Perturbation("other_host_half_limits", limits_fraction=SHARE, env=OTHER_ENV)
"""Number of trial 3's draws; its host name is none that a plain trial has."""
OTHER_NUMBER = 100


def check(lab: Lab, batch: Batch) -> list[Fault]:
    """The faults of the reference. One is enough unless all are asked for, and each makes the next ones moot."""
    repeat = lab.options.repeat
    count = repeat or (PLAIN_WITH_CHANCE if lab.chance else 1)
    perturbed = repeat != 1
    first = batch.first_reference()
    untouched = [batch.untouched(n) for n in range(1, 1 + UNTOUCHED_AGAIN)] if perturbed and not repeat else []
    clock = batch.reference(0, perturbation=CLOCK) if perturbed and "clock" not in lab.engine.lacks else None
    tight = batch.reference(OTHER_NUMBER, perturbation=_tight(lab)) if perturbed else None
    others = [batch.reference(number) for number in range(1, count)]
    if perturbed and clock is None:
        lab.skipped.add("clock")
    lab.reference = first.result().artifacts
    if not lab.holds(first.result().record):
        for moot in (*untouched, *filter(None, (clock, tight))):
            moot.cancel()
        return [_first_failed(lab, batch, first.result().record, others)]
    lab.fixed = _fixed([future for future in (first, clock, tight, *others) if future])
    fault = (
        _repetition(lab, others)
        or _untouched(untouched)
        or (_clock(lab, clock) if clock else None)
        or (_other_host(lab, batch, tight) if tight else None)
        or _slow(lab, batch, first.result().record)
        or _downloads(lab)
    )
    return [fault] if fault else []


def _fixed(references: list[Future[Attempt]]) -> frozenset[str]:
    """Paths of artifacts that every trial left with the same content."""
    trees = [future.result().artifacts.entries for future in references]
    return frozenset(path for path in trees[0] if all(tree.get(path) == trees[0][path] for tree in trees))


def _tight(lab: Lab) -> Perturbation:
    pytest = "pytest" in (lab.task.path / "tests/test.sh").read_text("utf-8", "replace")
    fraction = 1.0 if "limits" in lab.engine.lacks else SHARE
    if fraction == 1.0:
        lab.skipped.add("limits")
    return replace(TIGHT, reverse_tests=pytest, limits_fraction=fraction)


def _first_failed(lab: Lab, batch: Batch, first: TrialRecord, others: list[Future[Attempt]]) -> Fault:
    """Why the plain trial failed: chance, network, or the reference itself."""
    said = last_words(first)
    scored = "gets no valid reward" if first.reward is None else f"scores {first.reward:g}"
    if any(lab.holds(future.result().record) for future in others):
        return Fault("flaky", f"the reference {scored} in one plain trial and 1 in another ({lab.chance})")
    if _may_lack_network(lab) and lab.holds(batch.reference(0, perturbation=NETWORK).result().record):
        # A coin that fell twice is no network: with it the reference holds again, without it it does not.
        again = [batch.reference(0), batch.reference(1)]
        connected = batch.reference(1, perturbation=NETWORK)
        if any(lab.holds(one.result().record) for one in again) or not lab.holds(connected.result().record):
            return Fault("flaky", f"the reference {scored} in one plain trial and 1 in another")
        return Fault("needs_network", f"the reference scores 1 only with network; without it {scored}: {said}")
    if not others and lab.holds(batch.reference(1).result().record):
        return Fault("flaky", f"the reference {scored} in one plain trial and 1 in another")
    installs = download(lab.task.path)
    if installs:
        return Fault("needs_network", f"the tests install or download at grading time ({installs}); reference {scored}")
    return Fault("reference_fails", f"the reference {scored}: {said}" if said else f"the reference {scored}")


def _may_lack_network(lab: Lab) -> bool:
    config = lab.task.config
    if config.network_asked and (config.verifier_network_asked or not config.separate):
        return False
    if "network" in lab.engine.lacks:
        lab.skipped.add("network")
        return False
    return True


def _repetition(lab: Lab, others: list[Future[Attempt]]) -> Fault | None:
    for number, future in enumerate(others, 2):
        if not lab.holds(future.result().record):
            why = f" ({lab.chance})" if lab.chance else ""
            said = last_words(future.result().record)
            return Fault("flaky", f"the reference scores 1 in plain trial 1, but not in number {number}{why}: {said}")
    return None


def _untouched(repeated: list[Future[Attempt]]) -> Fault | None:
    for future in repeated:
        if future.result().record.reward != 0.0:
            reward = future.result().record.reward
            shown = "no valid reward" if reward is None else f"{reward:g}"
            return Fault("flaky", f"the untouched environment scored 0, and {shown} in a later trial")
    return None


def _clock(lab: Lab, clock: Future[Attempt]) -> Fault | None:
    record = clock.result().record
    if lab.holds(record):
        return None
    return Fault(
        "flaky", f"the reference does not hold with the clock at +{CLOCK.clock_days} days: {last_words(record)}"
    )


def _other_host(lab: Lab, batch: Batch, tight: Future[Attempt]) -> Fault | None:
    record, change = tight.result().record, _tight(lab)
    if lab.holds(record):
        return None
    flaky = Fault(
        "flaky", "the reference does not hold with another host name, time zone, locale, hash seed and test order: "
    )
    roomy = replace(change, name="other_host", limits_fraction=1.0)
    full = batch.reference(OTHER_NUMBER, perturbation=roomy).result().record
    again = batch.reference(OTHER_NUMBER, perturbation=change).result().record if lab.holds(full) else record
    if not lab.holds(full) or lab.holds(again):
        return replace(flaky, message=flaky.message + last_words(record))
    limits = lab.task.config.limits.scaled(SHARE)
    had = f"{limits.memory_mb} MiB, {limits.cpus:g} CPUs, {limits.processes} processes, {limits.disk_mb} MiB of disk"
    return Fault(
        "head_room", f"the reference needs more than half of a limit; with {had} it fails: {last_words(again)}"
    )


def _slow(lab: Lab, batch: Batch, first: TrialRecord) -> Fault | None:
    """More than half of a time limit, twice in a row."""
    if not _over_time(lab, first):
        return None
    again = batch.reference(0).result().record
    over = _over_time(lab, again)
    return Fault("head_room", f"the reference needs more than half of {over}") if over else None


def _over_time(lab: Lab, record: TrialRecord) -> str:
    config = lab.task.config
    if record.work.seconds > SHARE * config.agent_timeout_s:
        return f"the solver's time limit: {record.work.seconds:.1f} of {config.agent_timeout_s:g} s"
    if record.verifier_seconds > SHARE * config.verifier_timeout_s:
        return f"the tests' time limit: {record.verifier_seconds:.1f} of {config.verifier_timeout_s:g} s"
    return ""


def _downloads(lab: Lab) -> Fault | None:
    line = download(lab.task.path)
    return Fault("needs_network", f"the tests install or download at grading time: {line}") if line else None
