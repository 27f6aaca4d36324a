"""docs/models.md lists every setting that the code takes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from envwheel.presets import KEYS

REPO = Path(__file__).parents[2]
DOCS = (REPO / "docs" / "models.md").read_text("utf-8")


def section(title: str) -> set[str]:
    """The settings in the first column of the tables of one section."""
    text = DOCS.split(f"\n## {title}", 1)[1].split("\n## ", 1)[0]
    return set(re.findall(r"^\| `(\w+)` \|", text, re.M))


def taken(module: str) -> set[str]:
    """The names that a module hands to `known`."""
    source = (REPO / "core" / "envwheel" / module).read_text("utf-8")
    found = re.search(r'known\(settings, "([^"]+)"', source) or re.search(r'_KEYS = """(.*?)"""', source, re.S)
    assert found
    return set(found[1].split()) - {"argument"}


@pytest.mark.parametrize(
    ("title", "module"),
    [
        ("`openai`", "model/openai.py"),
        ("`anthropic`", "model/anthropic.py"),
        ("`command`", "model/command.py"),
        ("`scripted`", "model/scripted.py"),
        ("`local`", "model/local.py"),
        ("`simulated`", "simulated.py"),
    ],
)
def test_settings_of_models(title: str, module: str) -> None:
    assert section(title) == taken(module)


def test_settings_of_the_agent_loop() -> None:
    assert section("The agent loop") == set(KEYS.split())
