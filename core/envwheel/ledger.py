"""The records of a run: what was planned, what each stage said, what each attempt cost.

    line = Attempt(...).line()               # one JSON object with "schema" and "kind"
    record = parse(line)                     # the same record; keys that this version does not know are dropped

A run is a sequence of these: one `RunStart`, then for each round a `HarnessNote` (where a proposer keeps a harness), a
`Plan`, for each candidate a `ProposalNote` for every time that somebody worked on it, a `GateNote`, a `TrialNote` for
every finished trial, an `Attempt` that closes the candidate, and a `RoundEnd`. A round may calibrate environments of
earlier rounds again: their trials are `TrialNote`s of that round, closed by a `Recheck`. Dollars are None when unknown,
never 0 by guess. What ended as `infra` counts in no rate.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from envwheel.api import Outcome

if TYPE_CHECKING:
    from envwheel.model.base import ModelUsage

SCHEMA = 1


class Tokens(BaseModel):
    """Tokens and dollars that models took."""

    model_config = ConfigDict(frozen=True)

    input: int = 0
    output: int = 0
    cached: int = 0
    dollars: float | None = 0.0

    @classmethod
    def of(cls, usage: ModelUsage) -> Tokens:
        """What `usage` says."""
        return cls(
            input=usage.input_tokens, output=usage.output_tokens, cached=usage.cached_tokens, dollars=usage.dollars
        )

    def __add__(self, other: Tokens) -> Tokens:
        known = self.dollars is not None and other.dollars is not None
        return Tokens(
            input=self.input + other.input,
            output=self.output + other.output,
            cached=self.cached + other.cached,
            dollars=self.dollars + other.dollars if known else None,  # type: ignore[operator]
        )


class Record(BaseModel):
    """One line of records.jsonl."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    def line(self) -> str:
        """The record as one line of JSON, without the newline."""
        return json.dumps({"schema": SCHEMA, **self.model_dump(mode="json")}, ensure_ascii=True)


class RunStart(Record):
    """What a run is made of; written once."""

    kind: Literal["run"] = "run"
    name: str
    envwheel: str
    domains: dict[str, str]
    """Domain id -> version of its distribution."""
    proposer: str
    solver: str
    simulated: bool
    engine: str
    seed: int
    started: str
    """ISO 8601, UTC."""


class Target(BaseModel):
    """What one candidate is to be, and why. `expected` is the pass rate that the policy expects."""

    model_config = ConfigDict(frozen=True)

    candidate: str
    name: str
    """What the environment will be called."""
    domain: str
    family: str
    """The generator; for a proposer that is a model, the skill."""
    level: int
    skills: tuple[str, ...]
    seed: int
    expected: float
    reason: str
    prints: tuple[str, ...] = ()
    """Fingerprints of the draft: of its parameters and of its content."""
    duplicate: bool = False
    """The run has built the same before; nothing new was found."""
    in_band: float | None = None
    """Probability that it will be in band, by the belief of that time; the likeliest are tried first."""
    address: str = ""
    """The kind of failure that it addresses, in the words of the digest; empty when none was seen there."""


class Doubt(BaseModel):
    """An environment that is to be calibrated again in a round, and why."""

    model_config = ConfigDict(frozen=True)

    candidate: str
    environment: str
    was: Literal["pool", "shelf"]
    wrong: float
    """Probability that it stands there no longer rightly."""
    reason: str


class Plan(Record):
    """The targets of a round, drawn from the rollouts of all rounds before it."""

    kind: Literal["plan"] = "plan"
    round: int
    targets: tuple[Target, ...]
    rollouts_read: int
    """How many scored rollouts the digest saw."""
    failures: dict[str, int] = {}
    """How those that failed did so: kind -> count."""
    rechecks: tuple[Doubt, ...] = ()
    """What is calibrated again in this round."""
    taxonomy: dict[str, int] = {}
    """How many domains, skills and levels there are to aim at: "domain", "skill", "level" -> count."""


class ProposalNote(Record):
    """One time that a proposer worked on a candidate; `rollout` is the record of it, relative to the run directory."""

    kind: Literal["proposal"] = "proposal"
    round: int
    candidate: str
    id: str
    method: str
    model: str | None
    outcome: Literal["made", "nothing", "infra", "interrupted"]
    """`nothing`: no folder came of it, for `code` and `message`; `interrupted`: the run was killed meanwhile."""
    reason: str = ""
    """Why it ended: submitted, complete, or the budget that was used up."""
    code: str = ""
    message: str = ""
    tree_sha256: str = ""
    turns: int = 0
    validations: int = 0
    tokens: Tokens = Tokens()
    seconds: float = 0.0
    cpu_s: float | None = None
    rollout: str = ""
    harness: str = ""
    """Revision of the harness that it worked with."""


class HarnessNote(Record):
    """What became of the proposer's harness before round `round`, which works with `revision`.

    `interrupted`: the run was killed meanwhile; `infra`: our side failed. Both leave the revision as it was.
    """

    kind: Literal["harness"] = "harness"
    round: int
    id: str
    revision: str
    parent: str
    """The revision before."""
    action: Literal["revised", "kept", "rolled_back", "interrupted", "infra"]
    reason: str = ""
    worse: float | None = None
    """With `rolled_back`: the posterior chance that `parent` gives fewer valid candidates than `revision`."""
    left_out: tuple[str, ...] = ()
    """What of it was no plain text, or too much."""
    turns: int = 0
    tokens: Tokens = Tokens()
    seconds: float = 0.0
    rollout: str = ""


class GateNote(Record):
    """What the gate said of a candidate. With verdict `ok` calibration follows."""

    kind: Literal["gate"] = "gate"
    round: int
    candidate: str
    environment: str
    tree_sha256: str
    verdict: Literal["ok", "rejected", "infra"]
    code: str
    message: str
    stage: str
    seconds: float
    cpu_s: float | None = None
    plain: bool | None = None
    """It builds, the untouched state scored 0 and the reference 1, each once; None when that was not tried."""
    untouched_fails: tuple[str, ...] = ()
    """Ids of the checks that the untouched environment fails: what the work consists of."""
    untouched_says: dict[str, str] = {}
    """What the verifier says to those, cut short."""


class TrialNote(Record):
    """One finished trial of the solver; `rollout` is its ATIF file relative to the run directory."""

    kind: Literal["trial"] = "trial"
    round: int
    candidate: str
    environment: str
    id: str
    rollout: str
    outcome: Outcome
    reward: float | None
    value: float | None
    passed: bool | None
    reason: str
    turns: int
    seconds: float
    cpu_s: float | None = None
    tokens: Tokens = Tokens()
    checks: dict[str, bool] = {}
    """Id of each check -> passed."""
    messages: dict[str, str] = {}
    """What the verifier said to those that failed, cut short."""


class ForeignNote(Record):
    """A trial that others made and that `run.rollouts` named: it counts in digests, and in no round of this run."""

    kind: Literal["foreign"] = "foreign"
    target: Target
    """What the environment was for, as far as is known; level -1 and skill "unknown" where nobody says."""
    trial: TrialNote
    solver: str


class Attempt(Record):
    """The ledger: one attempt at making an environment, closed. Seconds are of work, not of the clock on the wall."""

    kind: Literal["attempt"] = "attempt"
    round: int
    candidate: str
    domain: str
    family: str
    level: int
    skills: tuple[str, ...]
    seed: int
    method: str
    model: str | None
    """The model that proposed; None for a generator."""
    solver: str
    simulated: bool
    environment: str
    tree_sha256: str
    stage: str
    """The last stage reached: draft, a step of the gate, duplicate, band, or pool."""
    verdict: Literal["admitted", "ok", "rejected", "infra"]
    """`ok`: the gate held, and nothing was calibrated (`envwheel compare`)."""
    code: str
    message: str
    valid: bool
    """The gate held."""
    valid_plain: bool | None = None
    """By the plain standard: it builds, untouched 0 and reference 1, once each. None when that was not tried."""
    passes: int = 0
    scored: int = 0
    verifier_errors: int = 0
    infra_trials: int = 0
    low: float | None = None
    high: float | None = None
    """95 % interval of the pass rate; reported, never used to admit."""
    validations: int = 0
    """How often the proposer had its draft judged."""
    harness: str = ""
    proposer_tokens: Tokens = Tokens()
    solver_tokens: Tokens = Tokens()
    wall_s: float = 0.0
    cpu_s: float | None = None
    rollouts: tuple[str, ...] = ()
    finished: str = ""


class Recheck(Record):
    """A calibration of an environment that was calibrated in an earlier round, on new trials alone."""

    kind: Literal["recheck"] = "recheck"
    round: int
    candidate: str
    environment: str
    was: Literal["pool", "shelf"]
    verdict: Literal["kept", "retired", "too_hard"]
    """Where it belongs from now on: in the pool, nowhere (mastered, or broken), or on the shelf for later."""
    code: str
    """What calibration found: in_band, too_easy, ...; with `infra` and `undecided` it stays where it was."""
    message: str
    solver: str
    passes: int
    scored: int
    low: float
    high: float
    wall_s: float = 0.0
    rollouts: tuple[str, ...] = ()
    finished: str = ""


class RoundEnd(Record):
    """A round is complete."""

    kind: Literal["round"] = "round"
    round: int
    finished: str


AnyRecord = (
    RunStart | Plan | ProposalNote | HarnessNote | GateNote | TrialNote | ForeignNote | Attempt | Recheck | RoundEnd
)
_ADAPTER: TypeAdapter[AnyRecord] = TypeAdapter(Annotated[AnyRecord, Field(discriminator="kind")])


class OtherSchema(ValueError):
    """A record of another version of envwheel."""


def parse(line: str | bytes) -> AnyRecord:
    """The record of one line. Raises OtherSchema, and ValueError when it is no record at all."""
    data = json.loads(line)
    if not isinstance(data, dict) or "schema" not in data:
        raise ValueError("not an object with a schema")
    if data["schema"] != SCHEMA:
        raise OtherSchema(f"record schema {data['schema']!r}; this envwheel reads schema {SCHEMA}")
    try:
        return _ADAPTER.validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"$.{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
