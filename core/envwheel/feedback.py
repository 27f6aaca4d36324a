"""The gate's verdict as a proposer reads it: what held, what did not, what the boxes printed, how to mend it.

judged(judge(folder, engine, domains, options=GateOptions(all_findings=True)))     # a `Judged`
"""

from __future__ import annotations

from collections.abc import Iterator

from envwheel.agent import clip
from envwheel.console import plain
from envwheel.errors import EnvwheelError
from envwheel.gate.codes import explain
from envwheel.gate.ladder import StepResult, Verdict
from envwheel.gate.report import reward_text
from envwheel.propose.base import Judged
from envwheel.trial import TrialRecord

MESSAGE = 3000
"""Characters of one finding."""
TAIL = 1500
"""Characters of what a script or a verifier printed."""
MOST_TAILS = 2
WANTED = {"empty": 0.0, "reference": 1.0, "attack": 0.0}
"""Step -> the reward that its trials ought to have."""


def judged(verdict: Verdict) -> Judged:
    """`verdict` for a proposer. What our own side failed is said as such: it is no fault of the draft."""
    infra = verdict.verdict == "infra"
    return Judged(verdict.verdict == "ok", verdict.code, "\n".join(_lines(verdict)), verdict.seconds, infra)


def _lines(verdict: Verdict) -> Iterator[str]:
    if verdict.verdict == "ok":
        yield f"OK: every step of the gate held ({verdict.seconds:.1f} s). You can submit."
    elif verdict.verdict == "infra":
        yield "The gate itself failed, not your draft. Try once more, or submit."
    else:
        yield f"NOT VALID: {verdict.code} at step {verdict.stage} ({verdict.seconds:.1f} s)."
    yield ""
    for step in verdict.steps:
        if step.outcome != "skipped":
            rewards = reward_text(trial.reward for trial in step.trials)
            yield f"- {step.step}: {step.outcome}, {step.seconds:.1f} s" + (f", rewards {rewards}" if rewards else "")
    if open_steps := [step.step for step in verdict.steps if step.outcome == "skipped"]:
        yield f"- not tried: {', '.join(open_steps)}"
    for fault in verdict.findings:
        yield from ("", f"## {fault.code}", clip(plain(fault.message), MESSAGE))
    for step in verdict.steps:
        if step.outcome == "failed":
            yield from _tails(step)
    for code in dict.fromkeys(fault.code for fault in verdict.findings):
        if text := _page(code):
            yield from ("", text)
    for warning in verdict.warnings:
        yield f"(warning: {clip(plain(warning), TAIL)})"


def _tails(step: StepResult) -> Iterator[str]:
    """What the scripts and the verifier printed in trials that went otherwise than wanted."""
    wrong = [trial for trial in step.trials if _is_wrong(step, trial)]
    for trial in wrong[:MOST_TAILS]:
        named = f"{trial.kind} {trial.id}" + (f" ({trial.perturbation})" if trial.perturbation != "plain" else "")
        yield from ("", f"### {named}: {_result(trial)}")
        if said := trial.work.log_tail.strip():
            yield f"the script printed (exit code {trial.work.exit_code}):\n{clip(plain(said), TAIL)}"
        if said := trial.log_tail.strip():
            yield f"the verifier printed (exit code {trial.exit_code}):\n{clip(plain(said), TAIL)}"
        if failed := [check for check in trial.checks if not check.passed]:
            yield "checks that failed: " + "; ".join(plain(f"{c.id}: {c.message}")[:300] for c in failed[:8])


def _is_wrong(step: StepResult, trial: TrialRecord) -> bool:
    wanted = WANTED.get(step.step)
    return trial.reward is None or (wanted is not None and trial.reward != wanted)


def _result(trial: TrialRecord) -> str:
    reward = "no reward" if trial.reward is None else f"reward {trial.reward:g}"
    return reward + (f", {plain(trial.reason)[:300]}" if trial.reason else "")


def _page(code: str) -> str:
    """What docs/gate.md says about `code`; nothing for a domain's own."""
    try:
        return explain(code).strip()
    except EnvwheelError:
        return ""
