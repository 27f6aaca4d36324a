"""Places, stops, budgets, and the two Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from envwheel.control import Control, Stopped, interruptible
from envwheel.errors import InfraError
from envwheel.ledger import Tokens

TWICE = """
import os, signal, time
from envwheel.control import Control, interruptible
with interruptible(Control(1), lambda: print("ended now", flush=True), lambda text: print(text, flush=True)):
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGINT)   # too soon: the same signal twice
    print("goes on", flush=True)
    time.sleep(0.6)
    os.kill(os.getpid(), signal.SIGINT)
    print("never reached")
"""


def test_a_stopped_run_gives_no_place_and_does_not_wait() -> None:
    control = Control(1)
    with control.place():
        pass
    control.stop("first")
    control.stop("second")
    assert control.reason == "first"
    with pytest.raises(Stopped), control.place():
        pass
    with pytest.raises(Stopped):
        control.pause(3600)


def test_ten_failures_in_a_row_of_one_kind() -> None:
    control = Control(1)
    for _ in range(9):
        control.infra("trial", "no model")
        control.fine("gate")
    control.fine("trial")
    for _ in range(9):
        control.infra("trial", "no model")
    assert control.go_on()
    with pytest.raises(InfraError, match=r"10 times in a row \(trial\), last: no model"):
        control.infra("trial", "no model")
    assert not control.go_on()


def test_budgets() -> None:
    tokens = Control(1, max_tokens=100)
    tokens.spend(Tokens(input=60))
    assert tokens.go_on()
    tokens.spend(Tokens(output=40))
    assert not tokens.go_on()
    dollars = Control(1, max_dollars=1.0)
    dollars.spend(Tokens(dollars=1.5))
    assert "max_dollars" in dollars.reason
    hours = Control(1, max_hours=1e-9)
    time.sleep(0.001)
    assert not hours.go_on()


def test_the_first_interrupt_is_gentle_and_handlers_come_back() -> None:
    control, said, before = Control(1), [], signal.getsignal(signal.SIGTERM)
    with interruptible(control, lambda: None, said.append):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0)
    assert control.interrupted
    assert not control.go_on()
    assert "Once more ends it now" in said[0]
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_second_interrupt_ends_it_now() -> None:
    ran = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, text=True, check=False)
    assert ran.returncode == 130
    assert "goes on" in ran.stdout
    assert ran.stdout.endswith("ended now\n")
