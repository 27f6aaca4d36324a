"""Step `empty`: the untouched environment must score 0, and must score at all.

Above 0, it is tried again: all above 0 is `empty_passes`, a mixture is `flaky`. A trial without a valid reward has run
its tests twice, which is `no_reward`.
"""

from __future__ import annotations

from envwheel.gate.lab import Batch, Lab, last_words
from envwheel.gate.options import Fault
from envwheel.trial import TrialRecord

AGAIN = 2
AGAIN_WITH_CHANCE = 7


def check(lab: Lab, batch: Batch) -> list[Fault]:
    """The faults of the untouched state."""
    first = batch.first_untouched().result()
    lab.untouched = first.artifacts
    if first.record.outcome == "verifier_error":
        return [_no_reward(first.record)]
    count = lab.options.repeat - 1 if lab.options.repeat else 0
    if first.record.reward:
        count = lab.options.repeat - 1 if lab.options.repeat else (AGAIN_WITH_CHANCE if lab.chance else AGAIN)
    more = [batch.untouched(number) for number in range(1, count + 1)]
    records = [first.record, *(future.result().record for future in more)]
    rewards = [record.reward for record in records]
    if len(set(rewards)) > 1 and not all(rewards):
        return [Fault("flaky", f"the untouched environment scores {_listed(rewards)} in {len(rewards)} trials")]
    if first.record.reward:
        return [Fault("empty_passes", f"the untouched environment scores {first.record.reward:g}")]
    return []


def _no_reward(record: TrialRecord) -> Fault:
    return Fault("no_reward", f"the untouched environment leads to no valid reward, twice: {last_words(record)}")


def _listed(rewards: list[float | None]) -> str:
    return ", ".join("none" if reward is None else f"{reward:g}" for reward in rewards)
