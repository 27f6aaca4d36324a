"""Exact amounts."""

from decimal import ROUND_HALF_UP, Decimal, localcontext

CENT = Decimal("0.01")
TENTH = Decimal("0.1")


def divide(number, by, unit):
    """`number / by`, rounded half up to `unit`."""
    with localcontext() as context:
        context.prec = 50
        return (Decimal(number) / Decimal(by)).quantize(unit, ROUND_HALF_UP)


def cost(seconds, rate):
    """The price of some seconds at an hourly rate, in cents."""
    return divide(Decimal(rate) * seconds, 3600, CENT)
