"""`envwheel domains` and `envwheel plugin check` through the command line."""

from __future__ import annotations

import json
import sys

from envwheel.cli import main
from envwheel.columns import columns


def rows(capsys) -> dict[str, dict]:
    return {row["name"]: row for row in map(json.loads, capsys.readouterr().out.splitlines())}


def test_domains_lists_without_importing(plant, capsys):
    module = plant("listed", "raise RuntimeError")
    assert main(["domains", "--json"]) == 0
    assert rows(capsys)["listed"] == {
        "name": "listed",
        "version": "1.0",
        "distribution": "some-listed",
        "core": ">=0.1,<0.2",
        "state": "not checked",
        "detail": "",
        "fix": "",
    }
    assert module not in sys.modules


def test_domains_check_tells_ready_from_broken_and_exits_2(plant, capsys):
    plant("fine")
    plant("bad", "import missing_thing")
    assert main(["domains", "--check", "--json"]) == 2
    found = rows(capsys)
    assert found["fine"]["state"] == "ready"
    assert found["bad"]["state"] == "broken"


def test_a_clash_is_shown_not_raised(plant, capsys):
    plant("torn", dist="one")
    plant("torn", dist="two")
    assert main(["domains"]) == 0
    assert capsys.readouterr().out.count("both claim the name 'torn'") == 2


def test_the_table_holds_no_control_characters(plant, capsys):
    plant.metadata("evil\x1b[31m", "[envwheel.domains]\nevil = evil\n")
    assert main(["domains"]) == 0
    out = capsys.readouterr().out
    assert "evil" in out
    assert "\x1b" not in out


def test_plugin_check_names_the_broken_promise_and_exits_1(plant, capsys):
    plant("half", "@hookimpl\ndef band(): return 3")
    assert main(["plugin", "check", "half"]) == 1
    out = capsys.readouterr()
    assert "failed   `band` leaves room on both sides" in out.out
    assert "expected Band, got int" in out.out
    assert "23 checks, 1 failed." in out.err


def test_plugin_check_json_has_one_line_a_check(plant, capsys):
    plant("whole")
    assert main(["plugin", "check", "whole", "--json"]) == 0
    results = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {one["outcome"] for one in results} == {"ok"}
    assert set(results[0]) == {"check", "promise", "outcome", "message", "seconds"}


def test_plugin_check_of_an_unknown_domain_exits_2_with_the_pip_line(capsys):
    assert main(["plugin", "check", "gone"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("envwheel plugin: Domain 'gone' is not installed. Installed: ")
    assert "pip install 'envwheel[gone]'" in err


def test_columns_align_and_stay_on_one_line():
    assert columns(("A", "B"), [("long", "x\ny"), ("s", "")]) == "A     B\nlong  x y\ns"
