"""Loading domains and calling their hooks: whose answer counts, and what a broken promise looks like."""

from __future__ import annotations

import logging
import os
import shutil
import sys
from pathlib import Path

import pytest

from envwheel.api import Attack, Band, Digest, Environment, Family, Reward, Trial
from envwheel.domains import Domains
from envwheel.errors import DomainError, InfraError, SetupError

HALF = Trial("scored", {"reward": 0.5}, (), 0, 1.0, "")


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    folder = tmp_path / "sort-a-list"
    (folder / "tests").mkdir(parents=True)
    (folder / "instruction.md").write_text("Sort it.")
    (folder / "tests" / "test.sh").write_text("#!/bin/sh\n")
    (folder / "tests" / "test.sh").chmod(0o755)
    (folder / "outside").symlink_to("/etc/hostname")
    (folder / "around").symlink_to(folder, target_is_directory=True)
    os.mkfifo(folder / "pipe")
    return Environment(folder, "Sort it.", {}, domains=("looks",))


# Whose answer counts.


def test_without_domains_the_core_answers(environment):
    core = Domains.none()
    assert core.ids == ()
    assert core.for_all("attacks", environment) == []
    assert core.attacks(None, environment) == core.mutants(None, environment) == []
    assert core.alternatives(None, environment) == core.inspect(None, environment) == []
    assert core.score(None, HALF) == Reward(0.5, False)
    assert core.band(None, Band(2, 3, 4)) == Band(2, 3, 4)
    assert core.base_images(None) == core.kit(None) == core.families(None) == core.probe(None) == []
    assert core.judge_of(environment) is None


def test_only_named_domains_are_imported_in_the_order_of_the_run(plant):
    first, second, third = plant("alpha"), plant("beta"), plant("gamma")
    domains = Domains.load(["gamma", "alpha", "gamma"])
    assert domains.ids == ("gamma", "alpha")
    assert domains.versions == {"gamma": "1.0", "alpha": "1.0"}
    assert first in sys.modules
    assert third in sys.modules
    assert second not in sys.modules


def test_a_domain_answers_for_itself_and_the_core_where_it_is_silent(plant, environment):
    plant(
        "harsh",
        """
        from envwheel.api import Attack, Reward
        @hookimpl
        def score(trial):
            return Reward(trial.raw["reward"] / 2, False, "halved")
        @hookimpl
        def attacks(domain):
            return [Attack("a", "why " + domain.title, "true")]
        """,
    )
    plant(
        "mild",
        """
        @hookimpl
        def score(trial):
            return None
        """,
    )
    domains = Domains.load(["harsh", "mild"])
    assert domains.score("harsh", HALF).value == 0.25
    assert domains.score("mild", HALF).value == 0.5
    assert domains.score(None, HALF).value == 0.5
    assert domains.attacks("mild", environment) == []
    assert domains.for_all("attacks", environment) == [Attack("a", "why A title", "true")]


def test_the_environment_names_its_judge_among_the_domains_of_the_run(plant, environment):
    plant("first")
    plant("looks")
    assert Domains.load(["first", "looks"]).judge_of(environment) == "looks"
    assert Domains.load(["first"]).judge_of(environment) == "first"


def test_drafts_of_a_family_are_checked(plant):
    plant("drafty")
    domains = Domains.load(["drafty"])
    with pytest.raises(DomainError, match=r"families: wrong.*expected Draft, got str"):
        domains.draft("drafty", Family("wrong", "", (), (0,), lambda level, seed: "no draft"), 0, 1)
    with pytest.raises(DomainError, match=r"families: crash.*ZeroDivisionError"):
        domains.draft("drafty", Family("crash", "", (), (0,), lambda level, seed: 1 // 0), 0, 1)


# What cannot be loaded.


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("import no_such_module_at_all", "importing it raised ModuleNotFoundError: No module named"),
        ("raise SystemExit(3)", "importing it raised SystemExit: 3"),
        ("def broken(:", "importing it raised SyntaxError"),
        ("@hookimpl\ndef atacks(domain): return []", "implements `atacks`, which is not a hook. Hooks: admitted, alt"),
        ("@hookimpl\ndef score(domain, trail): return None", "registering it raised PluginValidationError"),
        ("@hookimpl\ndef describe(): return None", "hook `describe` returned value: expected Domain, got NoneType"),
        ("@hookimpl\ndef describe(): return 1 / 0", "hook `describe` raised ZeroDivisionError: division by zero"),
        ("@hookimpl\ndef describe(): return Domain('other', 't', 's', 1, {})", "says its id is 'other'"),
        ("@hookimpl\ndef describe(): return Domain('bad', 't', 's', 99, {})", "was written for API 99; this envwheel"),
        (
            "@hookimpl\ndef describe(): return Domain('bad', 't', 's', 1, ['x'])",
            "returned value.skills: expected Mapping",
        ),
    ],
)
def test_a_broken_domain_is_one_line_that_says_what_and_where(plant, message, source, cause):
    plant("bad", source)
    text = message(lambda: Domains.load(["bad"]))
    assert text.startswith("Domain 'bad' (some-bad 1.0) cannot be used: ")
    assert cause in text
    assert "envwheel plugin check bad" in text
    assert "\n" not in text


def test_a_broken_domain_harms_nobody_who_does_not_name_it(plant):
    plant("bad", "raise RuntimeError")
    plant("good")
    assert Domains.load(["good"]).ids == ("good",)


def test_a_plugin_that_gives_no_description_is_refused(plant, message):
    module = plant("mute")
    (plant.root / f"{module}.py").write_text("x = 1\n")
    assert "describe" in message(lambda: Domains.load(["mute"]))


def test_unknown_domains_are_a_set_up_error():
    with pytest.raises(SetupError, match="Domain 'nope' is not installed"):
        Domains.load(["nope"])


# What a hook must not do.


@pytest.mark.parametrize(
    ("source", "hook", "cause"),
    [
        ("def score(trial): return 0.5", "score", "expected Reward, got float"),
        ("def score(trial): raise KeyError('reward')", "score", "raised KeyError: 'reward'"),
        ("def score(trial): raise SystemExit", "score", "raised SystemExit"),
        ("def band(default): return (1, 2)", "band", "expected Band"),
        ("def families(): return [1]", "families", "[0]: expected Family, got int"),
        ("def families(): return iter(())", "families", "expected list"),
        ("def probe(): return [Missing('a', None)]", "probe", "[0].fix: expected str, got NoneType"),
        ("def brief(seed): return Brief('s', 't', (), (), '3')", "brief", ".level: expected int, got str"),
        ("def kit(): return [KitFile('/etc/passwd', 'x')]", "kit", "[0].source: expected Path, got str"),
        ("def attacks(): return [Attack('a', '', ''), Attack('a', '', '')]", "attacks", "two items with the id 'a'"),
        ("def inspect(): return [Finding('r', 'm', '', 'fatal')]", "inspect", "expected one of 'error', 'warning'"),
        ("def mutants(environment): import time; time.sleep(60)", "mutants", "gave no answer within 0.3 s"),
        ("def mutants(environment): raise SystemExit(1)", "mutants", "raised SystemExit: 1"),
        ("def alternatives(environment): return environment.nothing", "alternatives", "raised AttributeError"),
    ],
)
def test_a_hook_that_breaks_its_promise_is_named(plant, message, environment, source, hook, cause):
    plant("liar", f"from envwheel.api import *\nfrom envwheel.api import hookimpl\n@hookimpl\n{source}\n")
    domains = Domains.load(["liar"], hook_seconds=0.3)
    calls = {
        "score": lambda: domains.score("liar", HALF),
        "band": lambda: domains.band("liar", Band()),
        "brief": lambda: domains.brief("liar", Digest({}), 0),
        **{name: (lambda name=name: getattr(domains, name)("liar")) for name in ("families", "probe", "kit")},
    }
    text = message(calls.get(hook, lambda: getattr(domains, hook)("liar", environment)))
    assert text.startswith(f"Domain 'liar' (some-liar 1.0) cannot be used: hook `{hook}` ")
    assert cause in text


def test_a_tuple_does_for_a_list(plant, environment):
    plant("tupled", "from envwheel.api import Attack\n@hookimpl\ndef attacks(): return (Attack('a', 'w', 's'),)\n")
    assert Domains.load(["tupled"]).attacks("tupled", environment) == [Attack("a", "w", "s")]


def test_a_hook_sees_a_private_copy_without_links_and_devices(plant, environment, tmp_path):
    plant(
        "looks",
        """
        from envwheel.api import Finding
        @hookimpl
        def inspect(environment):
            seen = sorted(str(one.relative_to(environment.path)) for one in environment.path.rglob("*"))
            (environment.path / "instruction.md").stat()
            modes = [oct(one.stat().st_mode & 0o777) for one in environment.path.rglob("*")]
            return [Finding("seen", " ".join(seen), str(environment.path)), Finding("modes", " ".join(sorted(modes)))]
        """,
    )
    seen, modes = Domains.load(["looks"]).inspect("looks", environment)
    assert seen.message == "instruction.md tests tests/test.sh"
    assert modes.message == "0o444 0o555 0o555"
    copy = Path(seen.path)
    assert copy.name == environment.name
    assert copy != environment.path
    assert not copy.parent.exists(), "the copy is removed after the call"


def test_a_folder_that_cannot_be_copied_is_our_side(plant, environment):
    plant("looks")
    shutil.rmtree(environment.path)
    with pytest.raises(InfraError, match=r"Cannot copy .*sort-a-list"):
        Domains.load(["looks"]).attacks("looks", environment)


# Observers.


def test_observers_hear_and_their_errors_are_logged_only(plant, caplog):
    heard = plant(
        "hears",
        """
        told = []
        @hookimpl
        def admitted(report):
            told.append(dict(report))
        @hookimpl
        def round_finished(record):
            told.append(dict(record))
        """,
    )
    plant("dies", "@hookimpl\ndef admitted(report):\n    raise RuntimeError('no disk')\n")
    domains = Domains.load(["dies", "hears"])
    with caplog.at_level(logging.WARNING, "envwheel.domains"):
        domains.admitted({"name": "a"})
        domains.round_finished({"round": 1})
    assert sys.modules[heard].told == [{"name": "a"}, {"round": 1}]
    assert [record.getMessage() for record in caplog.records] == [
        "Domain 'dies': observer `admitted` raised RuntimeError: no disk"
    ]
