"""What a verifier wrote below /logs/verifier: the reward, and the checks behind it. Pure; everything read is hostile.

`read_reward(tree)` never raises: it gives a number in [0, 1] or None with a reason. reward.json wins; in
it the key `reward` counts, else its only key. All its values must be finite numbers, as Harbor wants them.
`read_checks` takes checks.json, else a CTRF report, else the last line of the verifier's output.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from envwheel.api import Check
from envwheel.sandbox.base import Entry, Tree

LOGS = "/logs/verifier"
REWARD_JSON, REWARD_TXT = f"{LOGS}/reward.json", f"{LOGS}/reward.txt"
CHECKS = f"{LOGS}/checks.json"
CTRF = (f"{LOGS}/ctrf.json", f"{LOGS}/ctrf-report.json")
READ = (REWARD_JSON, REWARD_TXT, CHECKS, *CTRF)
"""All that is ever read; a verifier may write other files beside them."""

LARGEST = 1 << 20
MOST_CHECKS = 1000
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Score:
    """A reward, or why there is none (`fault`). `raw` are all the numbers the verifier gave."""

    reward: float | None
    raw: Mapping[str, float] = field(default_factory=dict)
    fault: str = ""


def read_reward(tree: Tree | None) -> Score:
    """The verifier's reward in `tree`, the folder /logs/verifier."""
    entries = tree.entries if tree else {}
    if REWARD_JSON in entries:
        return _from_json(entries[REWARD_JSON])
    if REWARD_TXT in entries:
        return _from_text(entries[REWARD_TXT])
    return Score(None, fault="no reward file was written")


def _from_text(entry: Entry) -> Score:
    text = _text(entry)
    if text is None:
        return Score(None, fault="reward.txt is no plain text file")
    if not _NUMBER.fullmatch(text.strip(" \t\r\n")):
        return Score(None, fault="reward.txt is empty" if not text.strip() else "reward.txt holds no number")
    return _within({"reward": float(text)}, "reward")


def _from_json(entry: Entry) -> Score:
    value = _json(entry)
    if not isinstance(value, dict) or not value:
        return Score(None, fault="reward.json is no JSON object of numbers")
    raw: dict[str, float] = {}
    for key, number in value.items():
        if isinstance(number, bool) or not isinstance(number, int | float):
            return Score(None, fault=f"reward.json: {key[:100]!r} is no number")
        raw[key] = _as_float(number)
        if not math.isfinite(raw[key]):
            return Score(None, fault=f"reward.json: {key[:100]!r} is not finite")
    if "reward" not in raw and len(raw) > 1:
        return Score(None, raw, "reward.json has several keys and none is `reward`")
    return _within(raw, "reward" if "reward" in raw else next(iter(raw)))


def _within(raw: Mapping[str, float], key: str) -> Score:
    if 0.0 <= raw[key] <= 1.0:
        return Score(raw[key], raw)
    return Score(None, raw, f"the reward {raw[key]:g} is outside 0 to 1")


def _as_float(number: int | float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _text(entry: Entry) -> str | None:
    if entry.kind != "file" or len(entry.data) > LARGEST:
        return None
    try:
        return entry.data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _json(entry: Entry | None) -> Any:
    text = _text(entry) if entry else None
    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def read_checks(tree: Tree | None, output: str, reward: float | None) -> tuple[Check, ...]:
    """The named checks of a grading; the last line of `output` as the only one where the verifier named none."""
    entries = tree.entries if tree else {}
    listed = _json(entries.get(CHECKS))
    if isinstance(listed, list):
        return tuple(check for item in listed[:MOST_CHECKS] if (check := _check(item)))
    for name in CTRF:
        report = _json(entries.get(name))
        tests = report.get("results", {}) if isinstance(report, dict) else None
        tests = tests.get("tests") if isinstance(tests, dict) else None
        if isinstance(tests, list):
            return tuple(check for item in tests[:MOST_CHECKS] if (check := _ctrf(item)))
    lines = output.strip().splitlines()
    if reward is None or not lines:
        return ()
    return (Check(lines[-1].strip()[:200], reward >= 1.0),)


def _check(item: Any) -> Check | None:
    if not isinstance(item, dict) or not isinstance(item.get("id"), str) or not isinstance(item.get("passed"), bool):
        return None
    weight, message = item.get("weight", 1.0), item.get("message", "")
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not math.isfinite(_as_float(weight)):
        weight = 1.0
    return Check(
        item["id"][:200], item["passed"], _as_float(weight), message[:1000] if isinstance(message, str) else ""
    )


def _ctrf(item: Any) -> Check | None:
    if not isinstance(item, dict) or not isinstance(item.get("name"), str):
        return None
    message, trace = item.get("message", ""), item.get("trace", "")
    # pytest's own message only says in which phase a test failed; what failed is in the lines marked E.
    if isinstance(trace, str) and (errors := re.findall(r"^E +(.*)", trace, re.M)):
        message = "\n".join(errors)
    passed = item.get("status") == "passed"
    return Check(item["name"][:200], passed, message=message[:1000] if isinstance(message, str) else "")
