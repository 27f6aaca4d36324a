"""Each check of the contract fails on a domain that breaks just that promise, and passes on one that keeps all."""

from __future__ import annotations

import textwrap

import pytest

from envwheel.contract import CHECKS, Broken, Subject, check_domain

KEPT = """
import random
from envwheel.api import *
from envwheel.api import hookimpl

def build(level, seed):
    number = random.Random(f"{level} {seed}").randrange(10**9)
    return Draft(
        name=f"copy-{level}-{seed}",
        instruction=f"Write {number} to /app/out.txt.",
        files={"in.txt": f"{number}\\n"},
        solution={"solve.sh": f"echo {number} > /app/out.txt\\n"},
        tests={"check.py": f"# wants {number}\\n"},
        artifacts=("/app/out.txt",),
        image="envwheel/base:bookworm",
        skills=("reading",),
        level=level,
        params={"family": "copy", "seed": seed},
    )

@hookimpl
def families():
    return [Family("copy", "Copy a number", ("reading",), (0, 1), build)]

@hookimpl
def mutants(environment):
    return [Mutant("other", "another number", "echo 1 > /app/out.txt")]
"""

BREAKS = [
    ("core_is_required_with_an_upper_bound", "", "requires `envwheel>=0.1`; write an upper bound"),
    ("import_is_light", "import docker", "docker"),
    ("import_is_light", "import envwheel.errors", "imports envwheel.errors; a domain imports envwheel.api only"),
    ("import_is_light", "import no_such_thing", "No module named 'no_such_thing'"),
    ("loads", "@hookimpl\ndef describe(): return None", "expected Domain"),
    ("description_is_complete", "@hookimpl\ndef describe(): return Domain('sample', '', 's', 1, {'a': 'A'})", "title"),
    (
        "description_is_complete",
        "@hookimpl\ndef describe(): return Domain('sample', 't', 's', 1, {})",
        "skills is empty",
    ),
    (
        "description_is_complete",
        "@hookimpl\ndef describe(): return Domain('sample', 't', 's', 1, {'A b': 'x'})",
        "'A b'",
    ),
    ("brief_is_pure", "@hookimpl\ndef brief(): return Brief('s', str(random.random()), (), (), 0)", "different briefs"),
    ("brief_is_pure", "@hookimpl\ndef brief(): return Brief(' ', 't', (), (), 0)", "empty system"),
    ("brief_is_pure", "@hookimpl\ndef brief(): return Brief('s', 't', (), ('sing',), 0)", "does not declare: sing"),
    (
        "brief_names_no_host_path",
        "import sys\n@hookimpl\ndef brief(): return Brief('s', sys.prefix, (), (), 0)",
        "path",
    ),
    (
        "base_images_are_pinned",
        "@hookimpl\ndef base_images(): return [BaseImage('a:latest', 'FROM b:1')]",
        "'a:latest'",
    ),
    (
        "base_images_are_pinned",
        "@hookimpl\ndef base_images(): return [BaseImage('a:1', 'FROM host:5000/b')]",
        "not pinned",
    ),
    (
        "base_images_are_pinned",
        "@hookimpl\ndef base_images(): return [BaseImage('a:1', 'FROM b:1', wheels=('c>=1',))]",
        "wheel 'c>=1' is not pinned",
    ),
    (
        "base_images_are_pinned",
        "@hookimpl\ndef base_images(): return [BaseImage('a:1', 'FROM b:1', wheels=('c==1',))]",
        "no `COPY wheels` line",
    ),
    ("base_images_are_pinned", "@hookimpl\ndef base_images(): return [BaseImage('a:1', 'RUN true')]", "no FROM line"),
    ("kit_files_exist", "@hookimpl\ndef kit(): return [KitFile(Path('/nonexistent/x'), 'x')]", "is not a file"),
    ("kit_files_exist", "@hookimpl\ndef kit(): return [KitFile(Path(__file__), '../x')]", "must lie under"),
    ("kit_files_exist", "@hookimpl\ndef kit(): return [KitFile(Path(__file__), 'grade.py')]", "taken twice"),
    ("probe_answers", "@hookimpl\ndef probe(): return [Missing('a GPU', '')]", "both parts need text"),
    ("probe_answers", "@hookimpl\ndef probe(): raise OSError('no')", "hook `probe` raised OSError"),
    ("families_build", "def build(level, seed): return 1 // 0", "ZeroDivisionError"),
    ("families_build", "build = changed(lambda d: replace(d, name='same'))", "have the same name 'same'"),
    ("families_build", "build = changed(lambda d: replace(d, name='Not OK'))", "may have a-z"),
    ("families_build", "build = changed(lambda d: replace(d, params={'seed': 1}))", "say (None, 1, 0)"),
    ("families_build", "build = changed(lambda d: replace(d, level=None))", "None)"),
    (
        "families_are_deterministic",
        "build = changed(lambda d: replace(d, instruction=d.instruction + str(hash('x'))))",
        "a second process built a different draft",
    ),
    (
        "seeds_differ",
        "one = build\ndef build(level, seed): return replace(one(level, 1), name=f'c-{level}-{seed}')",
        "same env",
    ),
    ("skills_are_declared", "build = changed(lambda d: replace(d, skills=('singing',)))", "not in describe: singing"),
    ("skills_are_declared", "build = changed(lambda d: replace(d, skills=()))", "none are named"),
    ("instructions_name_the_artifacts", "build = changed(lambda d: replace(d, instruction='Do it.'))", "/app/out.txt"),
    (
        "images_are_known",
        "build = changed(lambda d: replace(d, image='debian:12'))",
        "debian:12 is not among base_images",
    ),
    (
        "drafts_become_folders",
        "build = changed(lambda d: replace(d, artifacts=('/tests/x',)))",
        "family 'copy', level 0",
    ),
    ("own_drafts_pass_lint", "@hookimpl\ndef inspect(): return [Finding('leak', 'it leaks')]", "leak: it leaks"),
    (
        "own_drafts_pass_lint",
        "build = changed(lambda d: replace(d, files={'notes/old.sh': d.solution['solve.sh'] * 9}, "
        "solution={'solve.sh': d.solution['solve.sh'] * 9}))",
        "leak_",
    ),
    ("scripts_are_sound", "@hookimpl\ndef attacks(): return [Attack('a', 'w', 'if then')]", "bash cannot parse it"),
    (
        "scripts_are_sound",
        "@hookimpl\ndef attacks(): return [Attack('a', 'w', ' ')]",
        "needs a plain id, a reason and a scr",
    ),
    ("scripts_are_sound", "@hookimpl\ndef attacks(): return [Attack('a', 'w', 'x')] * 2", "two items with the id 'a'"),
    (
        "scripts_are_deterministic",
        "@hookimpl\ndef alternatives(): return [Alternative('a', 'w', f'echo {random.random()}')]",
        "differ from call to call",
    ),
    ("score_keeps_its_promise", "@hookimpl\ndef score(): return Reward(1.0, True)", "a raw reward of 0: expected 0"),
    ("score_keeps_its_promise", "@hookimpl\ndef score(trial): return Reward(trial.raw['reward'], False)", "KeyError"),
    ("score_keeps_its_promise", "@hookimpl\ndef score(): return Reward(0.0, False)", "a raw reward of 1"),
    ("band_is_sane", "@hookimpl\ndef band(): return Band(1, 500, 1000)", "1000 attempts"),
    (
        "arguments_stay_as_they_are",
        "@hookimpl\ndef mutants(environment): environment.task['x'] = 1",
        "`mutants` changed",
    ),
    ("arguments_stay_as_they_are", "@hookimpl\ndef score(trial): trial.raw.pop('reward', None)", "`score` changed"),
]

TOOLS = """
from dataclasses import replace
from pathlib import Path

def changed(change, build=build):
    return lambda level, seed: change(build(level, seed))
"""


def plant_sample(plant, breaks: str = "", **metadata: str) -> None:
    plant("sample", textwrap.dedent(KEPT) + TOOLS + breaks + "\n", **metadata)


def test_a_domain_that_keeps_all_promises_passes(plant):
    plant_sample(plant)
    results = list(check_domain("sample"))
    assert [one for one in results if one.outcome != "ok"] == []
    assert [one.check for one in results] == [check.__name__ for check in CHECKS]
    assert all(one.promise for one in results)


@pytest.mark.parametrize(
    ("name", "source", "text"), BREAKS, ids=[f"{name}-{at}" for at, (name, *_) in enumerate(BREAKS)]
)
def test_a_broken_promise_is_found_by_its_check(plant, name, source, text):
    metadata = {} if source else {"requires": "envwheel>=0.1"}
    plant_sample(plant, source, **metadata)
    (check,) = [one for one in CHECKS if one.__name__ == name]
    with pytest.raises(Exception) as caught:
        check(Subject("sample"))
    assert text in str(caught.value)


def test_every_check_is_seen_to_fail():
    """Clashes and the loading of a domain have tests of their own; the rest is in the table above."""
    assert {check.__name__ for check in CHECKS} - {name for name, *_ in BREAKS} == {"one_entry_point"}


def test_a_clash_breaks_the_first_check(plant):
    plant_sample(plant, dist="one")
    plant_sample(plant, dist="two")
    first = next(check_domain("sample"))
    assert first.outcome == "failed"
    assert "both claim the name" in first.message


def test_what_cannot_be_loaded_is_skipped_with_one_failure_that_says_why(plant):
    plant_sample(plant, "raise SystemExit(0)")
    results = list(check_domain("sample"))
    outcomes = {one.check: one.outcome for one in results}
    assert outcomes["loads"] == outcomes["import_is_light"] == "failed"
    assert set(list(outcomes.values())[4:]) == {"skipped"}


def test_a_check_fails_like_an_assertion():
    with pytest.raises(AssertionError, match="no installed distribution has an entry point 'nobody'"):
        CHECKS[0](Subject("nobody"))
    assert issubclass(Broken, AssertionError)
