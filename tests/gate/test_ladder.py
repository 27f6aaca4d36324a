"""Each code of the gate, reached by a small scenario on the fake engine."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from envwheel.errors import BoxGone, BuildFailed, InfraError, UsageError
from envwheel.gate.evidence import differences, load, write
from envwheel.gate.ladder import STEPS, Verdict
from envwheel.sandbox.base import CommandResult


def outcomes(verdict: Verdict) -> dict[str, str]:
    return {step.step: step.outcome for step in verdict.steps}


def test_a_good_environment_is_ok(gate: Any) -> None:
    verdict = gate()
    assert (verdict.verdict, verdict.code, verdict.message, verdict.stage) == ("ok", "", "", "mutants")
    assert list(outcomes(verdict)) == list(STEPS)
    assert set(outcomes(verdict).values()) == {"ok"}
    reference = verdict.steps[4].trials
    assert [(t.kind, t.perturbation) for t in reference] == [
        ("reference", "plain"),
        ("empty", "plain"),
        ("empty", "plain"),
        ("reference", "clock"),
        ("reference", "other_host_half_limits"),
    ]
    assert not any(trial.reused for trial in reference)
    assert any(trial.reused for trial in verdict.steps[5].trials)


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"task.toml": "artifacts = 3\n"}, "schema"),
        ({"solution/solve.sh": None}, "schema"),
        ({"instruction.md": " \n"}, "schema"),
        ({"environment/big.bin": b"x" * (11 << 20)}, "unsafe_path"),
    ],
)
def test_schema(gate: Any, files: Any, code: str) -> None:
    verdict = gate(files)
    assert (verdict.verdict, verdict.code, verdict.stage) == ("rejected", code, "schema")


def test_build(gate: Any) -> None:
    verdict = gate({"environment/Dockerfile": "FROM nowhere:1\n"})
    assert (verdict.code, verdict.stage) == ("build", "build")
    assert "FROM nowhere:1" in verdict.message


def test_empty_passes(gate: Any) -> None:
    verdict = gate(grade=lambda run: True)
    assert (verdict.code, len(verdict.steps[3].trials)) == ("empty_passes", 3)
    assert outcomes(verdict)["reference"] == "skipped"


def test_empty_with_partial_credit(gate: Any) -> None:
    assert gate(grade=lambda run: 0.25).code == "empty_passes"


def test_empty_that_passes_sometimes_is_flaky(gate: Any) -> None:
    rewards = itertools.cycle([1, 0])
    assert gate(grade=lambda run: next(rewards)).code == "flaky"


def test_no_reward(gate: Any) -> None:
    verdict = gate(grade=lambda run: True if run.read("/app/out.txt") else None)
    assert verdict.code == "no_reward"
    assert "no reward file" in verdict.message


def test_a_reward_that_came_late_once_is_no_fault(gate: Any) -> None:
    answers = itertools.chain([None], itertools.repeat("go"))

    def grade(run: Any) -> Any:
        return None if next(answers) is None else run.read("/app/out.txt") == "42\n"

    assert gate(grade=grade).verdict == "ok"


def test_reference_fails(gate: Any) -> None:
    verdict = gate(solve=lambda run: run.write("/app/out.txt", "41\n"))
    assert verdict.code == "reference_fails"
    changes = [trial.perturbation for trial in verdict.steps[4].trials if trial.kind == "reference"]
    assert changes[0] == "plain"
    assert "network" in changes


def test_needs_network(gate: Any) -> None:
    def grade(run: Any) -> Any:
        return run.box.spec.network and run.read("/app/out.txt") == "42\n"

    assert gate(grade=grade).code == "needs_network"


def test_network_that_is_asked_for_is_given(gate: Any) -> None:
    def grade(run: Any) -> Any:
        return run.box.spec.network and run.read("/app/out.txt") == "42\n"

    assert gate(grade=grade, more='network_mode = "public"').verdict == "ok"


@pytest.mark.parametrize("line", ["apt-get update && apt-get install -y jq", "pip3 install -q pytest", "npm ci"])
def test_tests_that_install_need_network(gate: Any, line: str) -> None:
    assert gate({"tests/test.sh": f"#!/bin/bash\n{line}\n"}).code == "needs_network"


@pytest.mark.parametrize(
    "line",
    [
        "command -v jq || apt-get install -y jq",
        "pip install --no-index --find-links /tests/wheels x",
        "# apt-get install jq",
        "curl -s http://localhost:8085/healthz",
        "echo apt-get install",
    ],
)
def test_what_installs_nothing_is_fine(gate: Any, line: str) -> None:
    assert gate({"tests/test.sh": f"#!/bin/bash\n{line}\n"}).verdict == "ok"


def test_reference_that_fails_at_first_and_holds_later_is_flaky(gate: Any) -> None:
    tries = itertools.count()

    def solve(run: Any) -> Any:
        return run.write("/app/out.txt", "41\n" if next(tries) == 0 else "42\n")

    assert gate(solve=solve).code == "flaky"


def test_randomness_gets_eight_plain_trials(gate: Any) -> None:
    files = {"tests/check.py": "import random\nrandom.shuffle(lines)\n"}
    verdict = gate(files)
    plain = [t for t in verdict.steps[4].trials if (t.kind, t.perturbation) == ("reference", "plain")]
    assert (verdict.verdict, len(plain)) == ("ok", 8)
    tries = itertools.count(1)

    def solve(run: Any) -> Any:
        return run.write("/app/out.txt", "41\n" if next(tries) % 7 == 0 else "42\n")

    assert gate(files, solve=solve).code == "flaky"


def test_a_time_bomb_is_flaky(gate: Any) -> None:
    def solve(run: Any) -> Any:
        return run.write("/app/out.txt", "0" if run.box.spec.clock_days else "42\n")

    verdict = gate(solve=solve)
    assert verdict.code == "flaky"
    assert "+400 days" in verdict.message


def test_an_engine_without_a_clock_says_so(gate: Any, play: Any) -> None:
    verdict = gate(game=play(lacks=frozenset({"clock", "limits"})))
    assert (verdict.verdict, verdict.skipped) == ("ok", ("clock", "limits"))


def test_what_hangs_on_the_locale_is_flaky(gate: Any) -> None:
    def solve(run: Any) -> Any:
        return run.write("/app/out.txt", "0" if "LC_ALL" in run.env else "42\n")

    verdict = gate(solve=solve)
    assert verdict.code == "flaky"
    assert "locale" in verdict.message


def test_head_room_of_memory(gate: Any) -> None:
    def solve(run: Any) -> Any:
        return run.write("/app/out.txt", "42\n" if run.box.spec.limits.memory_mb > 300 else "")

    verdict = gate(solve=solve)
    assert verdict.code == "head_room"
    assert "256 MiB" in verdict.message


def test_the_untouched_state_that_passes_later_is_flaky(gate: Any) -> None:
    empties = itertools.count()

    def grade(run: Any) -> Any:
        return bool(run.read("/app/out.txt")) or next(empties) == 2

    assert gate(grade=grade).code == "flaky"


@pytest.mark.parametrize(
    ("grade", "attack"),
    [
        (lambda run: run.read("/app/out.txt") is not None and len(run.read("/app/out.txt")) < 5000, "12-"),
        (lambda run: run.read("/app/out.txt") is not None and run.read("/app/out.txt")[:1] == "[", "15-deep-json"),
    ],
)
def test_forgeable(gate: Any, play: Any, grade: Any, attack: str) -> None:
    game = play(solve=lambda run: run.write("/app/out.txt", "[42]\n"), grade=grade)
    game.engine.program("head -c 200000 /dev/zero", lambda run: run.write("/app/out.txt", "[" * 100))
    game.engine.program("ln -s /logs/verifier", lambda run: run.write("/app/out.txt/reward.txt", "1"))
    game.engine.program("ln -s /logs/verifier", lambda run: run.write("/app/out.txt", "1"))
    verdict = gate(game=game)
    assert verdict.code == "forgeable"
    assert attack in verdict.message


def test_an_artifact_attack_that_pays_because_anything_does_is_no_forgery(gate: Any, play: Any) -> None:
    game = play(grade=lambda run: run.read("/app/out.txt") is not None)
    for marker in ("head -c 4096 /dev/zero", "do echo 0 | place"):
        game.engine.program(marker, lambda run: run.write("/app/out.txt", "x"))
    verdict = gate(game=game)
    assert (verdict.code, verdict.stage) == ("weak_verifier", "mutants")
    assert gate(game=game, only=("attack",)).code == "forgeable"


def test_an_attack_that_ends_without_reward_is_no_forgery(gate: Any, play: Any) -> None:
    def grade(run: Any) -> bool | None:
        text = run.read("/app/out.txt")
        return None if text == "crash" else text == "42\n"

    game = play(grade=grade)
    game.engine.program("head -c 4096 /dev/zero", lambda run: run.write("/app/out.txt", "crash"))
    verdict = gate(game=game)
    assert verdict.verdict == "ok"
    assert "verifier_error" in [trial.outcome for trial in verdict.steps[5].trials]


def test_weak_verifier(gate: Any) -> None:
    verdict = gate(grade=lambda run: bool(run.read("/app/out.txt")))
    assert verdict.code == "weak_verifier"


def test_equivalents_are_declared_with_a_reason_but_never_the_emptied_one(gate: Any) -> None:
    def grade(run: Any) -> Any:
        return run.read("/app/out.txt") in ("4", "42\n")

    assert gate(grade=grade).code == "weak_verifier"
    more = '[[metadata.envwheel.equivalents]]\nid = "{}"\nreason = "{}"\n'
    declared = more.format("truncated", "one digit is enough")
    assert gate(grade=grade, more=declared).verdict == "ok"
    assert gate(grade=grade, more=more.format("truncated", " ")).code == "weak_verifier"
    verdict = gate(grade=lambda run: run.read("/app/out.txt") is not None, more=more.format("emptied", "so be it"))
    assert verdict.code == "weak_verifier"


def test_too_strict(gate: Any, play: Any) -> None:
    files = {"solution/alternatives/spaces.sh": "#!/bin/bash\n"}
    game = play()
    game.engine.program("alternatives/spaces.sh", lambda run: run.write("/app/out.txt", "42"))
    verdict = gate(files, game=game)
    assert verdict.code == "too_strict"
    assert "spaces" in verdict.message


def test_an_alternative_that_holds_is_fine(gate: Any, play: Any) -> None:
    game = play()
    game.engine.program("alternatives/other.sh", lambda run: run.write("/app/out.txt", "42\n"))
    assert gate({"solution/alternatives/other.sh": ""}, game=game).verdict == "ok"


def test_shared_mode_is_judged_too(gate: Any) -> None:
    assert gate(mode="shared").verdict == "ok"
    verdict = gate(mode="shared", grade=lambda run: bool((run.read("/app/out.txt") or "").strip()))
    assert verdict.code == "weak_verifier"


def test_head_room_of_time(gate: Any) -> None:
    def grade(run: Any) -> CommandResult:
        run.write("/logs/verifier/reward.txt", "1" if run.read("/app/out.txt") == "42\n" else "0")
        return CommandResult(0, "", 30.0)

    verdict = gate(grade=grade)
    assert verdict.code == "head_room"
    assert "30.0 of 50 s" in verdict.message


def test_infra_is_retried_and_never_a_rejection(gate: Any, play: Any) -> None:
    game = play()
    game.engine.fail_start(1, InfraError("daemon", "gone"))
    assert gate(game=game).verdict == "ok"
    game = play()
    for number in range(1, 500):
        game.engine.fail_start(number, InfraError("disk", "no space left on device"))
    verdict = gate(game=game)
    assert (verdict.verdict, verdict.code, verdict.stage) == ("infra", "disk", "empty")
    assert "no space left" in verdict.message


def test_images_are_removed_unless_the_caller_keeps_them(gate: Any, play: Any) -> None:
    game = play()
    verdict = gate(game=game)
    assert sorted(game.engine.removed) == sorted(image.id for image in verdict.images.values())
    game = play()
    gate(game=game, keep_images=True)
    assert game.engine.removed == []


def test_only_some_steps(gate: Any) -> None:
    verdict = gate(grade=lambda run: True, only=("schema", "build"))
    assert verdict.verdict == "ok"
    assert outcomes(verdict)["empty"] == "skipped"
    verdict = gate(grade=lambda run: bool(run.read("/app/out.txt")), only=("mutants",))
    assert verdict.code == "weak_verifier"


def test_repeat_1_is_one_plain_trial_of_each(gate: Any, play: Any) -> None:
    game = play()
    verdict = gate(game=game, repeat=1, only=("schema", "build", "empty", "reference"), mode="shared")
    assert verdict.verdict == "ok"
    assert len(game.engine.boxes) == 2
    verdict = gate(repeat=3)
    kinds = [(trial.kind, trial.perturbation) for trial in verdict.steps[4].trials]
    assert kinds.count(("reference", "plain")) == 3


def test_all_findings(gate: Any, play: Any) -> None:
    game = play(grade=lambda run: run.read("/app/out.txt") is not None)
    game.engine.program("head -c 4096 /dev/zero", lambda run: run.write("/app/out.txt", "x"))
    verdict = gate(game=game, all_findings=True)
    codes = [fault.code for fault in verdict.findings]
    assert codes.count("weak_verifier") > 1
    assert "forgeable" in codes
    assert "also weak_verifier: " in verdict.message
    assert verdict.code == "forgeable"


def test_evidence_is_written_and_compared(gate: Any, tmp_path: Any) -> None:
    verdict = gate()
    path = write(verdict, verdict.path)
    evidence = load(path)
    assert evidence["tree_sha256"] == verdict.tree_sha256
    assert {
        "kind",
        "id",
        "perturbation",
        "reward",
        "outcome",
        "seconds",
        "peak_mb",
        "artifacts_sha256",
        "reused",
    } < set(evidence["steps"][3]["trials"][0])
    assert differences(evidence, gate().evidence()) == []
    worse = gate(solve=lambda run: run.write("/app/out.txt", "41\n")).evidence()
    found = "\n".join(differences(evidence, worse))
    assert "reference: outcome was 'ok' and is 'failed'" in found
    assert "reward was 1.0 and is 0.0" in found
    changed = gate({"instruction.md": "Write the sum of `/app/numbers.txt` into `/app/out.txt`.\n"}).evidence()
    assert "content hash differs" in differences(evidence, changed)[0]


@pytest.mark.parametrize("text", ["", "[]", '{"steps": 3}', '{"schema": 9, "steps": []}', "[" * 100_000])
def test_what_is_no_evidence_is_refused(tmp_path: Any, text: str) -> None:
    path = tmp_path / "evidence.json"
    path.write_text(text)
    with pytest.raises(UsageError):
        load(path)


def test_an_image_in_which_nothing_starts_is_the_candidates_fault(gate: Any, play: Any) -> None:
    game = play()
    for number in range(1, 100):
        game.engine.fail_start(number, BoxGone("died", "A box cannot start: no /bin/sh"))
    verdict = gate(game=game)
    assert (verdict.verdict, verdict.code, "no /bin/sh" in verdict.message) == ("rejected", "no_reward", True)


def test_a_build_that_our_side_fails_is_infra(gate: Any, play: Any) -> None:
    game = play()

    def fail(*args: Any, **named: Any) -> Any:
        raise InfraError("network", "the registry timed out")

    game.engine.build = fail
    verdict = gate(game=game)
    assert (verdict.verdict, verdict.code, outcomes(verdict)["build"]) == ("infra", "network", "infra")
    game.engine.build = lambda *args, **named: (_ for _ in ()).throw(BuildFailed("exit 1", "the tail"))
    assert "the tail" in gate(game=game).message
    assert json.dumps(verdict.evidence())
