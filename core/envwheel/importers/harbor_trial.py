"""How a trial in a folder of Harbor's ended: its outcome, reward, checks, times and tokens.

`Trial(folder, result, config, notes).summary(turns=n)` gives a `RolloutSummary`. Works for 0.6 to 0.26; what could not
be read is added to `notes`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from envwheel.api import Check, Outcome
from envwheel.importers.trajectories import count, dollars
from envwheel.model.base import ModelUsage
from envwheel.reward import CHECKS, CTRF, LARGEST, LOGS, REWARD_JSON, REWARD_TXT, Score, read_checks, read_reward
from envwheel.rollout import RolloutSummary
from envwheel.sandbox.base import Entry, Tree

OF_THE_AGENT = {
    "AgentTimeoutError": "time",
    "ContextWindowExceededError": "context",
    "ContextLengthExceededError": "context",
    "OutputTokenExceededError": "tokens",
    "OutputLengthExceededError": "tokens",
    "AgentSafetyRefusalError": "refused",
    "ContentPolicyViolationError": "refused",
    "NonZeroAgentExitCodeError": "agent_error",
}
"""Ends that belong to the agent: graded like any other."""
OF_THE_VERIFIER = re.compile(r"Verifier|RewardFile|AddTestsDir|DownloadVerifierDir")
NEVER_RAN = re.compile(
    r"could not get lock|unable to acquire the dpkg|dpkg was interrupted|dpkg returned an error|sub-process \S*dpkg"
    r"|no space left on device|(uvx?|pytest|pip3?): (command )?not found|could not resolve host|failed to (fetch|down)",
    re.I,
)
"""What a verifier prints that never came to its tests. With a reward of 0 and no report of a test, it is no verdict."""
TAIL = 1 << 16


def is_trial(folder: Path) -> bool:
    """`folder` is one trial of Harbor's: its config.json or result.json names the task, or it has a trial's folders."""
    if not any((folder / name).is_file() for name in ("result.json", "config.json", "trial.log", "exception.txt")):
        return False
    return any((folder / name).is_dir() for name in ("agent", "verifier")) or (folder / "trial.log").is_file()


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial folder; `result` and `config` are its JSON files, empty where they could not be read."""

    folder: Path
    result: Mapping[str, Any]
    config: Mapping[str, Any]
    notes: list[str]

    @property
    def task_folder(self) -> Path | None:
        """Where the task lies, or lay, on this machine; None for one of a repository or registry."""
        task = _table(self.config.get("task"))
        path = task.get("path")
        return Path(path) if isinstance(path, str) and path and not task.get("git_url") else None

    @property
    def name(self) -> str:
        """The task's name."""
        named = self.result.get("task_name") or _table(self.config.get("task")).get("name")
        if isinstance(named, str) and named:
            return named.rpartition("/")[2]
        return self.folder.name.rpartition("__")[0] or self.folder.name

    @property
    def limit_s(self) -> float | None:
        """The agent's time limit where the job changed it, seconds."""
        limit = _table(self.config.get("agent")).get("override_timeout_sec")
        return float(limit) if isinstance(limit, int | float) and limit > 0 else None

    def summary(self, *, turns: int) -> RolloutSummary:
        """How it ended."""
        score, checks = self._graded()
        outcome, reason = self._outcome(score, checks)
        reward = score.reward if outcome == "scored" else None
        agent = _table(self.result.get("agent_result"))
        return RolloutSummary(
            id=self.folder.name,
            environment=self.name,
            tree_sha256="",
            solver=self._solver(),
            outcome=outcome,
            reward=reward,
            value=reward,
            passed=None if reward is None else reward >= 1.0,
            reason=reason,
            turns=turns,
            usage=ModelUsage(
                count(agent.get("n_input_tokens")),
                count(agent.get("n_output_tokens")),
                count(agent.get("n_cache_tokens")),
                dollars(agent.get("cost_usd")),
            ),
            seconds=_seconds(self.result) or 0.0,
            checks=checks,
            work_s=_seconds(_table(self.result.get("agent_execution"))),
        )

    def _solver(self) -> str:
        info, agent = _table(self.result.get("agent_info")), _table(self.config.get("agent"))
        model = _table(info.get("model_info")).get("name") or agent.get("model_name")
        name = info.get("name") or agent.get("name") or agent.get("import_path")
        return " ".join(str(one) for one in (name, model) if isinstance(one, str) and one) or "unknown"

    def _graded(self) -> tuple[Score, tuple[Check, ...]]:
        """The reward and the checks: of the verifier's own files, else what result.json says."""
        tree = self._tree()
        score = read_reward(tree)
        if score.reward is None and not {REWARD_JSON, REWARD_TXT} & set(tree.entries):
            rewards = _table(_table(self.result.get("verifier_result")).get("rewards"))
            value = rewards.get("reward", next(iter(rewards.values()), None) if len(rewards) == 1 else None)
            if isinstance(value, int | float) and not isinstance(value, bool) and 0.0 <= value <= 1.0:
                score = Score(float(value))
        has_report = any(name in tree.entries for name in (CHECKS, *CTRF))
        return score, read_checks(tree, "", score.reward) if has_report else ()

    def _tree(self) -> Tree:
        """The verifier's files, as they lay below /logs/verifier."""
        entries = {}
        for path in (REWARD_JSON, REWARD_TXT, CHECKS, *CTRF):
            file = self.folder / "verifier" / path.removeprefix(f"{LOGS}/")
            try:
                if file.is_file() and not file.is_symlink():
                    with file.open("rb") as stream:
                        entries[path] = Entry("file", 0o644, stream.read(LARGEST + 1))
            except OSError as error:
                self.notes.append(f"{file.name}: {error.strerror}")
        return Tree(entries)

    def _outcome(self, score: Score, checks: tuple[Check, ...]) -> tuple[Outcome, str]:
        """Outcome and reason. What the machine failed is no zero, and neither is a verifier that never ran."""
        raised = self._exception()
        reason = OF_THE_AGENT.get(raised, raised)
        if score.reward is None:
            if not raised and not self.result:
                return "infra", "the trial did not finish"
            if not raised or raised in OF_THE_AGENT or OF_THE_VERIFIER.search(raised):
                return "verifier_error", reason or score.fault or "no reward"
            return "infra", reason
        if self.result.get("reward_valid") is False:
            return ("verifier_error" if OF_THE_VERIFIER.search(raised) else "infra"), reason or "reward not valid"
        if score.reward == 0.0 and not checks and NEVER_RAN.search(self._output()):
            return "verifier_error", "the verifier did not run"
        return "scored", reason or "done"

    def _exception(self) -> str:
        """The type of the exception that ended the trial, or ""."""
        info = _table(self.result.get("exception_info"))
        if isinstance(info.get("exception_type"), str):
            return str(info["exception_type"])[:80]
        text = tail(self.folder / "exception.txt")
        named = re.findall(r"^(?:\w+\.)*(\w*(?:Error|Exception|Timeout|Cancelled\w*))\b", text, re.M)
        return named[-1][:80] if named else "exception" if text.strip() else ""

    def _output(self) -> str:
        return tail(self.folder / "verifier/test-stdout.txt")


def tail(path: Path) -> str:
    """The end of a text file; nothing where there is none."""
    if not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - TAIL))
            return file.read(TAIL).decode("utf-8", "replace")
    except OSError:
        return ""


def _seconds(span: Mapping[str, Any]) -> float | None:
    """Between `started_at` and `finished_at`."""
    try:
        start, end = (datetime.fromisoformat(str(span[key])) for key in ("started_at", "finished_at"))
        return max(0.0, round((end - start).total_seconds(), 3))
    except (KeyError, ValueError, TypeError):
        return None


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
