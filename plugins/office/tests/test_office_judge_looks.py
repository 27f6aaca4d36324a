"""Looks and rules of workbooks: styles as they take effect, conditional formats and validations by what they do."""

from __future__ import annotations

from typing import Any

import pytest
from office_fakes import Date, EngineBench, book, rows

from officekit.bench import Score
from officekit.language import Plan
from officekit.model import Conditional, Style, Validation, Workbook
from officekit.verify import judged

RED = {"fill": "ffc7ce", "color": "9c0006"}
AMOUNTS = rows(["Item", "Amount"], ["a", 50], ["b", 150], ["c", 250], ["d", 99])


def judge(made: Workbook, kind: str, **fields: Any) -> Score:
    body = {"id": "it", "why": "a reason", "file": "out.xlsx", "kind": kind, **fields}
    return judged(Plan.model_validate({"checks": [body]}).checks[0], EngineBench({"out.xlsx": made}))


def styled(cells: dict[str, Style], content: Any = 12) -> Workbook:
    made = book({"S": dict.fromkeys(cells, content)}, styles=[Style(), *cells.values()])
    for at, ref in enumerate(cells, 1):
        made.sheets[0].cells[ref].style = at
    return made


@pytest.mark.parametrize(
    ("style", "look"),
    [
        (Style(bold=True), {"bold": True}),
        (Style(color="c00000"), {"color": "c00001"}),
        (Style(fill="d9e1f2"), {"fill": "any"}),
        (Style(number_format="#,##0.00", number_class="number", decimals=2), {"decimals": 2, "thousands": True}),
        (Style(number_format="0%", number_class="percent", decimals=0), {"number": "percent", "thousands": False}),
        (
            Style(number_format='#,##0.00 "EUR"', number_class="currency", decimals=2),
            {"number": "number", "decimals": 2},
        ),
        (Style(number_format="#,##0.00_,", number_class="number", decimals=2), {"number": "number"}),
        (Style(), {"align": "right", "wrap": False, "locked": True}),
        (Style(align="center", wrap=True, locked=False), {"align": "center", "wrap": True, "locked": False}),
    ],
)
def test_a_look_is_full(style: Style, look: dict[str, Any]) -> None:
    assert judge(styled({"A1": style}), "style", range="S!A1", look=look) == Score(1.0)


@pytest.mark.parametrize(
    ("style", "look", "reason"),
    [
        (Style(), {"bold": True}, "S!A1 is not bold"),
        (Style(fill="ffffff"), {"fill": "any"}, "stands on white"),
        (Style(fill="ff0000"), {"fill": "00ff00"}, "stands on ff0000"),
        (Style(number_format="0", number_class="number", decimals=0), {"number": "percent"}, "as number (0)"),
        (Style(number_format="0.0", number_class="number", decimals=1), {"decimals": 2}, "shows 1 decimals"),
        (Style(number_format="0.00", number_class="number", decimals=2), {"thousands": True}, "no thousands separator"),
        (Style(number_format="0.00", number_class="number", decimals=2), {"number": "currency"}, "as number (0.00)"),
        (Style(number_format="#,##0.00,", number_class="number", decimals=2), {"thousands": True}, "in thousands"),
        (Style(number_format='0.0,,"m"', number_class="number", decimals=1), {"number": "number"}, "in thousands"),
        (Style(), {"align": "left"}, "is aligned right, not left"),
        (Style(), {"locked": False}, "is locked"),
        (Style(), {"wrap": True}, "is not wrapped"),
    ],
)
def test_another_look_has_nothing(style: Style, look: dict[str, Any], reason: str) -> None:
    score = judge(styled({"A1": style}), "style", range="S!A1", look=look)
    assert score.value == 0
    assert reason in score.reason


def test_a_range_counts_its_filled_cells() -> None:
    made = styled({"A1": Style(bold=True), "B1": Style()})
    score = judge(made, "style", range="S!A1:D1", look={"bold": True})
    assert score.value == pytest.approx(0.5)
    assert "1 of 2 cells look otherwise; first: S!B1" in score.reason


def test_the_header_row_and_a_column_of_a_table() -> None:
    made = book({"S": AMOUNTS}, styles=[Style(), Style(bold=True), Style(number_class="currency")])
    for ref in ("A1", "B1"):
        made.sheets[0].cells[ref].style = 1
    for row in (2, 3):
        made.sheets[0].cells[f"B{row}"].style = 2
    anchor = {"headers": ["Item", "Amount"]}
    assert judge(made, "style", anchor=anchor, look={"bold": True}) == Score(1.0)
    assert judge(made, "style", anchor=anchor, column="Amount", look={"number": "currency"}).value == 0.5


def ruled(*rules: Conditional, cells: dict[str, Any] | None = None) -> Workbook:
    made = book({"S": cells or AMOUNTS})
    made.sheets[0].conditionals = list(rules)
    return made


def rule(kind: str, operator: str | None = None, *formulas: str, ranges: str = "B2:B5", **more: Any) -> Conditional:
    return Conditional([ranges], kind, operator, list(formulas), **{**RED, **more})


ABOVE = {
    "anchor": {"headers": ["Item", "Amount"]},
    "column": "Amount",
    "marked": "above",
    "values": [100],
    "probes": [100, 101, -5],
}


@pytest.mark.parametrize(
    "one",
    [
        rule("cellIs", "greaterThan", "100"),
        rule("cellIs", "greaterThanOrEqual", "100.5"),
        rule("expression", None, "$B2>100"),
        rule("expression", None, "AND(ISNUMBER(B2),B2>MAX($B$9,100))"),
        rule("expression", None, "$B1>100", ranges="A1:B9"),
        rule("cellIs", "greaterThan", "100", ranges="A1:Z99"),
    ],
)
def test_rules_that_do_the_same_are_the_same(one: Conditional) -> None:
    assert judge(ruled(one), "cond_format", **ABOVE) == Score(1.0)


def test_all_formulas_of_rules_are_computed_at_once() -> None:
    asked = []

    class Counting(EngineBench):
        def compute(self, file: str, runs: Any, *, ours: bool = False) -> Any:
            asked.append(len(runs))
            return super().compute(file, runs, ours=ours)

    made = ruled(rule("expression", None, "$B2>100"), rule("expression", None, "$B2<0", fill="00ff00"))
    body = {"id": "it", "why": "a reason", "file": "out.xlsx", "kind": "cond_format", **ABOVE}
    score = judged(Plan.model_validate({"checks": [body]}).checks[0], Counting({"out.xlsx": made}))
    assert (score, asked) == (Score(1.0), [4])  # as it is, and one for each probe


def test_an_extra_rule_of_another_look_does_no_harm() -> None:
    other = rule("cellIs", "lessThan", "60", fill="c6efce", color="006100")
    assert judge(ruled(other, rule("cellIs", "greaterThan", "100")), "cond_format", **ABOVE) == Score(1.0)


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ([], "no rule marks cells"),
        ([Conditional(["B2:B5"], "colorScale"), Conditional(["B2:B5"], "dataBar")], "no rule marks cells"),
        ([rule("cellIs", "greaterThan", "100", fill=None, color=None)], "no rule marks cells"),
        ([rule("cellIs", "greaterThan", "100", ranges="D2:D5")], "no rule marks cells"),
        ([rule("timePeriod", "today")], "no rule marks cells"),
    ],
)
def test_what_marks_nothing_has_nothing(rules: list[Conditional], reason: str) -> None:
    score = judge(ruled(*rules), "cond_format", **ABOVE)
    assert score.value == 0
    assert reason in score.reason


def test_a_rule_without_a_look_stops_those_below() -> None:
    stop = rule("expression", None, "ISTEXT(B2)", priority=1, stop=True)
    stop.fill = stop.color = None
    made = ruled(stop, rule("cellIs", "greaterThan", "100", priority=2), cells={**AMOUNTS, "B5": "n/a"})
    assert judge(made, "cond_format", range="S!B2:B5", marked="above", values=[100]) == Score(1.0)


@pytest.mark.parametrize("look", [{"color": "9c0006"}, {"bold": True}, {"fill": "ffffff"}])
def test_where_a_fill_is_asked_for_no_other_mark_counts(look: dict[str, Any]) -> None:
    one = rule("cellIs", "greaterThan", "100")
    one.fill, one.color, one.bold = look.get("fill"), look.get("color"), look.get("bold")
    fields = {"range": "S!B2:B5", "marked": "above", "values": [100]}
    score = judge(ruled(one), "cond_format", **fields, fill="any")
    assert score.value == 0
    assert "with a fill" in score.reason
    assert judge(ruled(rule("cellIs", "greaterThan", "100")), "cond_format", **fields, fill="any") == Score(1.0)


def test_typed_fills_are_no_rule() -> None:
    made = ruled()
    made.styles.append(Style(fill="ffc7ce"))
    made.sheets[0].cells["B3"].style = made.sheets[0].cells["B4"].style = 1
    assert judge(made, "cond_format", **ABOVE).value == 0


def test_a_rule_that_knows_the_cells_fails_on_other_values() -> None:
    score = judge(ruled(rule("expression", None, "OR(ROW(B2)=3,ROW(B2)=4)")), "cond_format", **ABOVE)
    assert score.value == pytest.approx(2 / 3)
    assert "1 of 3 further values are marked wrongly, first 101" in score.reason


def test_a_rule_with_another_limit_has_a_part() -> None:
    score = judge(ruled(rule("cellIs", "greaterThan", "200")), "cond_format", **{**ABOVE, "probes": []})
    assert score.value == pytest.approx(2 / 3)
    assert "1 of 2 cells are not marked, first B3" in score.reason


def test_the_colour_of_a_mark_counts_when_asked() -> None:
    made = ruled(rule("cellIs", "greaterThan", "100"))
    assert judge(made, "cond_format", **ABOVE, fill="ff9999") == Score(1.0)
    score = judge(made, "cond_format", **ABOVE, fill="00b050")
    assert score.value == 0
    assert "in 00b050, but in 9c0006, ffc7ce" in score.reason


def test_a_rule_that_another_one_covers_marks_nothing() -> None:
    cover = rule("cellIs", "greaterThan", "0", fill="c6efce", color=None, priority=1, stop=True)
    made = ruled(rule("cellIs", "greaterThan", "100", color=None, priority=2), cover)
    score = judge(made, "cond_format", **ABOVE, fill="ffc7ce")
    assert score.value == 0


@pytest.mark.parametrize(
    ("one", "cells"),
    [
        (rule("top10", rank=2), ["B3", "B4"]),
        (rule("top10", rank=50, percent=True), ["B3", "B4"]),
        (rule("top10", rank=1, bottom=True), ["B2"]),
        (rule("aboveAverage", "above"), ["B3", "B4"]),
        (rule("aboveAverage", "below"), ["B2", "B5"]),
        (rule("cellIs", "between", "60", "160"), ["B3", "B5"]),
        (rule("cellIs", "notBetween", "160", "60"), ["B2", "B4"]),
        (rule("cellIs", "equal", "MAX($B$2:$B$5)"), ["B4"]),
        (rule("cellIs", "lessThan", "B3"), ["B2", "B3"]),
        (rule("uniqueValues"), ["B2", "B3", "B4", "B5"]),
    ],
)
def test_kinds_of_rules(one: Conditional, cells: list[str]) -> None:
    assert judge(ruled(one), "cond_format", range="S!B2:B5", marked="cells", cells=cells) == Score(1.0)


@pytest.mark.parametrize(
    ("one", "cells"),
    [
        (rule("containsText", None, text="late"), ["A2", "A3"]),
        (rule("containsText", None, 'NOT(ISERROR(SEARCH("late",A2)))', ranges="A2:A6"), ["A2", "A3"]),
        (rule("notContainsText", None, text="late"), ["A4", "A5", "A6"]),
        (rule("beginsWith", None, text="LATE"), ["A2"]),
        (rule("endsWith", None, text="late"), ["A3"]),
        (rule("duplicateValues"), ["A4", "A5"]),
        (rule("cellIs", "equal", '"PAID"'), ["A4", "A5"]),
        (rule("containsErrors"), ["A6"]),
        (rule("notContainsErrors"), ["A2", "A3", "A4", "A5"]),
        (rule("notContainsBlanks"), ["A2", "A3", "A4", "A5", "A6"]),
        (rule("containsBlanks"), ["A7"]),
    ],
)
def test_kinds_of_rules_on_texts(one: Conditional, cells: list[str]) -> None:
    texts = rows(["Late"], ["late fee"], ["too Late"], ["paid"], ["Paid"], ["#N/A"])
    one.ranges = ["A2:A7"] if one.ranges == ["B2:B5"] else one.ranges
    made = ruled(one, cells=texts)
    assert judge(made, "cond_format", range="S!A2:A7", marked="cells", cells=cells) == Score(1.0)


def test_dates_are_marked_by_their_day() -> None:
    made = ruled(
        rule("cellIs", "lessThan", "DATE(2024,3,1)", ranges="A1:A2"), cells={"A1": Date(45351), "A2": Date(45352)}
    )
    fields = {"range": "S!A1:A2", "marked": "below", "values": ["2024-03-01"], "probes": ["2024-02-01", "2024-05-01"]}
    assert judge(made, "cond_format", **fields) == Score(1.0)


def test_where_nothing_is_to_be_marked_only_probes_tell() -> None:
    made = ruled(rule("cellIs", "greaterThan", "999"))
    fields = {**ABOVE, "values": [999], "probes": []}
    score = judge(made, "cond_format", **fields)
    assert score.value == 0
    assert judge(made, "cond_format", **{**fields, "probes": [1000, 999]}) == Score(1.0)


def valid(*rules: Validation, accepts: list[Any], refuses: list[Any], range: str = "S!C2:C5") -> Score:
    made = book({"S": {"A1": 10, **rows(["North"], ["South"], at="F1")}})
    made.sheets[0].validations = list(rules)
    return judge(made, "data_validation", range=range, accepts=accepts, refuses=refuses)


LIST = Validation(["C2:C5"], "list", formulas=["$F$1:$F$2"], choices=["North", "South"])


@pytest.mark.parametrize(
    ("one", "accepts", "refuses"),
    [
        (LIST, ["North", "South"], ["West", 3]),
        (Validation(["C1:C99"], "whole", "between", ["1", "$A$1"]), [1, 10], [0, 11, 2.5, "x"]),
        (Validation(["C2:C5"], "decimal", "greaterThan", ["0"]), [0.1, 5], [0, -1]),
        (Validation(["C2:C5"], "date", "greaterThanOrEqual", ["DATE(2024,1,1)"]), ["2024-01-01"], ["2023-12-31", 5]),
        (Validation(["C2:C5"], "textLength", "lessThanOrEqual", ["3"]), ["abc"], ["abcd"]),
        (Validation(["C2:C5"], "custom", formulas=["AND(ISNUMBER(C2),MOD(C2,5)=0)"]), [5, 10], [7, "x"]),
        (Validation(["C2:C5"], "whole", "notBetween", ["1", "3"]), [0, 4], [1, 2]),
    ],
)
def test_a_validation_is_judged_by_what_it_accepts(one: Validation, accepts: list[Any], refuses: list[Any]) -> None:
    assert valid(one, accepts=accepts, refuses=refuses) == Score(1.0)


def test_another_kind_of_rule_that_does_the_same_is_full() -> None:
    custom = Validation(["C2:C5"], "custom", formulas=['OR(C2="North",C2="South")'])
    assert valid(custom, accepts=["North", "South"], refuses=["West"]) == Score(1.0)


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ([], "S!C2 has no validation"),
        ([Validation(["C2:C5"], "list", choices=["North", "South"], style="warning")], "accepts 'West'"),
        ([Validation(["C2:C5"], "list", choices=["x"])], "refuses 'North' and refuses 'South'"),
    ],
)
def test_a_validation_that_does_nothing_asked_for_has_nothing(rules: list[Validation], reason: str) -> None:
    score = valid(*rules, accepts=["North", "South"], refuses=["West"])
    assert score.value == 0
    assert reason in score.reason


def test_a_validation_of_some_cells_has_their_share() -> None:
    one = Validation(["C2:C3"], "list", choices=["North", "South"])
    score = valid(one, accepts=["North", "South"], refuses=["West"])
    assert score.value == pytest.approx(0.5)
    assert "S!C4 has no validation" in score.reason


def test_a_validation_that_lacks_a_choice_has_a_part() -> None:
    one = Validation(["C2:C5"], "list", choices=["North"])
    assert valid(one, accepts=["North", "South"], refuses=["West"]).value == pytest.approx(0.5)


def test_two_copies_of_one_rule_are_not_two_rules() -> None:
    assert valid(LIST, LIST, accepts=["North", "South"], refuses=["West"], range="S!D2:D5").value == 0
