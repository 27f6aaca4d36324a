"""Trials on the fake engine: what becomes of a candidate's doing, a verifier's fault and our own."""

from __future__ import annotations

from typing import Any

import pytest

from envwheel.errors import BoxGone, InfraError
from envwheel.grading import GradingCache
from envwheel.sandbox.base import CommandResult, Entry, Tree
from envwheel.trial import (
    NoWork,
    Perturbation,
    ScriptWork,
    Stage,
    as_api_trial,
    build_images,
    inline,
    solution_work,
)

WRONG = ScriptWork("attack", "wrong", ("WRONG",))


def stage(task: Any, play: Any, **more: Any) -> Stage:
    return Stage(play.engine, task, build_images(play.engine, task), **more)


@pytest.mark.parametrize("mode", ["separate", "shared"])
def test_reference_scores_1_and_untouched_scores_0(make_task: Any, play: Any, mode: str) -> None:
    here = stage(make_task(mode=mode), play())
    done = here.attempt(solution_work(here.task))
    assert (done.record.outcome, done.record.reward, done.record.perturbation) == ("scored", 1.0, "plain")
    assert here.attempt(NoWork()).record.reward == 0.0
    assert not here.engine.live
    assert as_api_trial(done.record).raw == {"reward": 1.0}


def test_only_declared_artifacts_cross_over(make_task: Any, play: Any) -> None:
    def solve(run: Any) -> None:
        run.write("/app/out.txt", "42\n")
        run.write("/app/secret.txt", "x")
        run.write("/logs/verifier/reward.txt", "1")

    seen: list[list[str]] = []
    game = play(solve, lambda run: seen.append(run.glob("/app") + run.glob("/logs")))
    stage(make_task(), game).attempt(solution_work(make_task()))
    assert seen[0] == ["/app/out.txt"]


def test_shared_mode_removes_planted_tests_and_rewards(make_task: Any, play: Any) -> None:
    seen: list[Any] = []
    game = play(grade=lambda run: seen.append((run.glob("/tests"), run.glob("/logs"))))
    game.engine.program("WRONG", lambda run: (run.write("/tests/easy.py", ""), run.write("/logs/verifier/x", "1"))[0])
    stage(make_task(mode="shared"), game).attempt(WRONG)
    assert seen[0] == (["/tests/Dockerfile", "/tests/test.sh"], [])


def test_shared_mode_costs_one_box_and_two_shells(make_task: Any, play: Any) -> None:
    here = stage(make_task(mode="shared"), play())
    here.attempt(solution_work(here.task))
    (box,) = here.engine.boxes
    assert len(box.commands) == 6  # look at /solution, empty it, solve | stop and empty, test, stop
    here.attempt(NoWork())
    assert len(here.engine.boxes[1].commands) == 3


def test_draws_are_seeded_and_alike_for_gate_and_solver(make_task: Any, play: Any) -> None:
    task, game = make_task(), play()
    specs = [stage(task, game, seed=seed).spec("work") for seed in (1, 1, 2)]
    assert specs[0] == specs[1]
    assert specs[0].hostname != specs[2].hostname
    verifier = stage(task, game, seed=1).spec("verifier")
    assert specs[0].env["TZ"] == verifier.env["TZ"]
    assert specs[0].env["PYTHONHASHSEED"] != verifier.env["PYTHONHASHSEED"]


def test_perturbations_reach_both_boxes(make_task: Any, play: Any) -> None:
    change = Perturbation("x", clock_days=400, limits_fraction=0.5, network=True, env={"TZ": "UTC0"})
    here = stage(make_task(), play(), perturbation=change)
    for role in ("work", "verifier"):
        spec = here.spec(role)
        assert (spec.clock_days, spec.limits.memory_mb, spec.network, spec.env["TZ"]) == (400, 256, True, "UTC0")


def test_reversed_tests_bring_a_conftest_unless_there_is_one(make_task: Any, play: Any) -> None:
    change = Perturbation("x", reverse_tests=True)
    for files, brought in (({}, True), ({"tests/conftest.py": "mine"}, False)):
        game = play(grade=lambda run: "reverse" in (run.read("/tests/conftest.py") or ""))
        here = stage(make_task(files), game, perturbation=change)
        assert here.attempt(NoWork()).record.reward == float(brought)


def test_a_timeout_of_the_work_is_still_graded(make_task: Any, play: Any) -> None:
    def solve(run: Any) -> CommandResult:
        run.write("/app/out.txt", "42\n")
        return CommandResult(None, "", 100.0, timed_out=True)

    here = stage(make_task(), play(solve))
    record = here.attempt(solution_work(here.task)).record
    assert (record.reward, record.work.timed_out) == (1.0, True)


@pytest.mark.parametrize(("mode", "reward"), [("separate", 1.0), ("shared", 0.0)])
def test_a_work_box_that_dies_is_graded_as_it_is(make_task: Any, play: Any, mode: str, reward: float) -> None:
    def solve(run: Any) -> None:
        run.write("/app/out.txt", "42\n")
        run.box.kill("memory")

    here = stage(make_task(mode=mode), play(solve))
    record = here.attempt(solution_work(here.task)).record
    assert (record.outcome, record.reward, record.reason) == ("scored", reward, "box_gone")


def test_artifacts_over_the_caps_score_0(make_task: Any, play: Any) -> None:
    game = play(lambda run: run.write("/app/out.txt", b"x" * (65 << 20)))
    here = stage(make_task(), game)
    record = here.attempt(solution_work(here.task)).record
    assert (record.outcome, record.reward, record.reason) == ("scored", 0.0, "artifact_limit")
    assert game.gradings == 0


def test_links_that_leave_are_dropped(make_task: Any, play: Any) -> None:
    here = stage(make_task(), play())
    here.engine.program("WRONG", lambda run: run.box.files.update({"/app/out.txt": Entry("link", 0o777, target="/x")}))
    done = here.attempt(WRONG)
    assert done.artifacts.entries == {}
    assert done.artifacts.dropped


@pytest.mark.parametrize("mode", ["separate", "shared"])
def test_a_missing_reward_is_tried_once_more(make_task: Any, play: Any, mode: str) -> None:
    answers: list[Any] = [None, True]
    here = stage(make_task(mode=mode), play(grade=lambda run: answers.pop(0)))
    assert here.attempt(NoWork()).record.reward == 1.0
    game = play(grade=lambda run: None)
    record = stage(make_task(mode=mode), game).attempt(NoWork()).record
    assert (record.outcome, record.reward, game.gradings) == ("verifier_error", None, 2)
    assert "no reward file" in record.reason


def test_artifacts_that_break_the_verifier_score_0(make_task: Any, play: Any) -> None:
    def grade(run: Any) -> bool | None:
        text = run.read("/app/out.txt")
        return None if text == "crash" else text == "42\n"

    game = play(grade=grade)
    game.engine.program("WRONG", lambda run: run.write("/app/out.txt", "crash"))
    reference = Tree({"/app/out.txt": Entry("file", 0o644, b"42\n")})
    record = stage(make_task(), game, reference_artifacts=reference).attempt(WRONG).record
    assert (record.outcome, record.reward, record.reason) == ("scored", 0.0, "broke_verifier")
    assert stage(make_task(), game).attempt(WRONG).record.outcome == "verifier_error"


def test_a_verifier_that_is_broken_for_everybody_is_an_error(make_task: Any, play: Any) -> None:
    reference = Tree({"/app/out.txt": Entry("file", 0o644, b"42\n")})
    here = stage(make_task(), play(grade=lambda run: None), reference_artifacts=reference)
    assert here.attempt(NoWork()).record.outcome == "verifier_error"


def test_tests_over_their_time_give_no_reward(make_task: Any, play: Any) -> None:
    def grade(run: Any) -> CommandResult:
        run.write("/logs/verifier/reward.txt", "1")
        return CommandResult(None, "still at it", 50.0, timed_out=True)

    record = stage(make_task(), play(grade=grade)).attempt(NoWork()).record
    assert (record.outcome, record.reward) == ("verifier_error", None)
    assert "longer than 50 s" in record.reason


@pytest.mark.parametrize("mode", ["separate", "shared"])
def test_a_box_that_dies_under_the_tests_gives_no_reward(make_task: Any, play: Any, mode: str) -> None:
    here = stage(make_task(mode=mode), play(grade=lambda run: run.box.kill("memory")))
    record = here.attempt(NoWork()).record
    assert (record.outcome, record.reward) == ("verifier_error", None)
    assert "memory" in record.reason


@pytest.mark.parametrize("number", [1, 2])
def test_our_failure_is_never_a_reward(make_task: Any, play: Any, number: int) -> None:
    game = play()
    game.engine.fail_start(number, InfraError("daemon", "the daemon is gone"))
    record = stage(make_task(), game).attempt(NoWork()).record
    assert (record.outcome, record.reward, record.reason) == ("infra", None, "daemon")
    assert not game.engine.live


def test_our_failure_inside_the_work_is_infra_too(make_task: Any, play: Any) -> None:
    def solve(run: Any) -> None:
        raise InfraError("disk", "no space left")

    here = stage(make_task(), play(solve))
    assert here.attempt(solution_work(here.task)).record.reason == "disk"


def test_a_grading_is_reused_only_when_asked(make_task: Any, play: Any) -> None:
    game = play()
    here = stage(make_task(), game, gradings=GradingCache())
    assert [here.attempt(NoWork()).record.reused for _ in range(3)] == [False, True, True]
    assert game.gradings == 1
    again = stage(make_task(), game)
    assert [again.attempt(NoWork()).record.reused for _ in range(2)] == [False, False]
    assert game.gradings == 3


def test_a_prebuilt_image_gets_the_environment_folder(make_task: Any, play: Any) -> None:
    task = make_task({"environment/Dockerfile": None}, more='docker_image = "envwheel/base:bookworm"')
    seen: list[Any] = []
    game = play(lambda run: seen.append(run.read("/app/app/numbers.txt")))
    stage(task, game).attempt(solution_work(task))
    assert seen == ["40\n2\n"]


def test_tests_run_as_the_user_they_ask_for(make_task: Any, play: Any) -> None:
    users: list[str] = []
    task = make_task(more='[verifier.env]\nKEY = "value"\n')
    game = play(grade=lambda run: users.append(run.user + run.env["KEY"]))
    stage(task, game).attempt(NoWork())
    assert users[0] == "rootvalue"


def test_grading_survives_a_flooded_log_folder(make_task: Any, play: Any) -> None:
    def grade(run: Any) -> bool:
        run.write("/logs/verifier/core", b"x" * (17 << 20))
        return True

    assert stage(make_task(), play(grade=grade)).attempt(NoWork()).record.reward == 1.0
    game = play(grade=lambda run: run.write("/logs/verifier/reward.txt", b"1" + b" " * (17 << 20)))
    assert stage(make_task(), game).attempt(NoWork()).record.outcome == "verifier_error"


def test_box_gone_in_the_verifier_is_not_our_failure(make_task: Any, play: Any) -> None:
    def grade(run: Any) -> None:
        raise BoxGone("disk_limit", "full")

    record = stage(make_task(), play(grade=grade)).attempt(NoWork()).record
    assert (record.outcome, record.reason) == ("verifier_error", "the verifier box ended: disk_limit")


def test_long_scripts_are_not_arguments() -> None:
    assert inline("exit 3") == "bash -c 'exit 3'"
    assert "end-of-script-\n" in inline("end-of-script\n" + "x" * 200_000)
