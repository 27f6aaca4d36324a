"""What a call costs, from a table in the settings. Without a table the price is unknown, never zero by guess."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from envwheel.errors import ConfigError
from envwheel.model.base import ModelUsage


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens."""

    input: float
    output: float
    cached: float

    def of(self, usage: ModelUsage) -> float:
        """Dollars for `usage`; `cached_tokens` are a part of `input_tokens`."""
        fresh = usage.input_tokens - usage.cached_tokens
        total = fresh * self.input + usage.cached_tokens * self.cached + usage.output_tokens * self.output
        return total / 1_000_000


def read_price(settings: Mapping[str, Any]) -> Price | None:
    """The table `prices` of a model's settings: `input`, `output` and, where it differs from input, `cached`.

    Raises ConfigError when it is there but is none.
    """
    table = settings.get("prices")
    if table is None:
        return None
    try:
        price = Price(float(table["input"]), float(table["output"]), float(table.get("cached", table["input"])))
    except (KeyError, TypeError, ValueError, AttributeError):
        price = None
    if price is None or not all(math.isfinite(x) and x >= 0 for x in (price.input, price.output, price.cached)):
        raise ConfigError(
            "prices: expected dollars per million tokens, such as {input = 1.25, output = 10.0, cached = 0.125}, "
            f"got {table!r}."
        )
    return price


def priced(usage: ModelUsage, price: Price | None) -> ModelUsage:
    """`usage` with its dollars; None when there is no price."""
    return replace(usage, dollars=price.of(usage) if price else None)
