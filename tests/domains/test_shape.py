"""Checking values against the annotations that `envwheel.api` is written with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import pytest

from envwheel.api import Band, BaseImage, Check, Digest, Draft, Family, Rate, Trial
from envwheel.shape import fault

RATES = {("a", 1): Rate(1, 2, 0.0, 1.0)}


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (1, int),
        (1, float),
        (None, int | None),
        ("x", Literal["x", "y"]),
        ((1, 2), tuple[int, ...]),
        (("a", 1), tuple[str, int]),
        ((), tuple[str, ...]),
        (frozenset({"gpu"}), frozenset[str]),
        ({"a": b"b", "c": "d"}, Mapping[str, str | bytes]),
        (len, Callable[[int, int], int]),
        (object(), Any),
        (Digest(RATES), Digest),
        (BaseImage("t:1", "FROM a:1", Path("/")), BaseImage),
        (Draft("n", "i", {}, {}, {}, ("/app/x",), "b:1"), Draft),
        (Family("f", "t", ("s",), (0,), lambda level, seed: None), Family),
    ],
)
def test_what_fits_has_no_fault(value, hint):
    assert fault(value, hint, "value") is None


@pytest.mark.parametrize(
    ("value", "hint", "text"),
    [
        (True, int, "v: expected int, got bool"),
        (True, float, "v: expected float, got bool"),
        ("1", int, "v: expected int, got str"),
        ("z", Literal["x", "y"], "v: expected one of 'x', 'y', got 'z'"),
        ([1], tuple[int, ...], "v: expected tuple, got list"),
        ((1, "2"), tuple[int, ...], "v[1]: expected int, got str"),
        (("a",), tuple[str, int], "v: expected 2 items, got 1"),
        ({"a": 1}, Mapping[str, str], "v['a']: expected str, got int"),
        ({1: "a"}, Mapping[str, str], "v key 1: expected str, got int"),
        (None, str | int, "v: expected str | int, got NoneType"),
        (3, Callable[[], int], "v: expected Callable, got int"),
        ([Check("a", True), Check("b", "yes")], list[Check], "v[1].passed: expected bool, got str"),
        (Digest({"a": 1}), Digest, "v.skills key 'a': expected tuple, got str"),
        (Trial("fine", {}, (), 0, 1.0, ""), Trial, "v.outcome: expected one of"),
        (Band(), Draft, "v: expected Draft, got Band"),
    ],
)
def test_the_first_fault_has_a_path(value, hint, text):
    found = fault(value, hint, "v")
    assert found is not None
    assert found.startswith(text)
