"""Loading a domain in a process of its own: whatever the plugin does there, one line comes back."""

from __future__ import annotations

import pytest

from envwheel.child import ChildFailed, LoadState, ask, load_state

MISSING = """
from envwheel.api import Missing
print("noise on standard output")
@hookimpl
def probe():
    print("more noise")
    return [Missing("a GPU", "buy one"), Missing("a screen", "apt-get install xvfb")]
"""


@pytest.mark.parametrize(
    ("source", "state", "detail"),
    [
        ("", "ready", ""),
        (MISSING, "missing", "a GPU; a screen"),
        ("import no_such_module", "broken", "No module named 'no_such_module'"),
        ("import os; os._exit(7)", "broken", "ended the interpreter with exit code 7"),
        ("import os; os._exit(0)", "broken", "ended the interpreter with exit code 0"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "broken", "signal SIGSEGV"),
        ("@hookimpl\ndef probe(): raise OSError('no bus')", "broken", "hook `probe` raised OSError: no bus"),
    ],
)
def test_the_state_of_a_domain(plant, source, state, detail):
    plant("odd", source)
    found = load_state("odd")
    assert found.state == state
    assert detail in found.detail
    assert "\n" not in found.detail


def test_each_lack_comes_with_its_fix(plant):
    plant("odd", MISSING)
    assert load_state("odd") == LoadState("missing", "a GPU; a screen", "buy one; apt-get install xvfb")


def test_a_plugin_that_hangs_is_broken(plant):
    plant("odd", "import time; time.sleep(600)")
    found = load_state("odd", seconds=1.5)
    assert found == LoadState("broken", "loading it gave no answer within 1.5 s")


def test_ask_gives_the_last_line_and_sets_the_hash_seed():
    code = "import json, os, sys; print('noise'); print(json.dumps([sys.argv[1], os.environ['PYTHONHASHSEED']]))"
    assert ask(code, "x", hash_seed=5) == ["x", "5"]


def test_no_answer_is_an_error_with_the_last_line_of_standard_error():
    with pytest.raises(ChildFailed, match="exit code 1: ValueError: why"):
        ask("raise ValueError('why')", "")
    with pytest.raises(ChildFailed, match="exit code 0: it said nothing"):
        ask("print('not json')", "")
