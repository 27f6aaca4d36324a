"""Dollars: by the table in the settings, else by the list of published prices, else unknown and never 0."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from spoken import Said, settings, try_once

from envwheel.errors import ConfigError, SetupError
from envwheel.model.base import ModelUsage
from envwheel.model.prices import ListedPrice, TablePrice, price_of, priced

OPENAI, ANTHROPIC = "https://api.openai.com/v1/", "https://api.anthropic.com"
USED = ModelUsage(1_000_000, 100_000, 400_000)


def dollars(settings: dict[str, Any], model: str, url: str, usage: ModelUsage = USED, written: int = 0) -> float | None:
    return priced(usage, price_of(settings, model, url), written).dollars


def test_a_table_stands_above_the_list() -> None:
    table = {"prices": {"input": 1.0, "output": 10.0, "cached": 0.1}}
    assert isinstance(price_of(table, "gpt-4o-mini", OPENAI), TablePrice)
    assert dollars(table, "gpt-4o-mini", OPENAI) == pytest.approx(0.6 * 1.0 + 0.4 * 0.1 + 0.1 * 10.0)


def test_a_table_prices_what_is_written_into_a_cache() -> None:
    table = {"prices": {"input": 1.0, "output": 0.0, "cached": 0.1, "cache_write": 1.25}}
    assert dollars(table, "m", OPENAI, written=100_000) == pytest.approx(0.5 * 1.0 + 0.4 * 0.1 + 0.1 * 1.25)
    assert dollars({"prices": {"input": 2.0, "output": 0.0}}, "m", OPENAI) == pytest.approx(2.0)


def test_a_table_of_zeros_is_a_price() -> None:
    assert dollars({"prices": {"input": 0, "output": 0}}, "m", "http://127.0.0.1:8000/v1") == 0.0


def test_the_list_knows_the_vendors_models_by_their_address() -> None:
    fresh, cached = ModelUsage(1000, 0, 0), ModelUsage(1000, 0, 1000)
    for model, url in (("gpt-4o-mini", OPENAI), ("claude-sonnet-4-5", ANTHROPIC)):
        full, less = (dollars({}, model, url, usage) for usage in (fresh, cached))
        assert full is not None
        assert less is not None
        assert 0 < less < full
    written = dollars({}, "claude-sonnet-4-5", ANTHROPIC, fresh, written=1000)
    assert written == pytest.approx(1.25 * (dollars({}, "claude-sonnet-4-5", ANTHROPIC, fresh) or 0.0))


def test_gpt_4o_mini_costs_what_its_vendor_published() -> None:
    """0.15, 0.075 cached and 0.60 dollars per million tokens: published with the model, July 2024."""
    assert dollars({}, "gpt-4o-mini", OPENAI) == pytest.approx(0.6 * 0.15 + 0.4 * 0.075 + 0.1 * 0.60)


@pytest.mark.parametrize(
    ("model", "url"),
    [("gpt-4o-mini", "http://127.0.0.1:8000/v1/"), ("a-model-of-ones-own", OPENAI), ("gpt-4o-mini", ANTHROPIC)],
)
def test_what_nobody_lists_is_unknown_and_not_nothing(model: str, url: str) -> None:
    assert price_of({}, model, url) is None
    assert dollars({}, model, url) is None


def test_counts_that_contradict_each_other_have_no_price() -> None:
    assert ListedPrice("gpt-4o-mini", OPENAI).of(ModelUsage(10, 1, 400)) is None


def test_the_list_is_imported_only_when_a_price_is_asked_for() -> None:
    code = "import sys, envwheel.model.openai; sys.exit('genai_prices' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("table", [5, {"input": 1}, {"input": "x", "output": 1}, {"input": -1, "output": 1}])
def test_a_table_that_is_none_is_an_error(table: Any) -> None:
    with pytest.raises(ConfigError, match="dollars per million"):
        price_of({"prices": table}, "m", OPENAI)


@pytest.mark.parametrize("kind", ["openai", "anthropic", "command"])
def test_a_budget_of_dollars_without_a_price_is_refused(kind: str, endpoint: Any, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="prices"):
        try_once(kind, settings(kind, [Said("text")], endpoint, tmp_path), tmp_path, dollars=1.0)


@pytest.mark.parametrize("kind", ["openai", "anthropic", "command"])
def test_a_table_reaches_the_rollout(kind: str, endpoint: Any, tmp_path: Path) -> None:
    table = settings(kind, [Said("text")], endpoint, tmp_path)
    summary = try_once(kind, table | {"prices": {"input": 1.0, "output": 10.0, "cached": 0.1}}, tmp_path).summary
    written = 20 * 1.0 if kind == "anthropic" else 0.0
    fresh = 30.0 if kind == "anthropic" else 50.0
    assert summary.usage.dollars == pytest.approx(2 * (fresh + written + 50 * 0.1 + 5 * 10.0) / 1e6)
