"""What a check prints and writes for people: the live table, the summary by code, CSV and HTML."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from envwheel.cli import main
from envwheel.errors import EnvwheelError
from envwheel.gate import html, live, report


def row(name: str, code: str = "", message: str = "", **more: Any) -> dict[str, Any]:
    step = {
        "step": "empty",
        "outcome": "failed" if code else "ok",
        "code": code,
        "seconds": 1.0,
        "rewards": [0.0, None],
    }
    word = "rejected" if code else "ok"
    known = {"path": f"pool/{name}", "name": name, "verdict": word, "code": code, "message": message, "seconds": 1.25}
    return {**known, "engine": "fake", "skipped": [], "steps": [step], **more}


class Reader(HTMLParser):
    """Collects the tags with their attributes, and text outside of script and style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text, self._inside = "", ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag

    def handle_data(self, data: str) -> None:
        self.text += "" if self._inside in ("script", "style") else data


def test_html_escapes_all_and_loads_nothing() -> None:
    evil = "<img src=x onerror=alert(1)>\x1b[2J\x00"
    page = html.page([row(f"a{evil}", f"flaky{evil}", evil, path=evil), row("b")], f"check {evil}")
    reader = Reader(page)
    assert not [tag for tag, _ in reader.tags if tag in ("img", "link", "iframe")]
    assert [tag for tag, attributes in reader.tags if {"src", "href", "onerror"} & set(attributes)] == []
    assert "<img src=x onerror=alert(1)>" in reader.text
    assert "\x1b" not in page
    assert "\x00" not in page
    (policy,) = [known["content"] for tag, known in reader.tags if known.get("http-equiv")]
    assert policy
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_html_says_what_was_found_and_means() -> None:
    page = html.page([row("one", "flaky", "it flips"), row("two", "flaky"), row("three")], "check pool")
    text = Reader(page).text
    assert "67%" in text
    assert "Reference or untouched state get different rewards" in text
    assert "it flips" in text
    assert "0, none" in text


def test_html_of_many_rows_hides_all_but_the_first() -> None:
    rows = [tag for tag in Reader(html.page([row(f"n{n}") for n in range(250)], "check")).tags if tag[0] == "tr"]
    assert sum("hidden" in known for _, known in rows) == 50
    assert "Nothing was judged" in html.page([], "check")


def test_csv_has_a_row_each_and_no_formula(tmp_path: Path) -> None:
    report.write_csv(tmp_path / "all.csv", [row("=1+1", "flaky", "two\nlines, and a comma"), row("b")])
    rows = list(csv.DictReader((tmp_path / "all.csv").open(newline="")))
    assert [one["name"] for one in rows] == ["'=1+1", "b"]
    assert rows[0]["message"] == "two\nlines, and a comma"
    assert (rows[0]["empty"], rows[0]["empty rewards"]) == ("failed", "0, none")
    assert [path.name for path in tmp_path.iterdir()] == ["all.csv"]


def test_a_report_that_cannot_be_written_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for file in ("folder", "nowhere/report.html"):
        with pytest.raises(EnvwheelError, match="cannot be written"):
            report.refuse_unwritable(tmp_path / file)
    with pytest.raises(EnvwheelError, match="cannot be written"):
        html.write(tmp_path / "folder", [], "check")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_rewards_are_short() -> None:
    assert report.reward_text([0.0] * 18 + [0.5, None]) == "0 x18, 0.5, none"
    assert report.reward_text([]) == ""


def test_a_large_pool_is_summed_up_by_code(capsys: Any) -> None:
    report.print_table([row(f"n{n}", "flaky" if n % 2 else "") for n in range(200)])
    out = capsys.readouterr().out
    assert "Shown are the first 50 of 100 that are not ok" in out
    assert "rejected  flaky    100  50.0%  n1, n3, n5 and 97 more" in out
    assert "200 judged: 100 ok, 100 rejected" in out
    assert "--explain flaky" in out


def test_the_live_table_leaves_standard_output_alone(capsys: Any) -> None:
    screen = io.StringIO()
    with live.Progress(3, True, Console(file=screen, force_terminal=True, width=100)) as progress:
        progress.step("a", "one", "reference")
        progress.step("b", "[red]two", "build")
        progress.done("c", row("three", "flaky"))
        print(json.dumps({"name": "three"}), flush=True)
        assert progress._live is not None
        progress._live.refresh()
    assert capsys.readouterr().out == '{"name": "three"}\n'
    picture = screen.getvalue()
    assert "1/3" in picture
    assert "1 rejected" in picture
    assert "reference" in picture
    assert "[red]two" in picture
    assert '"name"' not in picture


def test_without_a_terminal_there_is_a_line_for_each(tmp_path: Path) -> None:
    screen = io.StringIO()
    with live.Progress(2, False, Console(file=screen, width=100)) as progress:
        progress.done("a", row("one"))
        progress.done("b", row("two", "flaky"))
    assert screen.getvalue() == "1/2 one: ok\n2/2 two: rejected flaky\n"


def test_check_writes_both(write_task: Any, tmp_path: Path, capsys: Any) -> None:
    good, bad = write_task(name="good"), write_task({"instruction.md": ""}, name="bad")
    files = ["--csv", str(tmp_path / "out.csv"), "--html", str(tmp_path / "out.html")]
    assert main(["check", str(good), str(bad), "--only", "schema,lint", *files]) == 1
    capsys.readouterr()
    assert "instruction.md is empty" in (tmp_path / "out.csv").read_text()
    assert "instruction.md is empty" in (tmp_path / "out.html").read_text()
    assert main(["check", str(good), "--html", str(tmp_path / "no" / "out.html")]) == 2
    assert "cannot be written" in capsys.readouterr().err
