"""What a call costs: from the table `prices` in the settings, else from the list in `genai-prices`, else unknown.

    price = price_of(settings, "gpt-x", "https://api.example.com/v1")
    usage = priced(usage, price)          # `dollars` None when nobody knows, never 0 by guess

`genai-prices` is a package with a list of published prices (extras `[openai]` and `[anthropic]`); nothing is fetched.
It is asked by the address of the endpoint, so a model of the same name on one's own machine has no price.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from envwheel.errors import ConfigError
from envwheel.model.base import ModelUsage


class Price(Protocol):
    """Knows what tokens cost."""

    def of(self, usage: ModelUsage, written: int = 0) -> float | None:
        """Dollars for `usage`, None when unknown.

        `cached_tokens` (read from a cache) and `written` (put into it) are parts of `input_tokens`.
        """


@dataclass(frozen=True, slots=True)
class TablePrice:
    """Dollars per million tokens."""

    input: float
    output: float
    cached: float
    cache_write: float

    def of(self, usage: ModelUsage, written: int = 0) -> float:
        """Dollars for `usage`."""
        fresh = usage.input_tokens - usage.cached_tokens - written
        total = fresh * self.input + usage.cached_tokens * self.cached + written * self.cache_write
        return (total + usage.output_tokens * self.output) / 1_000_000


@dataclass(frozen=True, slots=True)
class ListedPrice:
    """What `genai-prices` says of `model` at the endpoint `url`; steps for long prompts are in it."""

    model: str
    url: str

    def of(self, usage: ModelUsage, written: int = 0) -> float | None:
        """Dollars for `usage`, None when the list has no such model."""
        import genai_prices

        try:
            tokens = genai_prices.Usage(
                input_tokens=usage.input_tokens,
                cache_read_tokens=usage.cached_tokens,
                cache_write_tokens=written,
                output_tokens=usage.output_tokens,
            )
            made = genai_prices.calc_price(tokens, self.model, provider_api_url=self.url)
        except (LookupError, ValueError):
            return None
        known = made.model_price.input_mtok is not None and made.model_price.output_mtok is not None
        return float(made.total_price) if known else None


def price_of(settings: Mapping[str, Any], model: str, url: str) -> Price | None:
    """The price of `model` at `url`; None when neither the settings nor an installed list have one."""
    if (table := read_price(settings)) is not None:
        return table
    try:
        import genai_prices  # noqa: F401
    except ImportError:
        return None
    listed = ListedPrice(model, url)
    return listed if listed.of(ModelUsage()) is not None else None


def read_price(settings: Mapping[str, Any]) -> TablePrice | None:
    """The table `prices`: `input`, `output` and, where they differ from input, `cached` and `cache_write`.

    Raises ConfigError when it is there but is none.
    """
    table = settings.get("prices")
    if table is None:
        return None
    try:
        fallback = table["input"]
        figures = [table["input"], table["output"], table.get("cached", fallback), table.get("cache_write", fallback)]
        price = TablePrice(*map(float, figures))
    except (KeyError, TypeError, ValueError, AttributeError):
        price = None
    if price is None or not all(
        math.isfinite(x) and x >= 0 for x in (price.input, price.output, price.cached, price.cache_write)
    ):
        raise ConfigError(
            "prices: expected dollars per million tokens, such as {input = 1.25, output = 10.0, cached = 0.125}, "
            f"got {table!r}."
        )
    return price


def priced(usage: ModelUsage, price: Price | None, written: int = 0) -> ModelUsage:
    """`usage` with its dollars; None when there is no price."""
    return replace(usage, dollars=price.of(usage, written) if price else None)
