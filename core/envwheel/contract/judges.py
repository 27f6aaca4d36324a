"""Checks of the contract: what the domain says of environments and of trials."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

from envwheel.api import Alternative, Attack, Band, Check, Environment, Mutant, Trial
from envwheel.contract.subject import Broken, Subject, digests, thawed

SCRIPT_ID = re.compile(r"[A-Za-z0-9]+(?:[-_.][A-Za-z0-9]+)*")
MOST_ATTEMPTS = 64


def own_drafts_pass_lint(subject: Subject) -> None:
    """neither the gate's static lint nor `inspect` finds a fault in what the domain's own families build"""
    from envwheel.environment.folder import read
    from envwheel.gate.lint import before_build

    for sample, environment in subject.folders:
        for fault in before_build(read(environment.path), subject.domains):
            raise Broken(f"{sample.where}: {fault.code}: {fault.message}")


def scripts_are_sound(subject: Subject) -> None:
    """attacks, mutants and alternatives have ids of their own, a reason, and scripts that bash can parse"""
    parsed: set[str] = set()
    for where, item in _scripts(subject):
        if not SCRIPT_ID.fullmatch(item.id) or not item.why.strip() or not item.script.strip():
            raise Broken(f"{where} {item.id!r} needs a plain id, a reason and a script")
        if item.script not in parsed:
            _parse(item.script, f"{where} '{item.id}'")
            parsed.add(item.script)


def scripts_are_deterministic(subject: Subject) -> None:
    """two calls give the same attacks, mutants and alternatives"""
    if list(_scripts(subject)) != list(_scripts(subject)):
        raise Broken("attacks, mutants or alternatives differ from call to call for the same environment")


def score_keeps_its_promise(subject: Subject) -> None:
    """`score` is in [0, 1] on golden trials, and 0 where the verifier gave 0, nothing, or crashed"""
    for what, trial, must_be_zero in golden_trials():
        reward = subject.domains.score(subject.id, trial)
        if must_be_zero and (reward.value != 0.0 or reward.passed):
            raise Broken(f"{what}: expected 0 and not passed, got {reward}")
    full = subject.domains.score(subject.id, _trial({"reward": 1.0}, passed=True))
    if full.value == 0.0:
        raise Broken(f"a raw reward of 1 with every check passed became {full}")


def band_is_sane(subject: Subject) -> None:
    """`band` leaves room on both sides and can be paid for"""
    band = subject.domains.band(subject.id, Band())
    if band.attempts > MOST_ATTEMPTS:
        raise Broken(f"band asks for {band.attempts} attempts an environment; at most {MOST_ATTEMPTS}")


def arguments_stay_as_they_are(subject: Subject) -> None:
    """no hook changes what it was given"""
    for hook, argument, call in _calls(subject):
        before = thawed(argument)
        call()
        if argument != before:
            raise Broken(f"`{hook}` changed the mapping it was given from {before!r:.150} to {argument!r:.150}")


def golden_trials() -> Iterator[tuple[str, Trial, bool]]:
    """Trials with known meaning: what, trial, whether its training value must be 0."""
    yield "a raw reward of 0", _trial({"reward": 0.0}, passed=False), True
    yield "a verifier that crashed", Trial("verifier_error", {}, (), 1, 1.0, "Traceback"), True
    yield "a verifier that was killed", Trial("verifier_error", {}, (), None, 1.0, ""), True
    yield "a crash after a reward", Trial("verifier_error", {"reward": 1.0}, (), 1, 1.0, "Traceback"), True
    yield "an empty verifier output", Trial("scored", {}, (), 0, 1.0, ""), True
    yield "a trial that our side broke", Trial("infra", {}, (), None, 1.0, ""), True
    yield "a raw reward of 0.5", _trial({"reward": 0.5}, passed=False), False
    yield "a raw reward of 1", _trial({"reward": 1.0}, passed=True), False
    yield "several numbers", _trial({"reward": 1.0, "speed": 12.5}, passed=True), False


def _trial(raw: dict[str, float], *, passed: bool) -> Trial:
    return Trial("scored", raw, (Check("result", passed, 1.0, ""),), 0, 1.0, "")


def _scripts(subject: Subject) -> Iterator[tuple[str, Attack | Mutant | Alternative]]:
    domains, id = subject.domains, subject.id
    for sample, environment in subject.folders:
        for attack in domains.attacks(id, environment):
            yield f"{sample.where}: attack", attack
        for mutant in domains.mutants(id, environment):
            yield f"{sample.where}: mutant", mutant
        for alternative in domains.alternatives(id, environment):
            yield f"{sample.where}: alternative", alternative


def _parse(script: str, where: str) -> None:
    bash = shutil.which("bash")
    if bash is None:
        return
    ran = subprocess.run([bash, "-n"], input=script.encode(), capture_output=True, timeout=60)
    if ran.returncode:
        raise Broken(f"{where}: bash cannot parse it: {ran.stderr.decode(errors='replace').strip():.200}")


def _calls(subject: Subject) -> Iterator[tuple[str, Any, Callable[[], Any]]]:
    """Hook, the mapping that it could change, and the call."""
    domains, id = subject.domains, subject.id
    skills = domains.get(id).skills
    for digest in digests(subject.domain):
        yield "brief", digest.skills, lambda digest=digest: domains.brief(id, digest, 0)  # type: ignore[misc]
        yield "brief", skills, lambda digest=digest: domains.brief(id, digest, 0)  # type: ignore[misc]
    for _, trial, _ in golden_trials():
        yield "score", trial.raw, lambda trial=trial: domains.score(id, trial)  # type: ignore[misc]
    for _, environment in subject.folders:
        yield from _environment_calls(subject, environment)


def _environment_calls(subject: Subject, environment: Environment) -> Iterator[tuple[str, Any, Callable[[], Any]]]:
    domains, id = subject.domains, subject.id
    for hook in (domains.inspect, domains.attacks, domains.mutants, domains.alternatives):
        for argument in (environment.task, environment.params):
            yield hook.__name__, argument, lambda hook=hook: hook(id, environment)  # type: ignore[misc]
