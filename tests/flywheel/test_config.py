"""envwheel.toml: defaults, overrides, round trip, and messages that say what is allowed."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from envwheel.config import Config, load, override, to_toml
from envwheel.domains import Domains
from envwheel.errors import ConfigError
from envwheel.sandbox.fake import FakeEngine
from envwheel.sandbox.room import Room
from envwheel.start import proposer_of, proposing_model, settled


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "envwheel.toml"
    path.write_text(text)
    return path


def test_defaults_are_a_run_of_swe_with_the_local_solver() -> None:
    config = Config()
    assert (config.run.domains, config.solver.name, config.proposer.kind) == (["swe"], "local", "procedural")
    assert config.directory == Path("runs/swe")


def test_resolved_text_reads_back_as_the_same(tmp_path: Path) -> None:
    text = '[run]\nname = "a"\nmax_hours = 2\n[solver]\nname = "openai:m"\n[solver.model]\nprices = {a = 1.5}\n'
    config = load(write(tmp_path, text))
    assert load(write(tmp_path, to_toml(config))) == config
    assert tomllib.loads(to_toml(config))["band"]["attempts"] == 8
    assert config.directory == Path("runs/a")


def test_overrides_win_and_none_changes_nothing() -> None:
    config = override(Config(), {"run.rounds": 5, "run.seed": None, "solver.name": "simulated"})
    assert (config.run.rounds, config.run.seed, config.solver.name) == (5, 0, "simulated")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[run]\nroundz = 3\n", ["envwheel.toml: $.run: there is no 'roundz'", "Allowed: name, out, domains, rounds"]),
        ("[runs]\n", ["$: there is no 'runs'", "Allowed: run, proposer, solver, band, gate, engine"]),
        ('[run]\nrounds = "two"\n', ["$.run.rounds", "integer", "'two'"]),
        ("[run]\nrounds = 0\n", ["$.run.rounds", "greater than or equal to 1", "0"]),
        ("[run]\ndomains = []\n", ["$.run.domains", "at least 1"]),
        ("run = 3\n", ["$.run", "got 3"]),
        ('[proposer]\nkind = "magic"\n', ["$.proposer.kind", "'procedural'", "'magic'"]),
        ("[band]\nhigh_passes = 8\n", ["$.band", "low_passes <= high_passes < attempts"]),
        ("[run\n", ["not TOML", "line 1"]),
    ],
)
def test_a_wrong_configuration_says_where_and_what_is_allowed(tmp_path: Path, text: str, parts: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        load(write(tmp_path, text))
    for part in parts:
        assert part in str(caught.value)


def test_a_configuration_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no configuration at"):
        load(tmp_path / "none.toml")


def test_a_wrong_override_names_the_command_line() -> None:
    with pytest.raises(ConfigError, match=r"command line: \$\.run\.candidates"):
        override(Config(), {"run.candidates": 0})


def test_without_a_model_of_its_own_the_proposer_is_the_solvers() -> None:
    config = override(Config(), {"proposer.kind": "terminal", "solver.name": "command:true"})
    assert proposing_model(config).name == "command:true"
    own = override(config, {"proposer.name": "command:false"})
    assert proposing_model(own).name == "command:false"


def test_a_simulated_solver_has_no_model_to_share() -> None:
    config = override(Config(), {"proposer.kind": "terminal", "solver.name": "simulated"})
    with pytest.raises(ConfigError, match="--model openai:MODEL"):
        settled(config, resume=False)
    assert settled(override(config, {"proposer.name": "command:true"}), resume=False)


def test_the_memory_of_proposers_is_taken_from_what_trials_share(toy: Domains) -> None:
    engine = FakeEngine()
    engine.room = Room(20_000)
    config = override(Config(), {"proposer.kind": "terminal", "proposer.parallel": 3, "proposer.name": "command:true"})
    proposer_of(config, toy, engine).close()
    assert engine.room.total_mb == 20_000 - 3 * 2048
