"""Owners: read from labels and tags, judged dead or alive."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envwheel.sandbox.owner import Owner, _start_time, current, over, parse, this_host


def test_this_process_is_alive_in_both_forms():
    me = current()
    assert parse(str(me)) == parse(me.tag) == me
    assert me.here
    assert me.alive()


def test_an_ended_process_is_not():
    with subprocess.Popen(["sleep", "60"]) as process:
        there = Owner(this_host(), process.pid, _start_time(process.pid) or 0)
        assert there.alive()
        process.kill()
    assert not there.alive()


def test_a_reused_pid_is_another_process():
    me = current()
    assert not Owner(me.host, me.pid, me.start + 1).alive()


def test_another_host_is_not_judged():
    stranger = Owner("0123456789abn1", 1, 1)
    assert stranger.alive()
    assert not stranger.here


@pytest.mark.parametrize(
    ("holder", "expires", "expected"),
    [
        (current(), "1000", False),  # the clock may have jumped
        (Owner(this_host(), 1 << 22, 1), "99999999999", True),
        (Owner("0123456789abn1", 1, 1), "1000", True),
        (Owner("0123456789abn1", 1, 1), "99999999999", False),
        (Owner("0123456789abn1", 1, 1), "", False),
        (None, "99999999999", True),
    ],
)
def test_what_was_held_is_over(holder, expires, expected):
    assert over(holder, expires) is expected


@pytest.mark.parametrize("text", ["", "a", "a:1", "a:b:1", "a:1:1:1", "a:-1:2", "A B:1:1", f"{'a' * 50}:1:1"])
def test_anything_else_is_nobody(text):
    assert parse(text) is None


@given(st.text())
def test_parsing_never_raises(text):
    owner = parse(text)
    assert owner is None or text.replace(":", "-") == owner.tag
