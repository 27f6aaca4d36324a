"""Formulas by what they read and how they behave: every trick of hard-coding fails, honest variants pass."""

from __future__ import annotations

import random
from typing import Any

import pytest
from office_fakes import Date, EngineBench, book, rows, solved

from officekit.bench import Fault, Score
from officekit.language import Plan
from officekit.model import Workbook
from officekit.verify import judged

REGIONS = ["North", "South", "East", "West"]
LAST = 61


def ledger() -> dict[str, Any]:
    """Date, region, product, quantity, price of sixty sales."""
    rng = random.Random(7)
    lines = [["Date", "Region", "Product", "Quantity", "Price"]]
    for _ in range(LAST - 1):
        lines.append(
            [Date(45292 + rng.randint(0, 80)), rng.choice(REGIONS), rng.choice("AB"), rng.randint(1, 40), 12.25]
        )  # type: ignore[list-item]
    return rows(*lines)


REFERENCE = {
    "A1": "North total",
    "B1": f'=SUMPRODUCT((Ledger!B2:B{LAST}="North")*Ledger!D2:D{LAST}*Ledger!E2:E{LAST})',
    "A2": "Units",
    "B2": f"=SUM(Ledger!D2:D{LAST})",
}


def workbook(summary: dict[str, Any], more: dict[str, Any] | None = None, **other: Any) -> Workbook:
    return solved(book({"Ledger": {**ledger(), **(more or {})}, "Summary": summary}, **other))


def check(kind: str, **fields: Any) -> Any:
    body = {"id": "it", "why": "a reason", "file": "out.xlsx", "kind": kind, **fields}
    return Plan.model_validate({"checks": [body]}).checks[0]


METAMORPHIC = check(
    "metamorphic",
    reference="ref.xlsx",
    changes=[
        {"how": "scale", "range": f"Ledger!D2:D{LAST}", "count": 25},
        {"how": "choose", "range": f"Ledger!B2:B{LAST}", "count": 10},
    ],
    outputs=[{"label": "North total"}, {"label": "Units"}],
)
DEPENDS = check(
    "formula",
    at={"label": "North total"},
    depends_on=[f"Ledger!B2:B{LAST}", f"Ledger!D2:D{LAST}", f"Ledger!E2:E{LAST}"],
)


def behave(made: Workbook, one: Any = METAMORPHIC) -> Score:
    return judged(one, EngineBench({"out.xlsx": made}, {"ref.xlsx": workbook(REFERENCE)}))


def reads(made: Workbook, one: Any = DEPENDS) -> Score:
    return judged(one, EngineBench({"out.xlsx": made}))


def truth() -> tuple[float, float]:
    made = workbook(REFERENCE).sheets[1].cells
    return float(made["B1"].value or 0), float(made["B2"].value or 0)


def labelled(north: Any, units: Any = REFERENCE["B2"]) -> dict[str, Any]:
    return {"A1": "North total", "B1": north, "A2": "Units", "B2": units}


def helper_column() -> Workbook:
    """Another layout: an amount in each row, then SUMIFS."""
    column = {f"G{row}": f"=D{row}*E{row}" for row in range(2, LAST + 1)}
    summary = {
        "B4": "North total",
        "C4": f'=SUMIFS(Ledger!G2:G{LAST},Ledger!B2:B{LAST},"North")',
        "B9": "Units",
        "C9": "=SUM(Ledger!D:D)",
    }
    return workbook(summary, column)


HONEST = {"the same formula": lambda: workbook(REFERENCE), "a helper column and SUMIFS": helper_column}


@pytest.mark.parametrize("make", HONEST.values(), ids=HONEST)
def test_honest_variants_are_full(make: Any) -> None:
    assert behave(make()) == Score(1.0)
    assert reads(make()) == Score(1.0)


def tricks() -> dict[str, dict[str, Any]]:
    north, units = truth()
    first = ledger()["D2"]
    return {
        "numbers typed": labelled(north, units),
        "a number as a formula": labelled(f"={north}", f"={units}"),
        "CHOOSE over constants": labelled(
            f'=CHOOSE(MATCH("North",{{"North","South"}},0),{north},{north})', f"=CHOOSE(1,{units})"
        ),
        "nothing of a cell and a constant": labelled(f"=Ledger!D2*0+{north}", f"=Ledger!D2*0+{units}"),
        "a constant and the change of one cell": labelled(
            f"={north}+(Ledger!D2-{first})*0", f"={units}+(Ledger!D2-{first})"
        ),
    }


@pytest.mark.parametrize("name", tricks())
def test_a_trick_of_hard_coding_has_nothing(name: str) -> None:
    made = workbook(tricks()[name])
    assert made.sheets[1].cells["B1"].value == pytest.approx(truth()[0]), "it would pass a check of values"
    score = behave(made)
    assert score.value == 0
    assert "on 5 of 5 changed inputs the outputs differ" in score.reason
    assert reads(made).value == 0


def test_an_answer_on_known_inputs_only_has_nothing() -> None:
    north, units = truth()
    known = f"SUM(Ledger!D2:D{LAST})={units}"
    score = behave(workbook(labelled(f"=IF({known},{north},0)", f"=IF({known},{units},0)")))
    assert score.value == 0


def test_a_range_that_ends_early_is_seen() -> None:
    made = workbook(labelled(f'=SUMIFS(Ledger!E2:E{LAST - 20},Ledger!B2:B{LAST - 20},"North")'))
    assert behave(made).value == 0
    score = reads(made)
    assert score.value == pytest.approx(0)
    assert f"Ledger!B2:B{LAST} is read in 40 of 60 filled cells" in score.reason


def test_an_output_that_is_right_only_sometimes_has_a_part() -> None:
    first = ledger()["D2"]
    made = workbook(labelled(REFERENCE["B1"], f"=SUM(Ledger!D2:D{LAST})-IF(Ledger!D2={first},0,1)"))
    assert 0 < behave(made).value < 1


def test_a_volatile_function_on_the_way_has_nothing() -> None:
    made = workbook({**labelled(f"{REFERENCE['B1']}+C1"), "C1": "=RAND()/1000"})
    assert "another output depends on RAND" in behave(made).reason
    assert "uses RAND (in Summary!C1)" in reads(made).reason


def test_a_missing_input_sheet_is_told() -> None:
    made = solved(book({"Data": ledger(), "Summary": labelled("=SUM(Data!D2:D9)", "=SUM(Data!D2:D9)")}))
    score = behave(made)
    assert (score.value, "no sheet 'Ledger'" in score.reason) == (0, True)


def test_an_output_that_no_change_moves_is_the_environments_fault() -> None:
    one = METAMORPHIC.model_copy(update={"outputs": [*METAMORPHIC.outputs]})
    still = workbook({**REFERENCE, "B2": "=COUNT(Ledger!D2:D9)"})
    with pytest.raises(Fault, match="no change moves Summary!B2"):
        judged(one, EngineBench({"out.xlsx": workbook(REFERENCE)}, {"ref.xlsx": still}))


def test_a_change_of_nothing_is_the_environments_fault() -> None:
    one = check(
        "metamorphic",
        reference="ref.xlsx",
        changes=[{"how": "shift_days", "range": "Ledger!D2:D9"}],
        outputs=[{"label": "Units"}],
    )
    with pytest.raises(Fault, match="nothing in Ledger!D2:D9 to shift_days"):
        behave(workbook(REFERENCE), one)


def by_region(total: str, at: str = "A1") -> dict[str, Any]:
    lines: list[list[Any]] = [["Region", "Quantity"]]
    lines += [[region, total.format(region=region)] for region in REGIONS]
    lines.append(["Total", "=SUM(Ledger!D2:D61)"])
    return rows(*lines, at=at)


TABLE = check(
    "metamorphic",
    reference="ref.xlsx",
    changes=[{"how": "scale", "range": f"Ledger!D2:D{LAST}", "count": 30}],
    anchor={"headers": ["Region", "Quantity"], "sheet": "Summary", "end": "Total"},
    columns=[{"header": "Quantity"}],
    key=["Region"],
)
SUMIF = '=SUMIF(Ledger!$B$2:$B$61,"{region}",Ledger!$D$2:$D$61)'


def table(made: Workbook) -> Score:
    return judged(TABLE, EngineBench({"out.xlsx": made}, {"ref.xlsx": workbook(by_region(SUMIF))}))


def test_a_computed_table_elsewhere_is_full() -> None:
    other = '=SUMPRODUCT((Ledger!B2:B61="{region}")*Ledger!D2:D61)'
    assert table(workbook(by_region(other, at="C7"))) == Score(1.0)


def test_a_row_of_another_key_is_no_matter_of_behaviour() -> None:
    one = TABLE.model_copy(update={"anchor": TABLE.anchor.model_copy(update={"end": None})})
    reference = workbook({ref: value for ref, value in by_region(SUMIF).items() if not ref.endswith("6")})
    bench = EngineBench({"out.xlsx": workbook(by_region(SUMIF))}, {"ref.xlsx": reference})
    assert judged(one, bench) == Score(1.0)


def test_a_table_without_its_key_is_not_compared() -> None:
    made = workbook({**by_region(SUMIF), "A1": "Area"})
    assert table(made).value == 0


def test_a_typed_row_of_a_computed_table_is_seen() -> None:
    made = workbook(by_region(SUMIF))
    value = made.sheets[1].cells["B3"].value
    made.sheets[1].cells["B3"].formula = None
    score = table(solved(made))
    assert value
    assert score.value == 0
    assert "row 'South', column Quantity" in score.reason


@pytest.mark.parametrize("how", ["scale", "choose", "swap", "blank", "zero", "copy_key", "set"])
def test_every_change_moves_the_sum_by_region(how: str) -> None:
    span = f"Ledger!B2:D{LAST}" if how in ("swap", "copy_key") else f"Ledger!D2:D{LAST}"
    one = check(
        "metamorphic",
        reference="ref.xlsx",
        changes=[{"how": how, "range": span, "count": 20, "values": [1, 2, 3]}],
        outputs=[{"cell": "Summary!B1"}],
        seeds=3,
    )
    summary = {"B1": f'=SUMPRODUCT((Ledger!B2:B{LAST}="North")*Ledger!D2:D{LAST}*ROW(Ledger!D2:D{LAST}))'}
    reference = workbook(summary)
    bench = EngineBench({"out.xlsx": workbook(summary), "typed.xlsx": workbook({"B1": 5})}, {"ref.xlsx": reference})
    assert judged(one, bench) == Score(1.0)
    assert judged(one.model_copy(update={"file": "typed.xlsx"}), bench).value == 0


def test_dates_are_shifted_over_the_end_of_a_month() -> None:
    one = check(
        "metamorphic",
        reference="ref.xlsx",
        changes=[{"how": "shift_days", "range": f"Ledger!A2:A{LAST}", "count": 20}],
        outputs=[{"cell": "Summary!B1"}],
    )
    summary = {"B1": f"=SUMPRODUCT((MONTH(Ledger!A2:A{LAST})=1)*Ledger!D2:D{LAST})"}
    bench = EngineBench({"out.xlsx": workbook(summary)}, {"ref.xlsx": workbook(summary)})
    assert judged(one, bench) == Score(1.0)
