"""What every domain must keep, as plain functions: `envwheel plugin check NAME` runs them, and so can a domain's tests.

    import pytest
    from envwheel.contract import CHECKS, Subject

    @pytest.fixture(scope="module")
    def subject():
        return Subject("my_domain")

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_contract(check, subject):
        check(subject)

A check takes a `Subject` and raises `Broken` (an AssertionError) with what is wrong. None of them needs an engine:
whether references, attacks and mutants score as they must is for `envwheel check` on folders that the domain builds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from envwheel.contract import distribution, drafts, judges, words
from envwheel.contract.subject import Broken, Subject
from envwheel.errors import EnvwheelError

__all__ = ["CHECKS", "Broken", "Check", "Result", "Subject", "check_domain"]

Check = Callable[[Subject], None]

CHECKS: tuple[Check, ...] = (
    distribution.one_entry_point,
    distribution.core_is_required_with_an_upper_bound,
    distribution.import_is_light,
    words.loads,
    words.description_is_complete,
    words.brief_is_pure,
    words.brief_names_no_host_path,
    words.base_images_are_pinned,
    words.kit_files_exist,
    words.probe_answers,
    drafts.families_build,
    drafts.families_are_deterministic,
    drafts.seeds_differ,
    drafts.skills_are_declared,
    drafts.instructions_name_the_artifacts,
    drafts.images_are_known,
    drafts.drafts_become_folders,
    judges.own_drafts_pass_lint,
    judges.scripts_are_sound,
    judges.scripts_are_deterministic,
    judges.score_keeps_its_promise,
    judges.band_is_sane,
    judges.arguments_stay_as_they_are,
)
"""All checks, cheapest first. `words.loads` and what is before it decide whether the rest makes sense."""

_FIRST = frozenset({distribution.one_entry_point, words.loads})


@dataclass(frozen=True, slots=True)
class Result:
    """What one check found. `promise` is what it holds the domain to."""

    check: str
    promise: str
    outcome: Literal["ok", "failed", "skipped"]
    message: str = ""
    seconds: float = 0.0


def check_domain(id: str) -> Iterator[Result]:
    """Run every check on the installed domain `id`; what a domain that does not load cannot show is skipped."""
    subject = Subject(id)
    hopeless = False
    for check in CHECKS:
        if hopeless:
            yield _result(check, "skipped", "the domain cannot be loaded")
            continue
        started = time.monotonic()
        try:
            check(subject)
        except (Broken, EnvwheelError) as error:
            hopeless = check in _FIRST
            yield _result(check, "failed", str(error), time.monotonic() - started)
        else:
            yield _result(check, "ok", "", time.monotonic() - started)


def _result(check: Check, outcome: Literal["ok", "failed", "skipped"], message: str, seconds: float = 0.0) -> Result:
    return Result(check.__name__, " ".join((check.__doc__ or "").split()), outcome, message, round(seconds, 3))
