"""The proposer of the baseline: one completion that holds every file, no terminal, nothing tried before the gate.

    proposer = PromptOnly(domains, model, settings, repairs=0)
    proposer.propose(target, desk)

With `repairs`, each further completion follows what the gate said of the draft. What an answer holds is written as it
is, with what is missing told in the note; only an answer without any file makes no folder. The brief is the one that
every proposer gets (words.py), the form of the answer is in answer_format.py.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from envwheel.agent import AgentSettings, completion_step, message_step
from envwheel.domains import Domains
from envwheel.environment.stamp import stamp
from envwheel.errors import ContextOverflow, InfraError, ModelRefused, ModelTimeout, ModelUnavailable
from envwheel.ledger import AnyRecord, Target
from envwheel.model.base import NO_USAGE, Completion, Message, Model, ModelUsage
from envwheel.propose import files_in_text, goals
from envwheel.propose.answer_format import NEEDED, format_text
from envwheel.propose.base import Desk, Judged, Proposal
from envwheel.propose.words import first_message

METHOD = "prompt_only"
MAX_TOKENS = 16_384
"""Tokens of one answer where the settings say nothing: an environment has a few thousand."""

REPAIR = """\
The gate judged your environment:

{judged}
{faults}
Mend it: write again, in the same form and completely, each file that must change. The others stay as they are. You
still have no terminal.
"""


class PromptOnly:
    """Makes candidates by `1 + repairs` completions of `model` at most. `minutes` is the wall time for one of them."""

    def __init__(
        self,
        domains: Domains,
        model: Model,
        settings: AgentSettings,
        *,
        levels: Sequence[int] = (),
        minutes: float = 30.0,
        repairs: int = 0,
        spread: bool = False,
    ) -> None:
        self.domains, self.llm, self.settings = domains, model, settings
        self.levels, self.seconds, self.repairs, self.spread = levels, 60 * minutes, repairs, spread
        self.method = f"{METHOD}+repair" if repairs else METHOD
        self.model: str | None = model.name

    def plan(self, number: int, count: int, seed: int, records: Sequence[AnyRecord]) -> list[Target]:
        """The targets of round `number`."""
        return goals.plan(self.domains, self.levels, number, count, seed, records, even=self.spread)

    def propose(self, target: Target, desk: Desk) -> Proposal:
        """Write the environment of `target`. Raises InfraError when the model cannot be reached, SetupError."""
        return _Work(self, target, desk).run()

    def close(self) -> None:
        """Free the model."""
        self.llm.close()


class _Work:
    """The making of one candidate."""

    def __init__(self, proposer: PromptOnly, target: Target, desk: Desk) -> None:
        self.proposer, self.target, self.desk = proposer, target, desk
        self.folder = desk.where / target.name
        self.files: dict[str, str] = {}
        self.faults: list[str] = []
        self.messages: list[Message] = []
        self.usage: ModelUsage = NO_USAGE
        self.validations = 0
        self.end = time.monotonic() + proposer.seconds

    def run(self) -> Proposal:
        """One answer, and one more for each repair while the gate says no."""
        proposer, target, desk = self.proposer, self.target, self.desk
        shutil.rmtree(self.folder, ignore_errors=True)  # of an earlier time that was interrupted
        brief = proposer.domains.brief(target.domain, desk.digest, target.seed, goals.goal(target))
        self._say("system", brief.system)
        domains = proposer.domains
        images = domains.image(target.domain, "work"), domains.image(target.domain, "verifier")
        form = format_text(target.name, *images, domains.kit(target.domain))
        self._say("user", f"{first_message(brief, target, desk)}\n\n{form}")
        for left in range(proposer.repairs, -1, -1):
            desk.say("repairing" if self.messages[2:] else "writing")
            try:
                answer = self._ask()
            except ContextOverflow:
                return self._done("context")
            except ModelRefused:
                return self._done("refused")
            except ModelTimeout as error:
                # An endpoint that never answered is broken; one that answered before is slow.
                if not self.messages[2:]:
                    raise InfraError("model", str(error)) from error
                return self._done("time")
            self._take(answer)
            if not left:
                break
            if reason := self._spent():
                return self._done(reason)
            judged = self._judged()
            if judged.ok:
                break
            self._say("user", REPAIR.format(judged=judged.text.strip(), faults=self._told()))
        return self._done("complete")

    def _say(self, role: str, text: str) -> None:
        self.messages.append(Message("system" if role == "system" else "user", text))
        self.desk.rollout.step(message_step(role, text))

    def _ask(self) -> Completion:
        """The next answer, recorded. Raises InfraError and the ModelErrors that end the work."""
        left = max(1.0, self.end - time.monotonic())
        sampling = replace(self.proposer.settings.sampling, seed=self.target.seed, timeout_s=left)
        try:
            answer = self.proposer.llm.complete(self.messages, (), sampling)
        except ModelUnavailable as error:
            raise InfraError("model", str(error)) from error
        self.messages.append(Message("assistant", answer.text))
        self.usage += answer.usage
        self.desk.rollout.step(completion_step(answer))
        return answer

    def _take(self, answer: Completion) -> None:
        """Add the answer's files to those that are there, and write the folder anew."""
        found = files_in_text.read(answer.text, cut=answer.finish_reason == "length")
        kept = {path: text for path, text in self.files.items() if not files_in_text.clash(path, found.files)}
        self.files = kept | dict(found.files)
        missing = [name for name in NEEDED if name not in self.files] if self.files else []
        self.faults = [*found.faults, *(f"{name} is missing" for name in missing)]
        if self.files:
            write_folder(self.folder, self.files)
            domain, kit = self.target.domain, self.proposer.domains.kit(self.target.domain)
            extra = {"model": self.proposer.llm.name}
            skills, level, method = self.target.skills, self.target.level, self.proposer.method
            stamp(self.folder, domain=domain, skills=skills, level=level, proposer=method, kit=kit, extra=extra)

    def _judged(self) -> Judged:
        """What the gate says of the draft. Raises InfraError when the gate itself fails, Stopped."""
        if not self.files:
            return Judged(False, "schema", "There is no environment yet.", 0.0)
        self.validations += 1
        started = time.monotonic()
        judged = self.desk.judge(self.folder)
        self.end += time.monotonic() - started  # the gate's time is not the proposer's
        if judged.infra:
            raise InfraError(judged.code or "host", "The gate failed while a draft was judged.")
        return judged

    def _told(self) -> str:
        """What was wrong with the answer itself, for the model."""
        return "\n".join(["", "Your answer:", *(f"- {fault}" for fault in self.faults), ""]) if self.faults else ""

    def _spent(self) -> str:
        """The budget that leaves no room for a repair, or nothing. Raises SetupError when dollars are not known."""
        if time.monotonic() >= self.end:
            return "time"
        return self.proposer.settings.used_up(self.usage, self.proposer.llm.name)

    def _done(self, reason: str) -> Proposal:
        message = "; ".join(self.faults)
        if not self.files:
            why = {"refused": "the model refused", "context": "the brief does not fit into the model's context"}
            message = why.get(reason) or message or "there is no file in the answer"
            return Proposal(None, reason, "schema", message, self.validations)
        return Proposal(self.folder, reason, message=message, validations=self.validations)


def write_folder(folder: Path, files: dict[str, str]) -> None:
    """Write `files` (plain relative paths) as `folder`, in place of what is there; at once or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name[:50]}-") as beside:
        new = Path(beside) / "new"
        for name, text in files.items():
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8", "replace"))
            path.chmod(0o755 if text.startswith("#!") else 0o644)
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)
