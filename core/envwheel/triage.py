"""An environment that nobody solves: is the task at fault, or only hard? By what the verifier said, without a model.

    blamed(trials, untouched_fails, untouched_says)      # why the design is to blame, "" where failures are scattered

The design is to blame when more than half of the trials did part of the work and failed in the same way:

1. on one and the same check, all others holding; or
2. on one and the same check, with the same message about the same values, whatever else failed. Where attempts agree
   with each other on what they made, and the verifier disagrees with all, it asks for something nobody can know.

Part of the work: a check holds that the untouched environment fails. A verifier with a single check cannot show that;
there it is a message that the untouched environment does not get. Messages about a thing that is missing, or without
any value in them, say nothing here: every attempt that did not get that far gets the same.

Where nobody tried the untouched environment (`known=False`), the checks that failed somewhere count as the work, and
rule 2 holds for whoever did anything.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from envwheel.api import EMPTY, Check

KEPT = 200
"""Characters of a message that records keep."""
MOST_CHECKS = 30
"""Failed checks whose messages a record keeps."""
_FORM = (
    (re.compile(r"0x[0-9a-f]+", re.I), "0x"),
    (re.compile(r"/(?:tmp|var/tmp|run)/[^\s'\",:)]+"), "/tmp/x"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?Z?"), "TIME"),
    (re.compile(r"\b\d+(?:\.\d+)?\s?(?:s|ms|sec|seconds)\b"), "SECONDS"),
    (re.compile(r"\b(pid|process|port|line)\s+\d+", re.I), r"\1 N"),
    (re.compile(r"\s+"), " "),
)
_MISSING = re.compile(
    r"no such file|not found|does not exist|is missing|missing|is absent|FileNotFoundError|no plain", re.I
)
_VALUES = re.compile(r"\d|'[^']+'|\"[^\"]+\"|==|!=")
_ASSERTION = re.compile(r"^E?\s*((?:\w+\.)*\w*(?:Error|Exception|Failed)\b.*)", re.M)


class Told(Protocol):
    """The checks of one trial, and what the verifier said to the failed ones."""

    @property
    def checks(self) -> Iterable[tuple[str, bool]]: ...

    @property
    def messages(self) -> Mapping[str, str]: ...


def said(checks: Iterable[Check]) -> dict[str, str]:
    """Check id -> message of those that failed, short enough for a record."""
    failed = [check for check in checks if not check.passed and check.message]
    return {check.id: check.message[:KEPT] for check in failed[:MOST_CHECKS]}


def message_class(message: str) -> str:
    """A message without what changes from run to run: addresses, scratch paths, times, line numbers. Values stay."""
    found = _ASSERTION.search(message)
    text = (found.group(1) if found else message).strip()
    for pattern, put in _FORM:
        text = pattern.sub(put, text)
    return text.strip()[:KEPT]


def blamed(
    trials: Sequence[Told],
    untouched_fails: Sequence[str] = (),
    untouched_says: Mapping[str, str] = EMPTY,
    *,
    known: bool = True,
) -> str:
    """Why the task and not the solver is at fault, for `trials` of which none passed; "" when it is not."""
    work = set(untouched_fails) if known else {id for one in trials for id, passed in one.checks if not passed}
    votes: Counter[str] = Counter()
    for trial in trials:
        votes.update(set(_faults(trial, work, untouched_says, known)))
    if not votes:
        return ""
    fault, count = votes.most_common(1)[0]
    return f"{count} of {len(trials)} trials {fault}" if count > len(trials) / 2 else ""


def _faults(trial: Told, work: set[str], untouched_says: Mapping[str, str], known: bool) -> Iterable[str]:
    """The ways in which a trial failed that tell of the task."""
    checks = list(trial.checks)
    failed = [id for id, passed in checks if not passed]
    part_done = any(passed and id in work for id, passed in checks)
    if part_done and len(failed) == 1:
        yield f"fail only `{failed[0]}`"
    for id in failed:
        message = message_class(trial.messages.get(id, ""))
        news = message != message_class(untouched_says.get(id, ""))
        if news and (part_done or len(checks) == 1 or not known) and shows_a_result(message):
            yield f"fail `{id}` with: {message}"


def shows_a_result(message: str) -> bool:
    """The message speaks of values, not of a thing that is missing: something was made, and found wrong."""
    return bool(_VALUES.search(message)) and not _MISSING.search(message)
