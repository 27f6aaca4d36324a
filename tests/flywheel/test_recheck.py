"""Environments of earlier rounds: retired when mastered, back from the shelf when in reach, and never counted twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flywheel_fakes import MakeParts, Scripted

from envwheel.candidate import Parts
from envwheel.environment.hash import tree_sha256
from envwheel.flywheel import Flywheel
from envwheel.ledger import Attempt, Plan, Recheck, RoundEnd, TrialNote
from envwheel.standing import standings, states
from envwheel.store import RunDirectory, pool
from envwheel.summary import status, summaries

WEAK, MIDDLING, STRONG = (0.5, 0.0, 0.0), (0.5, 0.5, 0.5), (1.0, 1.0, 1.0)


def begun(make_parts: MakeParts, chances: tuple[float, ...], **changes: object) -> Parts:
    """One round of a solver called `before` with these chances."""
    parts = make_parts(Scripted(chances, name="before"), run__rounds=1, run__candidates=6, run__jobs=1, **changes)
    assert Flywheel(parts).run()
    return parts


def moved(make_parts: MakeParts, chances: tuple[float, ...], **changes: object) -> Parts:
    """The same run in its second round, with another solver."""
    parts = make_parts(Scripted(chances, name="after"), run__rounds=2, run__candidates=6, run__jobs=1, **changes)
    assert Flywheel(parts).run()
    return parts


def active(store: RunDirectory) -> set[str]:
    return set(pool(store.path, store.records))


def test_what_the_solver_has_mastered_is_retired(make_parts: MakeParts) -> None:
    before = active(begun(make_parts, WEAK).store)
    assert before
    store = moved(make_parts, STRONG, band__recheck=9).store
    rechecks = store.of(Recheck)
    assert {record.environment for record in rechecks if record.was == "pool"} == before
    assert {(record.verdict, record.code, record.scored) for record in rechecks} == {("retired", "too_easy", 8)}
    assert active(store).isdisjoint(before)
    assert all((store.environments / name / "task.toml").is_file() for name in before)


def test_what_is_still_in_band_stays_and_mostly_costs_few_trials(make_parts: MakeParts) -> None:
    before = active(begun(make_parts, WEAK).store)
    store = moved(make_parts, WEAK, band__recheck=9).store
    kept = [record for record in store.of(Recheck) if record.was == "pool"]
    assert {record.environment for record in kept} == before
    assert any(record.verdict == "kept" for record in kept)
    assert sum(record.scored for record in kept) < 8 * len(kept)
    assert all(1 <= record.passes < record.scored for record in kept if record.verdict == "kept")


def test_what_became_too_hard_goes_on_the_shelf(make_parts: MakeParts) -> None:
    before = active(begun(make_parts, MIDDLING).store)
    store = moved(make_parts, (0.0, 0.0, 0.0), band__recheck=9).store
    assert {record.verdict for record in store.of(Recheck)} == {"too_hard"}
    assert active(store).isdisjoint(before)
    assert states(store.records)["shelf"] >= len(before)


def test_what_was_too_hard_is_admitted_once_it_is_in_reach(make_parts: MakeParts) -> None:
    begun(make_parts, (0.0, 0.0, 0.0), band__recheck=9)
    moved(make_parts, MIDDLING, band__recheck=9)
    parts = make_parts(Scripted(MIDDLING, name="after"), run__rounds=3, run__candidates=6, run__jobs=1, band__recheck=9)
    assert Flywheel(parts).run()
    store = parts.store
    back = [record for record in store.of(Recheck) if record.was == "shelf" and record.verdict == "kept"]
    assert back
    for record in back:
        folder = store.environments / record.environment
        evidence = json.loads((folder / "evidence.json").read_text())
        assert evidence["tree_sha256"] == tree_sha256(folder)
        assert evidence["calibration"]["solver"] == "after"
        assert evidence["calibration"]["scored"] == record.scored
        assert record.environment in active(store)
        assert not (store.candidates / record.candidate / record.environment).exists()


def test_no_more_than_the_configured_number_and_none_with_zero(make_parts: MakeParts, tmp_path: Path) -> None:
    for number in (0, 1):
        out = {"run__out": str(tmp_path / f"n{number}"), "band__recheck": number}
        begun(make_parts, WEAK, **out)
        store = moved(make_parts, STRONG, **out).store
        assert len(store.of(Recheck)) == len(store.of(Plan)[1].rechecks) == number


def test_a_folder_that_is_gone_is_not_tried_again(make_parts: MakeParts) -> None:
    parts = begun(make_parts, WEAK)
    gone = sorted(active(parts.store))[0]
    (parts.store.environments / gone / "task.toml").unlink()
    store = moved(make_parts, STRONG, band__recheck=9).store
    assert gone not in {record.environment for record in store.of(Recheck)}


def test_our_own_failure_leaves_it_where_it_is(make_parts: MakeParts) -> None:
    before = standings(begun(make_parts, WEAK).store.records)
    broken = Scripted(STRONG, name="after", infra=True)
    parts = make_parts(broken, run__rounds=2, run__candidates=1, run__jobs=1, band__recheck=1)
    assert Flywheel(parts).run()
    record = parts.store.of(Recheck)[0]
    assert (record.code, record.scored) == ("infra", 0)
    assert record.verdict == {"pool": "kept", "shelf": "too_hard"}[record.was]
    assert standings(parts.store.records)[record.candidate] == before[record.candidate]


class Killed(BaseException):
    """Stands for SIGKILL."""


@pytest.mark.slow
def test_killed_at_any_record_of_a_recheck_it_goes_on_and_counts_nothing_twice(
    make_parts: MakeParts, tmp_path: Path
) -> None:
    def facts(store: RunDirectory) -> tuple[object, ...]:
        found = [(r.candidate, r.verdict, r.code, r.passes, r.scored, r.rollouts) for r in store.of(Recheck)]
        return sorted(found), active(store), sorted(path.name for path in store.environments.iterdir())

    def both(out: str, left: int | None) -> RunDirectory:
        same = {"run__out": str(tmp_path / out), "band__recheck": 9}
        begun(make_parts, WEAK, **same)
        parts = make_parts(Scripted(MIDDLING, name="after"), run__rounds=2, run__candidates=1, run__jobs=1, **same)
        if left is None:
            assert Flywheel(parts).run()
            return parts.store
        append, counted = parts.store.append, [left]

        def dying(record: object) -> None:
            if counted[0] <= 0:
                raise Killed
            append(record)  # type: ignore[arg-type]
            counted[0] -= 1

        parts.store.append = dying  # type: ignore[method-assign, assignment]
        with pytest.raises(Killed):
            Flywheel(parts).run()
        again = make_parts(Scripted(MIDDLING, name="after"), run__rounds=2, run__candidates=1, run__jobs=1, **same)
        assert Flywheel(again).run()
        return again.store

    whole = both("whole", None)
    expected = facts(whole)
    assert expected[0]
    in_second = sum(getattr(record, "round", 0) == 2 for record in whole.records)
    for left in range(1, in_second, 2):
        store = both(f"cut{left}", left)
        assert facts(store) == expected
        ids = [note.id for note in store.of(TrialNote)]
        assert len(ids) == len(set(ids))


def test_status_and_summary_tell_of_it(make_parts: MakeParts) -> None:
    begun(make_parts, WEAK)
    store = moved(make_parts, STRONG, band__recheck=9).store
    said = status(store.records, pool=len(active(store)))
    assert said["retired"] == sum(record.verdict == "retired" for record in store.of(Recheck)) > 0
    assert said["pool"] == states(store.records)["pool"]
    assert said["shelf"] == states(store.records)["shelf"]
    second = said["rounds"][1]
    assert second["rechecked"] == {"retired": said["retired"]}
    trials = [note for note in store.of(TrialNote, round=2) if note.outcome == "scored"]
    assert summaries(store.records)[1].scored == len(trials)


def test_a_run_of_an_older_version_is_read_and_goes_on(make_parts: MakeParts) -> None:
    parts = begun(make_parts, WEAK)
    path = parts.store.path / "records.jsonl"
    old = []
    for line in path.read_text().splitlines():
        record = json.loads(line)
        for key in ("rechecks", "taxonomy"):
            record.pop(key, None)
        for target in record.get("targets", []):
            target.pop("in_band"), target.pop("address")
        old.append(json.dumps(record))
    path.write_text("\n".join(old) + "\n")
    records = RunDirectory.read(parts.store.path)
    assert status(records, 1)["rounds"][0]["balance"]["domain"] == 1.0
    store = moved(make_parts, STRONG).store
    assert len(store.of(RoundEnd)) == 2
    assert len(store.of(Recheck)) == 2


def test_an_attempt_that_was_made_again_counts_by_its_last_record(make_parts: MakeParts) -> None:
    store = begun(make_parts, WEAK).store
    admitted = next(attempt for attempt in store.of(Attempt) if attempt.verdict == "admitted")
    later = admitted.model_copy(update={"verdict": "rejected", "code": "too_easy"})
    assert admitted.candidate not in standings([*store.records, later])
