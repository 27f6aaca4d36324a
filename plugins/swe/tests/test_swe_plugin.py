"""The hooks of the domain: brief, lint, attacks, score, images."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zlib
from datetime import date, timedelta
from pathlib import Path

import pytest

from envwheel.api import Band, Check, Digest, Environment, Trial
from envwheel_swe import lint, naming, plugin, trees
from envwheel_swe.attacks import attacks_on
from envwheel_swe.family import IMAGE


def environment(path: Path, instruction: str, artifacts: list[str] | None = None) -> Environment:
    for name in ("environment", "tests", "solution"):
        (path / name).mkdir(parents=True, exist_ok=True)
    return Environment(path, instruction, {"artifacts": artifacts or ["/app/out.txt"]})


def rules(found: Environment) -> list[str]:
    return [finding.rule for finding in lint.inspect_environment(found)]


def test_importing_the_plugin_imports_no_family() -> None:
    code = "import sys, envwheel_swe.plugin; print([m for m in sys.modules if m.startswith('envwheel_swe.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['envwheel_swe.taxonomy', 'envwheel_swe.plugin']"


def test_the_images_start_from_the_generic_base_and_the_authors_from_the_solvers() -> None:
    work, author = plugin.base_images()
    assert (work.tag, work.role, author.role) == (IMAGE, "work", "author")
    assert "FROM envwheel/base:bookworm" in work.dockerfile
    assert f"FROM {IMAGE}" in author.dockerfile


def test_an_artifact_that_is_not_named_is_found(tmp_path: Path) -> None:
    assert rules(environment(tmp_path, "Write the sum to /app/out.txt.")) == []
    assert rules(environment(tmp_path, "Write the sum to out.txt.")) == []
    assert rules(environment(tmp_path, "Write the sum.")) == ["unnamed_artifact"]
    assert rules(environment(tmp_path, "Make run.sh executable.", ["/app"])) == ["unnamed_artifact"]


def put_blob(folder: Path, content: bytes) -> None:
    data = b"blob %d\0" % len(content) + content
    name = hashlib.sha1(data).hexdigest()
    path = folder / ".git" / "objects" / name[:2] / name[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zlib.compress(data))


def test_a_history_that_holds_the_fix_is_found(tmp_path: Path) -> None:
    found = environment(tmp_path, "Mend /app/out.txt.")
    fix = b"def mean(values):\n    return sum(values) / len(values)\n"
    (tmp_path / "solution" / "fixed.py").write_bytes(fix)
    put_blob(tmp_path / "environment", b"def mean(values):\n    return sum(values)\n")
    assert rules(found) == []
    put_blob(tmp_path / "environment", fix)
    assert rules(found) == ["git_history"]
    (tmp_path / "environment" / "in_plain_sight.py").write_bytes(fix)
    assert rules(found) == [], "a file that everybody may see is no answer"


def test_broken_and_large_objects_are_passed_over(tmp_path: Path) -> None:
    found = environment(tmp_path, "Mend /app/out.txt.")
    folder = tmp_path / "environment" / ".git" / "objects" / "ab"
    folder.mkdir(parents=True)
    (folder / ("0" * 38)).write_bytes(b"no zlib")
    (folder / ("1" * 38)).write_bytes(zlib.compress(b"blob 1\0" + b"x" * 50_000_000))
    assert rules(found) == []


def test_dates_near_today_are_a_warning(tmp_path: Path) -> None:
    found = environment(tmp_path, "Write /app/out.txt.")
    (tmp_path / "environment" / "a.log").write_text(f"{date.today() + timedelta(days=30)} start\n2020-13-45 no date\n")
    [finding] = lint.inspect_environment(found)
    assert (finding.rule, finding.severity) == ("near_date", "warning")


def test_a_shell_in_the_checker_is_a_warning(tmp_path: Path) -> None:
    found = environment(tmp_path, "Write /app/out.txt.")
    (tmp_path / "tests" / "check.py").write_text("import os\nos.system('/app/run.sh')\n")
    assert rules(found) == ["loose_run"]


def test_attacks_have_names_of_their_own_and_are_bash(tmp_path: Path) -> None:
    found = environment(
        tmp_path, "Write /app/it's here.py.\n\n```\n3 'x'\n```\n\n```text\n```\n", ["/app/it's here.py", "/app/dir"]
    )
    attacks = attacks_on(found)
    assert len({attack.id for attack in attacks}) == len(attacks)
    assert "echo_sample_1" in {attack.id for attack in attacks}
    assert "echo_sample_2" not in {attack.id for attack in attacks}
    for attack in attacks:
        done = subprocess.run(["bash", "-n"], input=attack.script, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (attack.id, done.stderr)


def trial(reward: dict[str, float], *checks: Check) -> Trial:
    return Trial("scored", reward, checks, 0, 1.0, "")


@pytest.mark.parametrize(
    ("raw", "value", "passed"),
    [({"reward": 1.0}, 1.0, True), ({"score": 0.4}, 0.4, False), ({"a": 1.0, "b": 1.0}, 0.0, False), ({}, 0.0, False)],
)
def test_score(raw: dict[str, float], value: float, passed: bool) -> None:
    reward = plugin.score(trial(raw))
    assert (reward.value, reward.passed) == (value, passed)


def test_a_crash_is_never_a_pass() -> None:
    assert plugin.score(Trial("verifier_error", {"reward": 1.0}, (), 1, 1.0, "")).value == 0


def test_score_tells_what_failed() -> None:
    reward = plugin.score(trial({"reward": 0.0}, Check("one", True), Check("two", False)))
    assert reward.reason == "failed: two"
    assert plugin.band(Band()) == Band()


def test_the_brief_is_complete_and_repeatable() -> None:
    brief = plugin.brief(Digest({}), 3)
    assert brief == plugin.brief(Digest({}), 3)
    assert 1 <= len(brief.examples) <= 2
    assert all("check.py" in example and "solve.sh" in example for example in brief.examples)
    assert "not tried" in brief.task
    assert brief.skills[0] in brief.task


def test_names_are_drawn_from_the_seed_alone() -> None:
    assert naming.person(naming.rng("a", 1, 2)) == naming.person(naming.rng("a", 1, 2))
    assert naming.rng("a", 1, 2).random() != naming.rng("a", 1, 3).random()
    assert naming.day(naming.rng("a", 1, 2)) < "2024"


def test_modes_are_set_from_the_deepest_path_upwards() -> None:
    assert trees.make_modes({"a": "000", "a/b c": "600"}) == "chmod 600 'a/b c'\nchmod 000 a\n"
