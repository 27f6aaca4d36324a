"""envwheel.toml as typed records.

    config = load(Path("envwheel.toml"))                       # or Config() for the defaults
    config = override(config, {"run.rounds": 3, "solver.name": "simulated"})
    text = to_toml(config)                                     # as resolved; what a run directory keeps

Unknown keys and wrong types are a `ConfigError` that names the file, the path in it and what is allowed. Keys and
secrets never stand in a configuration: only the name of the environment variable that holds one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from envwheel.api import Band
from envwheel.environment.toml import dumps
from envwheel.errors import ConfigError
from envwheel.listing import canonical


class Section(BaseModel):
    """A table of envwheel.toml."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, use_attribute_docstrings=True)


class RunSection(Section):
    """[run]: how much, for whom, where to."""

    name: str = ""
    """Name of the run; default: its domains."""
    out: str = ""
    """The run directory; default: runs/NAME. Relative paths start at the working directory."""
    domains: list[str] = Field(default=["swe"], min_length=1)
    """Domain ids, in the order in which they judge."""
    rounds: int = Field(default=2, ge=1)
    """Turns of the flywheel."""
    candidates: int = Field(default=8, ge=1, le=999)
    """Candidates a round."""
    seed: int = 0
    """Equal seeds give equal candidates."""
    jobs: int = Field(default=2, ge=1)
    """Boxes at a time: gates and trials together."""
    rollouts: list[str] = []
    """Rollouts that others made: job or trial folders of Harbor, ATIF files. The digests read them too."""
    rollout_skills: dict[str, list[str]] = {}
    """Name of a foreign task -> the skills it trains, where its task.toml does not say."""
    max_dollars: float | None = Field(default=None, gt=0)
    """Start nothing more once models have cost this much. Needs a price for every model."""
    max_tokens: int | None = Field(default=None, gt=0)
    """Start nothing more once models have taken this many tokens."""
    max_hours: float | None = Field(default=None, gt=0)
    """Start nothing more after this many hours of one invocation."""


class ProposerSection(Section):
    """[proposer]: who makes candidates."""

    kind: Literal["procedural", "terminal", "prompt_only", "static"] = "procedural"
    """procedural: the domains' seeded generators; terminal: a model in a box; prompt_only: one completion of a model;
    static: environments of a pool that is there already."""
    families: list[str] = []
    """Only these families of generators; empty: all."""
    levels: list[int] = []
    """Only these levels; empty: all."""
    name: str = ""
    """The model that proposes: openai:MODEL, command:PROGRAM, ...; empty: the solver's."""
    model: dict[str, Any] = {}
    """Settings of that model (docs/models.md)."""
    agent: dict[str, Any] = {}
    """Settings of its agent loop: turns, tokens, dollars, sampling, ..."""
    parallel: int = Field(default=4, ge=1)
    """Proposers at work at the same time."""
    minutes: float = Field(default=30.0, gt=0)
    """Wall time for one candidate, without the gate's."""
    validations: int = Field(default=8, ge=0)
    """How often a draft may be judged while it is written."""
    repairs: int = Field(default=0, ge=0)
    """Further completions of prompt_only, each after the gate's findings."""
    network: bool = True
    """The proposer's box may fetch packages."""
    harness: bool = True
    """A terminal proposer keeps notes and scripts of its own, and may revise them after each round."""
    pool: str = ""
    """The folder of the static pool."""
    digest_tokens: int = Field(default=20_000, ge=2000)
    """How long the digest may be that a proposer finds in its box, estimated."""

    @property
    def is_model(self) -> bool:
        """A model proposes."""
        return self.kind in ("terminal", "prompt_only")

    @property
    def keeps_harness(self) -> bool:
        """The proposer has notes of its own."""
        return self.kind == "terminal" and self.harness

    @property
    def seats(self) -> int:
        """How many wait for a model at the same time."""
        return self.parallel if self.is_model else 0


class SolverSection(Section):
    """[solver]: whom the environments are for."""

    name: str = "local"
    """local, simulated, openai:MODEL, command:PROGRAM or scripted:PATH."""
    model: dict[str, Any] = {}
    """Settings of the model (docs/models.md): base_url, api_key_env, prices, ..."""
    agent: dict[str, Any] = {}
    """Settings of the agent loop (docs/models.md): turns, sampling, few_shot, ..."""
    simulated: dict[str, Any] = {}
    """Settings of the simulated solver (docs/models.md)."""


class BandSection(Section):
    """[band]: the default band; a domain may change it for its own environments."""

    attempts: int = Field(default=8, ge=2)
    """Scored trials that decide at the latest."""
    low_passes: int = Field(default=1, ge=1)
    """Fewest passes that are in band."""
    high_passes: int = Field(default=7, ge=1)
    """Most passes that are in band."""
    partial: bool = False
    """Without a pass, a spread of partial rewards counts too."""
    max_trials: int | None = Field(default=None, ge=2)
    """Trials of one environment at most, those without a valid reward included; default: twice `attempts`."""

    @model_validator(mode="after")
    def _is_a_band(self) -> BandSection:
        if not self.low_passes <= self.high_passes < self.attempts:
            raise ValueError("a band needs low_passes <= high_passes < attempts")
        return self

    @property
    def band(self) -> Band:
        """As the domains know it."""
        return Band(self.low_passes, self.high_passes, self.attempts, self.partial)


class GateSection(Section):
    """[gate]: what every candidate is judged by besides itself."""

    benchmarks: list[str] = []
    """Files or folders with the texts of benchmarks; a candidate that shares long runs of words is `contaminated`."""


class EngineSection(Section):
    """[engine]: what makes boxes."""

    name: str = "auto"
    """auto, docker, namespace, or one that an installed package offers."""


class Config(Section):
    """All of envwheel.toml."""

    run: RunSection = RunSection()
    proposer: ProposerSection = ProposerSection()
    solver: SolverSection = SolverSection()
    band: BandSection = BandSection()
    gate: GateSection = GateSection()
    engine: EngineSection = EngineSection()

    @property
    def directory(self) -> Path:
        """Where the run is written."""
        return Path(self.run.out or f"runs/{self.run.name or '-'.join(map(canonical, self.run.domains))}")


def load(path: Path) -> Config:
    """The configuration in `path`. Raises ConfigError."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"There is no configuration at {path}. Name another file, or leave it out.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not TOML: {error}.") from None
    return _validated(data, str(path))


def override(config: Config, changes: Mapping[str, Any]) -> Config:
    """`config` with `changes`, dotted path -> value; None means unchanged. Raises ConfigError."""
    data = config.model_dump(exclude_none=True)
    for path, value in changes.items():
        if value is not None:
            table, key = path.split(".")
            data[table][key] = value
    return _validated(data, "command line")


def to_toml(config: Config) -> str:
    """The configuration with every default written out."""
    return dumps(config.model_dump(exclude_none=True))


def _validated(data: Mapping[str, Any], where: str) -> Config:
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        raise ConfigError("\n".join(f"{where}: {_sentence(one)}" for one in error.errors())) from None


def _sentence(error: Any) -> str:
    """One of pydantic's errors with the path and what is allowed there."""
    *above, key = ("$", *map(str, error["loc"]))
    path = ".".join([*above, key])
    if error["type"] == "extra_forbidden":
        return f"{'.'.join(above)}: there is no '{key}'. Allowed: {', '.join(_fields(error['loc'][:-1]))}."
    if error["type"] == "value_error":
        return f"{path}: {error['ctx']['error']}."
    got = error["input"] if not isinstance(error["input"], dict) else "a table"
    return f"{path}: {error['msg'][:1].lower()}{error['msg'][1:]}, got {got!r}."


def _fields(location: tuple[Any, ...]) -> list[str]:
    section: Any = Config
    for step in location:
        section = section.model_fields[step].annotation
    return list(section.model_fields)
