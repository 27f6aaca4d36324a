"""The proposer that is an agent in a box: it writes a draft, has it judged, mends it, and hands it in.

    proposer = Terminal(domains, engine, model, settings, minutes=30, validations=8)
    proposer.propose(target, desk)

The model gets the agent loop of agent.py with `bash`, `validate` and `submit`. The draft leaves the box as a tree and
is written by the host (workspace.py, environment/stamp.py); nothing of it runs outside of a box. When a budget is used
up the draft counts as it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template
from typing import Any

from envwheel.agent import AgentSettings, AgentTool, ToolResult, in_blocks, run_agent
from envwheel.api import Draft
from envwheel.domains import Domains
from envwheel.environment.blank import blank
from envwheel.environment.stamp import kit_files, stamp
from envwheel.errors import BoxGone, InfraError, ModelUnavailable
from envwheel.ledger import AnyRecord, Target
from envwheel.model.base import Model, Tool
from envwheel.propose import goals
from envwheel.propose.base import Desk, Judged, Proposal
from envwheel.propose.practice import Improved, Practice, practise
from envwheel.propose.words import first_message
from envwheel.propose.workspace import CAPS, DRAFT, files_tree, lay, shipped, workspace
from envwheel.sandbox.base import ArtifactLimit, Box, BoxLimits, BoxSpec, Engine, Tree

METHOD = "terminal"
LIMITS = BoxLimits(cpus=1.0, memory_mb=2048, disk_mb=4096, processes=512)
GATE_S = 900.0
"""Seconds that one validation may keep a proposer's box waiting."""
MOST_INFRA = 3
"""Failures of the gate itself that are not counted as validations."""

VALIDATE = Tool(
    "validate",
    "Let the gate judge /workspace/draft as it stands. Tells every fault, what was printed, and how to mend it.",
    {"type": "object", "properties": {}},
)
SUBMIT = Tool(
    "submit", "Hand in /workspace/draft as it stands. This ends your work.", {"type": "object", "properties": {}}
)


class Terminal:
    """A model that builds environments in a box. `reference` are further files for /workspace/reference."""

    method = METHOD

    def __init__(
        self,
        domains: Domains,
        engine: Engine,
        model: Model,
        settings: AgentSettings,
        *,
        levels: Sequence[int] = (),
        minutes: float = 30.0,
        validations: int = 8,
        network: bool = False,
        spread: bool = False,
        reference: Mapping[str, bytes] | None = None,
    ) -> None:
        self.domains, self.engine, self.llm, self.settings = domains, engine, model, settings
        self.levels, self.seconds, self.validations, self.network = tuple(levels), minutes * 60, validations, network
        self.reference, self.spread = dict(reference or {}), spread
        self.model: str | None = model.name

    def plan(self, number: int, count: int, seed: int, records: Sequence[AnyRecord]) -> list[Target]:
        """The targets of round `number`: skills and levels from which the solver learns most."""
        return goals.plan(self.domains, self.levels, number, count, seed, records, even=self.spread)

    def propose(self, target: Target, desk: Desk) -> Proposal:
        """Let the model work. Raises InfraError, DomainError, SetupError, and what `desk.judge` raises to end a run."""
        brief = self.domains.brief(target.domain, desk.digest, target.seed, goals.goal(target))
        draft = self._blank(target)
        with self.engine.start(self._box(target.domain)) as box:
            try:
                self._furnish(box, target, desk, draft)
            except BoxGone as gone:  # nobody was in it yet
                raise InfraError("daemon", f"A proposer's box could not be furnished: {gone}") from gone
            sitting = Sitting(self, target, desk, box, draft)
            return sitting.work(brief.system, first_message(brief, target, desk))

    def improve(
        self, domain: str, harness: Mapping[str, bytes], results: str, on_step: Callable[[Mapping[str, Any]], None]
    ) -> Improved:
        """Let the model revise its harness after a round (practice.py). Raises InfraError, SetupError."""
        spec = replace(self._box(domain), network=False)
        practice = Practice(spec, harness, {**self.reference, **shipped()}, results, on_step)
        return practise(self.engine, self.llm, self.settings, practice)

    def close(self) -> None:
        """Free the model."""
        self.llm.close()

    def _box(self, domain: str) -> BoxSpec:
        return BoxSpec(
            self.engine.image(self.domains.image(domain, "author")).id,
            "proposer",
            user="root",
            workdir="/",
            network=self.network,
            limits=LIMITS,
            lifetime_s=self.seconds + self.validations * GATE_S + 300.0,
        )

    def _blank(self, target: Target) -> dict[str, bytes]:
        work, verifier = self.domains.image(target.domain, "work"), self.domains.image(target.domain, "verifier")
        draft = Draft(target.name, "", {}, {}, {}, (), work, verifier, skills=target.skills, level=target.level)
        kit = self.domains.kit(target.domain)
        return blank(draft, domains=[target.domain], kit=kit, proposer=METHOD)

    def _furnish(self, box: Box, target: Target, desk: Desk, draft: Mapping[str, bytes]) -> None:
        kit = {f"kit/{name}": data for name, data in kit_files(self.domains.kit(target.domain))}
        tree = workspace(
            draft,
            reference={**self.reference, **kit},
            digest=desk.digest_folder,
            examples=desk.examples,
            harness=desk.harness,
        )
        box.put(tree)


@dataclass
class Sitting:
    """One proposer at work on one target."""

    proposer: Terminal
    target: Target
    desk: Desk
    box: Box
    blank: Mapping[str, bytes]
    turns: int = 0
    validations: int = 0
    infra: int = 0
    waited: float = 0.0
    """Seconds that the gate took: they are not the proposer's."""
    submitted: bool = False
    fault: str = ""
    """Why the draft could not be taken out of the box last time."""
    last: Path | None = None
    """The folder that was made of the draft last."""

    def work(self, system: str, task: str) -> Proposal:
        """The episode, and what is left on the desk at its end."""
        try:
            reason = self._episode(system, task)
        except BoxGone as gone:
            reason = f"box_gone: {gone.reason}"
        except ModelUnavailable as error:
            raise InfraError("model", str(error)) from error
        return self._proposal("submitted" if self.submitted else reason)

    def _episode(self, system: str, task: str) -> str:
        proposer = self.proposer
        tools = [AgentTool(SUBMIT, self._submit)]
        if proposer.validations:
            tools.insert(0, AgentTool(VALIDATE, self._validate))
        settings = proposer.settings
        words = Template(settings.system).safe_substitute(validations=proposer.validations)
        if settings.fenced or not proposer.llm.supports_tools:
            words += "\n" + in_blocks(tools)
        seeded = replace(settings.sampling, seed=self.target.seed % (1 << 31))
        shell = self.box.shell()
        try:
            shell.run(f"cd {DRAFT}", timeout_s=30.0)
            return run_agent(
                proposer.llm,
                shell,
                task,
                settings=replace(settings, system=f"{system}\n\n{words}", sampling=seeded),
                timeout_s=proposer.seconds,
                on_step=self._step,
                tools=tools,
                network=proposer.network,
                clock=lambda: time.monotonic() - self.waited,
            ).reason
        finally:
            shell.close()

    def _step(self, record: Mapping[str, Any]) -> None:
        self.desk.rollout.step(record)
        if record.get("usage"):
            self.turns += 1
            self.desk.say(f"turn {self.turns}")

    def _submit(self, arguments: Mapping[str, Any]) -> ToolResult:
        self.submitted = True
        return ToolResult("Handed in.", done=True)

    def _validate(self, arguments: Mapping[str, Any]) -> ToolResult:
        """The gate's words on the draft. What the gate itself fails is not counted, a few times."""
        most = self.proposer.validations
        if self.validations >= most:
            return ToolResult(f"Nothing was judged: all {most} validations are used. Mend what you know of and submit.")
        dropped = self._stage()
        if dropped is None:
            return ToolResult(f"Nothing was judged: {self.fault}")
        assert self.last is not None
        judged = self._judge(self.last)
        if judged.infra and self.infra < MOST_INFRA:
            self.infra += 1
        else:
            self.validations += 1
        left_out = "".join(f"\n(left out: {line})" for line in dropped[:20])
        return ToolResult(f"{judged.text}{left_out}\n[{most - self.validations} of {most} validations left]")

    def _judge(self, folder: Path) -> Judged:
        started = time.monotonic()
        try:
            return self.desk.judge(folder)
        except InfraError as error:
            return Judged(False, error.cause, f"The gate itself failed, not your draft: {error}", 0.0, infra=True)
        finally:
            self.waited += time.monotonic() - started

    def _stage(self) -> list[str] | None:
        """The draft as a folder of the host, and what was left out; None when there is none, with `fault`."""
        try:
            tree = self.box.get(DRAFT, CAPS)
        except ArtifactLimit as limit:
            self.fault = (
                f"the draft is too large: {limit}. An environment has kilobytes; build large files in setup.sh."
            )
            return None
        if tree is None or self._is_blank(tree):
            self.fault = "the draft is as empty as at the beginning."
            return None
        target, domains = self.target, self.proposer.domains
        folder = self.desk.where / target.name
        dropped = lay(tree, DRAFT, folder)
        try:
            stamp(
                folder,
                domain=target.domain,
                skills=target.skills,
                level=target.level,
                proposer=METHOD,
                kit=domains.kit(target.domain),
                extra={"model": self.proposer.model or ""},
            )
        except OSError as error:
            raise InfraError("disk", f"{folder} cannot be written: {error.strerror}.") from error
        self.last = folder
        return dropped

    def _is_blank(self, tree: Tree) -> bool:
        """Whether nobody wrote anything."""
        files = {path: entry.data for path, entry in tree.entries.items() if entry.kind == "file"}
        begun = files_tree(self.blank, DRAFT).entries
        return all(path in begun and begun[path].data == data for path, data in files.items())

    def _proposal(self, reason: str) -> Proposal:
        """What is handed in: the draft as it is, or, when the box took it away, as it was judged last."""
        try:
            dropped = self._stage()
        except BoxGone:
            dropped = [] if self.last else None
            self.fault = "the box ended, and the draft with it."
        if dropped is None:
            message = f"No draft was handed in: {self.fault} The work ended: {reason}."
            return Proposal(None, reason, "schema", message, self.validations)
        message = f"left out: {'; '.join(dropped[:5])}" if dropped else ""
        return Proposal(self.last, reason, message=message, validations=self.validations)
