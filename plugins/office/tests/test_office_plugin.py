"""The hooks of the domain: images, brief, score, pictures; the language in few words."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from envwheel.api import Band, Check, Digest, Goal, Trial
from envwheel.sandbox.wheels import PIN
from envwheel_office import boxes, notation, plugin
from envwheel_office.family import VERIFIER_IMAGE, WORK_IMAGE
from envwheel_office.kit.officekit.language import schema


def test_importing_the_plugin_imports_nothing_heavy() -> None:
    code = "import sys, envwheel_office.plugin; print([m for m in sys.modules if m.startswith('envwheel_office.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['envwheel_office.taxonomy', 'envwheel_office.plugin']"


def test_each_image_starts_from_the_one_before_and_pins_its_packages() -> None:
    work, verifier, author = plugin.base_images()
    assert [one.role for one in (work, verifier, author)] == ["work", "verifier", "author"]
    assert (work.tag, verifier.tag) == (WORK_IMAGE, VERIFIER_IMAGE)
    for image, start in ((work, "envwheel/base:bookworm"), (verifier, work.tag), (author, verifier.tag)):
        assert f"\nFROM {start}\n" in image.dockerfile
        assert "\nCOPY wheels /usr/local/lib/python3.11/dist-packages\n" in image.dockerfile
        assert all(PIN.fullmatch(wheel) for wheel in image.wheels)
    names = [wheel.partition("==")[0].lower() for wheel in (*boxes.DOCUMENTS, *boxes.ENGINES, *boxes.DATA)]
    assert len(set(names)) == len(names)


def test_the_packages_of_the_boxes_are_those_of_the_tests() -> None:
    """So that what is tested here is what judges there."""
    from importlib.metadata import version

    pins = dict(wheel.split("==") for wheel in (*boxes.DOCUMENTS, *boxes.ENGINES))
    assert {name: version(name) for name in ("ironcalc", "formualizer")} == {
        name: pins[name] for name in ("ironcalc", "formualizer")
    }


def test_the_kit_is_the_whole_library() -> None:
    targets = {one.target for one in plugin.kit()}
    folder = Path(plugin.__file__).parent / "kit" / "officekit"
    assert targets == {f"officekit/{path.name}" for path in folder.glob("*.py")}
    assert {"officekit/language.py", "officekit/listener.py", "officekit/uno_child.py"} <= targets


def test_the_notation_has_every_kind_and_every_field_of_the_language() -> None:
    text = notation.language()
    for name, record in schema()["$defs"].items():
        kind = record["properties"].get("kind", {}).get("const")
        head = f"{kind}: " if kind else f"{name}: "
        [line] = [line for line in text.splitlines() if line.startswith(head)]
        shared = next(line for line in text.splitlines() if line.startswith("every check: "))
        for field in set(record["properties"]) - {"kind"}:
            assert re.search(rf"\b{field}\??: ", line + shared), (head, field)
    assert len(text) < len(json.dumps(schema())) / 4


def trial(reward: dict[str, float], *checks: Check) -> Trial:
    return Trial("scored", reward, checks, 0, 1.0, "")


@pytest.mark.parametrize(
    ("raw", "value", "passed"),
    [
        ({"reward": 1.0}, 1.0, True),
        ({"reward": 1 - 1e-12}, 1.0, True),
        ({"reward": 0.999}, 0.999, False),
        ({"score": 0.4}, 0.4, False),
        ({"a": 1.0, "b": 1.0}, 0.0, False),
        ({}, 0.0, False),
    ],
)
def test_a_partial_reward_is_kept_and_only_a_full_one_is_a_pass(raw, value, passed) -> None:
    reward = plugin.score(trial(raw))
    assert (reward.value, reward.passed) == (value, passed)


def test_the_reason_names_the_lost_checks_with_their_own() -> None:
    reward = plugin.score(trial({"reward": 0.5}, Check("one", True), Check("two", False, 1.0, "12 rows are missing")))
    assert reward.reason == "failed: two (12 rows are missing)"
    assert plugin.score(Trial("verifier_error", {"reward": 1.0}, (), 1, 1.0, "")).value == 0
    assert plugin.band(Band()) == Band()


def test_the_brief_has_the_language_and_is_repeatable() -> None:
    brief = plugin.brief(Digest({}), 3)
    assert brief == plugin.brief(Digest({}), 3)
    assert notation.language() in brief.task
    assert "unnamed_property" in brief.task
    assert brief.skills[0] in brief.task
    assert len(brief.task) < 24_000


def test_the_brief_is_aimed_at_a_goal() -> None:
    brief = plugin.brief(Digest({}), 3, Goal("pdf", 2, "stops early"))
    assert (brief.skills, brief.level) == (("pdf",), 2)
    assert "stops early" in brief.task


def test_documents_have_pictures_and_other_files_have_none() -> None:
    found = plugin.render(("/app/out/report.XLSX", "/app/run.sh"))
    assert found is not None
    assert found.image == VERIFIER_IMAGE
    assert subprocess.run(["bash", "-n"], input=found.script, text=True, check=False).returncode == 0
    assert plugin.render(("/app/run.sh",)) is None
