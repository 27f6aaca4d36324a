"""Opens all that a run is made of: directory, domains, engine, solver, proposer.

config = settled(config, resume=True)              # the saved configuration joins in; refuses what cannot change
with opened(config, watch) as parts:
    Flywheel(parts).run()
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from envwheel.config import Config, ProposerSection, SolverSection, load, to_toml
from envwheel.control import Control
from envwheel.domains import Domains
from envwheel.errors import ConfigError, SetupError, UsageError
from envwheel.gate.codes import page
from envwheel.gate.novelty import Benchmark
from envwheel.ledger import RunStart
from envwheel.model.base import Model
from envwheel.model.registry import open_model
from envwheel.parts import Parts, Watch
from envwheel.prepare import base_images
from envwheel.presets import agent_settings
from envwheel.propose.base import Proposer
from envwheel.propose.procedural import Procedural
from envwheel.propose.prompt_only import MAX_TOKENS, PromptOnly
from envwheel.propose.static import Static
from envwheel.sandbox.base import Engine
from envwheel.sandbox.engines import open_engine
from envwheel.solver import Solver, open_solver
from envwheel.store import RunDirectory, write_file
from envwheel.version import __version__

CONFIG = "envwheel.toml"

FIXED = ("run.domains", "run.candidates", "run.seed", "proposer", "solver", "band")
"""What a run keeps for its whole life: its records would not fit together otherwise."""


def settled(config: Config, *, resume: bool) -> Config:
    """`config` once it is sure that it may be run there. Raises UsageError, ConfigError."""
    if config.proposer.is_model:
        _who_proposes(config)
    path = config.directory
    if not RunDirectory.read(path):
        return config
    if not resume:
        raise UsageError(f"{path} already holds a run. Go on with --resume, or choose another --out.")
    saved = load(path / CONFIG)
    changed = [name for name in FIXED if _value(saved, name) != _value(config, name)]
    if changed:
        raise UsageError(
            f"{path} was begun with another {', '.join(changed)}: see {path / CONFIG}. "
            "A resumed run keeps these; start a new one with --out."
        )
    return config


def _value(config: Config, name: str) -> object:
    value: object = config
    for part in name.split("."):
        value = getattr(value, part)
    return value


@contextlib.contextmanager
def opened(config: Config, watch: Watch, *, calibrated: bool = True) -> Iterator[Parts]:
    """Everything a run needs, closed at the end; without `calibrated` no solver. Raises SetupError: what to mend."""
    domains = Domains.load(config.run.domains)
    benchmark = Benchmark(map(Path, config.gate.benchmarks)) if config.gate.benchmarks else None
    with contextlib.ExitStack() as stack:
        solver = stack.enter_context(contextlib.closing(solver_of(config, domains))) if calibrated else None
        engine = stack.enter_context(contextlib.closing(ready_engine(config, domains)))
        proposer = stack.enter_context(contextlib.closing(proposer_of(config, domains, engine)))
        store = stack.enter_context(RunDirectory.open(config.directory))
        control = control_of(config, seats=config.proposer.seats or 2 * config.run.jobs)
        parts = Parts(config, store, engine, domains, proposer, solver, control, watch, benchmark=benchmark)
        begin(parts)
        yield parts


def control_of(config: Config, *, seats: int) -> Control:
    """The budgets and places of [run], with `seats` for proposers."""
    run = config.run
    return Control(
        run.jobs, max_dollars=run.max_dollars, max_tokens=run.max_tokens, max_hours=run.max_hours, seats=seats
    )


def begin(parts: Parts, proposer: str = "") -> None:
    """Write the configuration as resolved and, the first time, who began the run with what.

    `proposer` stands in the record in place of the one method, where there are several.
    """
    store, config = parts.store, parts.config
    write_file(store.path / CONFIG, to_toml(config))
    if not store.of(RunStart):
        store.append(
            RunStart(
                name=config.directory.name,
                envwheel=__version__,
                domains=dict(parts.domains.versions),
                proposer=proposer or parts.proposer.method,
                solver=parts.solver.name if parts.solver else "",
                simulated=bool(parts.solver and parts.solver.simulated),
                engine=parts.engine.name,
                seed=config.run.seed,
                started=datetime.now(UTC).isoformat(timespec="seconds"),
            )
        )


def solver_of(config: Config, domains: Domains) -> Solver:
    """The configured solver. Raises SetupError, ConfigError."""
    section = config.solver
    simulated = section.name == "simulated"
    settings = section.simulated if simulated else {"model": section.model, "agent": section.agent}
    return open_solver(section.name, settings, domains)


def proposer_of(config: Config, domains: Domains, engine: Engine) -> Proposer:
    """The configured proposer. Raises SetupError, ConfigError."""
    section = config.proposer
    if section.kind == "terminal":
        return _terminal(config, domains, engine)
    if section.kind == "prompt_only":
        settings = agent_settings({"max_tokens": MAX_TOKENS, **section.agent})
        return PromptOnly(
            domains,
            proposing_model(config),
            settings,
            levels=section.levels,
            minutes=section.minutes,
            repairs=section.repairs,
            spread=section.spread,
        )
    if section.kind == "static":
        return Static(domains, Path(section.pool))
    return Procedural(domains, section.families, section.levels, spread=section.spread)


def _terminal(config: Config, domains: Domains, engine: Engine) -> Proposer:
    from envwheel.propose import terminal

    section = config.proposer
    engine.room.give_up(section.seats * terminal.LIMITS.memory_mb)
    return terminal.Terminal(
        domains,
        engine,
        proposing_model(config),
        agent_settings(section.agent, preset="proposer"),
        levels=section.levels,
        minutes=section.minutes,
        validations=section.validations,
        network=section.network,
        spread=section.spread,
        reference={"gate.md": page().encode()},
    )


def proposing_model(config: Config) -> Model:
    """The model of a proposer: its own, else the solver's. Raises SetupError, ConfigError."""
    section = _who_proposes(config)
    return open_model(section.name, section.model)


def _who_proposes(config: Config) -> ProposerSection | SolverSection:
    """The section that names the proposer's model. Raises ConfigError when that is no model."""
    section = config.proposer if config.proposer.name else config.solver
    if section.name == "simulated":
        raise ConfigError(
            f"proposer.kind '{config.proposer.kind}' needs a model, and the solver is simulated. "
            "Name one: --model openai:MODEL, or `name` under [proposer], such as command:PROGRAM."
        )
    return section


def ready_engine(config: Config, domains: Domains) -> Engine:
    """The engine, with the base images of the domains made. Raises SetupError, BuildFailed, InfraError."""
    for id in domains.ids:
        if missing := domains.probe(id):
            lines = "\n".join(f"  {one.what}: {one.fix}" for one in missing)
            raise SetupError(f"Domain '{id}' cannot be used on this machine. It lacks:\n{lines}")
    engine = open_engine(config.engine.name)
    base_images(engine, domains, authors=config.proposer.kind == "terminal")
    return engine
