"""Static pools: made without a solver, spread evenly, handed out once each in an order that no rollout changes."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from flywheel_fakes import MakeParts, Scripted

from envwheel.api import Draft, Family
from envwheel.cli import main
from envwheel.domains import Domains
from envwheel.errors import UsageError
from envwheel.flywheel import Flywheel
from envwheel.ledger import Attempt, Plan, TrialNote
from envwheel.propose.spread import spread
from envwheel.propose.static import Static
from envwheel.store import RunDirectory, pool


def _never(level: int, seed: int) -> Draft:
    raise AssertionError("nothing is built")


FAMILIES = {"toy": [Family("a", "A", ("x",), (0, 1, 2), _never), Family("b", "B", ("y",), (1,), _never)]}


def test_every_family_and_level_is_aimed_at_equally_often() -> None:
    count = Counter((aim.family.id, aim.level) for aim in spread(FAMILIES, 40, seed=3))
    assert set(count.values()) == {10}


@pytest.mark.parametrize("seed", range(5))
def test_a_small_pool_is_spread_over_families_and_levels(seed: int) -> None:
    many = {"toy": [Family(name, name, ("x",), (0, 1, 2, 3, 4), _never) for name in "abcdefgh"]}
    aims = spread(many, 8, seed=seed)
    assert len({aim.family.id for aim in aims}) == 8
    assert sorted(Counter(aim.level for aim in aims).values()) == [1, 1, 2, 2, 2]
    assert len({aim.level for aim in aims[:5]}) == 5


def test_a_larger_pool_begins_with_the_smaller_one() -> None:
    assert spread(FAMILIES, 11, seed=3)[:6] == spread(FAMILIES, 6, seed=3)
    assert spread(FAMILIES, 12, seed=3) != spread(FAMILIES, 12, seed=4)


def test_without_a_solver_what_the_gate_holds_is_admitted(make_parts: MakeParts) -> None:
    parts = make_parts(None, run__rounds=1, run__candidates=4, solved=False, proposer__spread=True)
    assert Flywheel(parts).run()
    attempts = parts.store.of(Attempt)
    assert {(one.verdict, one.stage, one.scored, one.solver) for one in attempts} == {("admitted", "pool", 0, "")}
    assert parts.store.of(TrialNote) == []
    assert len(pool(parts.store.path, parts.store.records)) == 4


def made_pool(make_parts: MakeParts, count: int) -> Path:
    parts = make_parts(None, run__rounds=1, run__candidates=count, solved=False, out="pool")
    Flywheel(parts).run()
    return parts.store.path


def test_a_pool_is_handed_out_once_each_and_then_ends(make_parts: MakeParts, toy: Domains) -> None:
    source = made_pool(make_parts, 5)
    parts = make_parts(run__rounds=3, run__candidates=2, proposer=Static(toy, source))
    assert Flywheel(parts).run()
    plans = parts.store.of(Plan)
    assert [len(plan.targets) for plan in plans] == [2, 2, 1]
    names = [target.name for plan in plans for target in plan.targets]
    assert sorted(names) == pool(source, RunDirectory.read(source))
    assert all((source / "environments" / name / "evidence.json").exists() for name in names)


def test_the_order_of_a_static_pool_depends_on_the_seed_only(make_parts: MakeParts, toy: Domains) -> None:
    static = Static(toy, made_pool(make_parts, 5))
    first = static.plan(1, 5, 7, [])
    parts = make_parts(Scripted((1.0, 1.0, 1.0)), run__rounds=1, run__candidates=2)
    Flywheel(parts).run()
    trials = [record for record in parts.store.records if not isinstance(record, Plan)]
    assert [target.name for target in static.plan(1, 5, 7, trials)] == [target.name for target in first]
    assert [target.name for target in static.plan(1, 5, 8, [])] != [target.name for target in first]


def test_what_left_the_pool_is_said_by_name(make_parts: MakeParts, toy: Domains) -> None:
    source = made_pool(make_parts, 1)
    static = Static(toy, source)
    parts = make_parts(run__rounds=1, run__candidates=1, proposer=static)
    shutil.rmtree(source / "environments")
    with pytest.raises(UsageError, match="no longer in the static pool"):
        Flywheel(parts).run()


def test_a_pool_and_a_proposer_at_once_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--pool", "somewhere", "--proposer", "terminal"]) == 2
    assert "name one" in capsys.readouterr().err


def test_a_pool_that_is_not_there_is_said_by_its_path(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no folder"):
        Static(Domains.none(), tmp_path / "nothing")
