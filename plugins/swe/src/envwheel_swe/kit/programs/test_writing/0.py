"""Clamping numbers."""


def clamp(value, low, high):
    """`value`, but at least `low` and at most `high`. A `low` above `high` is a ValueError."""
    if low > high:
        raise ValueError("low is above high")
    if value < low:
        return low
    if value > high:
        return high
    return value
