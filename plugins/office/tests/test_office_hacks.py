"""Ways to win without the work, by their numbers in the notes on known weaknesses and hacks: none has a point."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from office_box import Box, write
from office_fakes import EngineBench, book, rows, solved

from officekit.bench import Score
from officekit.language import Plan
from officekit.model import Style, Workbook
from officekit.verify import judged, reward

LEDGER = rows(["Item", "Region", "Amount"], *([f"i{n}", "NS"[n % 2], 7 * n] for n in range(1, 21)))
INPUT = {"Ledger": LEDGER, "Summary": {"A1": "North", "A2": "Rate"}}
NORTH = '=SUMIFS(Ledger!C2:C21,Ledger!B2:B21,"N")'
RATE = "=ROUND(C1/100000,4)"
VALUE = 770
CHECKS: list[dict[str, Any]] = [
    {"kind": "cell_value", "id": "north", "at": {"label": "North"}, "expect": VALUE, "type": "number"},
    {"kind": "cell_value", "id": "rate", "at": {"label": "Rate"}, "expect": 0.0049, "type": "number"},
    {"kind": "formula", "id": "live", "at": {"label": "North"}, "depends_on": ["Ledger!C2:C21"], "gate": True},
    {
        "kind": "metamorphic",
        "id": "behaves",
        "reference": "ref.xlsx",
        "changes": [{"how": "scale", "range": "Ledger!C2:C21", "count": 15}],
        "outputs": [{"label": "North"}],
        "gate": True,
    },
    {"kind": "preserve", "id": "kept", "original": "input.xlsx", "allow": ["Summary!*"], "gate": True},
]


def summary(north: Any, rate: Any = 0.0049, **more: Any) -> dict[str, Any]:
    return {"A1": "North", "B1": north, "A2": "Rate", "B2": rate, **more}


def made(cells: dict[str, Any], ledger: dict[str, Any] | None = None, **more: Any) -> Workbook:
    return solved(book({"Ledger": ledger or LEDGER, "Summary": cells}, **more))


def graded(found: Workbook) -> dict[str, Score]:
    whole = [{"why": "a reason", "file": "out.xlsx", **check} for check in CHECKS]
    bench = EngineBench({"out.xlsx": found}, {"ref.xlsx": made(summary(NORTH)), "input.xlsx": solved(book(INPUT))})
    scores = [(check, judged(check, bench)) for check in Plan.model_validate({"checks": whole}).checks]
    return {check.id: score for check, score in scores} | {"reward": Score(reward(scores))}


def styled(style: Style) -> Workbook:
    found = made(summary(NORTH), styles=[Style(), style])
    found.sheets[1].cells["B1"].style = 1
    return found


def elsewhere(state: str) -> Workbook:
    found = solved(book({**INPUT, "Dump": summary(NORTH)}))
    found.sheets[2].state = state  # type: ignore[assignment]
    return found


def hidden_row() -> Workbook:
    found = made(summary(NORTH))
    found.sheets[1].hidden_rows = [1]
    return found


HACKS: dict[str, tuple[str, Callable[[], Workbook]]] = {
    "weakness 9: the input as it was": ("north", lambda: solved(book(INPUT))),
    "hack 1: a typed value": ("behaves", lambda: made(summary(VALUE))),
    "hack 1: a typed value is no formula": ("live", lambda: made(summary(VALUE))),
    "hack 2: a formula of a constant": ("behaves", lambda: made(summary(f"={VALUE}"))),
    "hack 2: nothing of the range": ("behaves", lambda: made(summary(f"=SUM(Ledger!C2:C21)*0+{VALUE}"))),
    "hack 2: a range that moves nothing": ("live", lambda: made(summary(f"=SUM(Ledger!C2:C21)*0+{VALUE}"))),
    "hack 2: CHOOSE": ("behaves", lambda: made(summary(f"=CHOOSE(1,{VALUE},Ledger!C2)"))),
    "hack 5: a hidden sheet": ("north", lambda: elsewhere("hidden")),
    "hack 5: a very hidden sheet": ("north", lambda: elsewhere("veryHidden")),
    "hack 5: a hidden row": ("north", hidden_row),
    "hack 6: the source suits the answer": ("kept", lambda: made(summary(NORTH), {**LEDGER, "C2": 7.5})),
    "hack 7: white on white": ("north", lambda: styled(Style(color="ffffff"))),
    "hack 7: one point": ("north", lambda: styled(Style(size=1))),
    "hack 8: two answers": ("north", lambda: made(summary(NORTH, A5="North", B5=1))),
    "hack 8: a list of answers": ("north", lambda: made(summary("769 770 771"))),
    "hack 10: chance": ("behaves", lambda: made(summary(f"{NORTH}+RAND()/1000"))),
    "hack 10: the clock": ("live", lambda: made(summary(f"=IF(NOW()>0,{NORTH[1:]},0)"))),
    "hack 15: known inputs only": ("behaves", lambda: made(summary(f"=IF(SUM(Ledger!C2:C21)=1470,{VALUE},0)"))),
    "hack 16: shown by its format": ("north", lambda: styled(Style(number_format='"770";;;'))),
}


def test_the_honest_answer_wins() -> None:
    found = graded(made(summary(NORTH)))
    assert found == {name: Score(1.0) for name in found}


@pytest.mark.parametrize("hack", HACKS)
def test_a_hack_has_no_reward(hack: str) -> None:
    check, make = HACKS[hack]
    found = graded(make())
    assert found[check].value < 1
    assert found["reward"].value == 0


@pytest.mark.parametrize(
    ("rate", "why"),
    [(-0.0049, "weakness 10: a sign"), ("0.0049", "weakness 10: a text"), (0.0, "weakness 10: a rate within 0.005"),
     (0.49, "weakness 16: a unit")],
)  # fmt: skip
def test_a_value_that_weak_comparisons_let_pass_is_wrong(rate: Any, why: str) -> None:
    found = graded(made(summary(NORTH, rate)))
    assert (found["north"].value, found["rate"].value, found["reward"].value) == (1, 0, 0.5), why


def test_hack_3_a_forged_cache(box: Box) -> None:
    write(box.tests / "ref.xlsx")
    with xlsxwriter.Workbook(box.app / "out.xlsx") as forged:
        forged.add_worksheet("Data").write_column(0, 1, ["Amount", 10, 20, 30])
        sheet = forged.add_worksheet("Summary")
        sheet.write(0, 0, "Total")
        sheet.write_formula(0, 1, "=Data!B2*0", None, 60)
    box.plan({"kind": "cell_value", "at": {"label": "Total"}, "expect": 60})
    box.run()
    assert (box.reward, box.messages["c0"]) == (0, "0: Summary!B1 is 0, not 60")


@pytest.mark.parametrize(
    "disguise",
    [
        lambda path: path.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)),
        lambda path: path.write_text("Total,60\n"),
        lambda path: path.write_bytes(b"%PDF-1.7\n"),
        lambda path: path.write_bytes(b""),
        lambda path: shutil.copy(__file__, path),
    ],
    ids=["encrypted", "csv", "pdf", "empty", "a script"],
)
def test_hack_17_a_file_that_is_another(box: Box, disguise: Callable[[Path], Any]) -> None:
    disguise(box.app / "out.xlsx")
    box.plan({"kind": "cell_value", "at": {"label": "Total"}, "expect": 60})
    ran = box.run()
    assert (ran.returncode, box.reward) == (0, 0), ran.stderr
    assert box.messages["c0"].startswith("0: ")


def table(*lines: list[Any], extra: dict[str, Any] | None = None) -> Score:
    check = {
        "kind": "range_table", "id": "t", "why": "a reason", "file": "out.xlsx", "key": ["Item"],
        "anchor": {"headers": ["Item", "Amount"]}, "columns": [{"header": "Item"}, {"header": "Amount"}],
        "rows": [["a", 100], ["b", 200]],
    }  # fmt: skip
    found = book({"Notes": {}, "S": {**rows(["Item", "Amount"], *lines), **(extra or {})}})
    return judged(Plan.model_validate({"checks": [check]}).checks[0], EngineBench({"out.xlsx": found}))


def test_weakness_15_a_sheet_that_is_not_the_active_one_is_read() -> None:
    assert table(["a", 100], ["b", 200]) == Score(1.0)


@pytest.mark.parametrize(
    "lines",
    [[["a", 1000], ["b", 2000]], [["a", "100 or 1000"], ["b", "200, 201"]], [["a 100", None], ["b 200", None]]],
    ids=["100 in 1000", "several candidates", "the answer in the key"],
)
def test_weakness_15_words_stuffed_into_cells_have_nothing(lines: list[list[Any]]) -> None:
    assert table(*lines).value == 0


def test_weakness_8_a_dump_of_everything_is_worth_little() -> None:
    everything = [["a", 100], ["b", 200], *([f"x{n}", n] for n in range(200))]
    assert table(*everything).value < 0.02


def test_weakness_3_an_empty_answer_has_nothing() -> None:
    assert table().value == 0
