"""Conditional formats and data validations, the extended (x14) ones too: part of read_xlsx.py."""

from __future__ import annotations

from typing import Any

from .model_cells import Conditional, Sheet, Validation
from .package import child, children, local, truth
from .read_xlsx_styles import Difference, Looks

NONE = Difference()


def conditionals(element: Any, looks: Looks) -> list[Conditional]:
    """The rules of a conditionalFormatting element, usual or x14."""
    ranges = _ranges(element)
    found = []
    for rule in children(element, "cfRule"):
        own, index = child(rule, "dxf"), int(rule.get("dxfId") or -1)
        look = NONE
        if own is not None:
            look = looks.difference(own)
        elif 0 <= index < len(looks.differences):
            look = looks.differences[index]
        found.append(_conditional(rule, ranges, look))
    return found


def _conditional(rule: Any, ranges: list[str], look: Difference) -> Conditional:
    kind, operator = rule.get("type", ""), rule.get("operator")
    if kind == "aboveAverage":
        operator = "above" if truth(rule.get("aboveAverage"), True) else "below"
    elif kind == "timePeriod":
        operator = rule.get("timePeriod")
    return Conditional(
        ranges=ranges,
        kind=kind,
        operator=operator,
        formulas=[_formula(item) for item in rule if local(item) in ("formula", "f") and _formula(item)],
        text=rule.get("text") or None,
        rank=int(rule.get("rank") or 10) if kind == "top10" else None,
        percent=truth(rule.get("percent")),
        bottom=truth(rule.get("bottom")),
        priority=int(rule.get("priority") or 1),
        stop=truth(rule.get("stopIfTrue")),
        fill=look.fill,
        color=look.color,
        bold=look.bold,
    )


def validations(element: Any) -> list[Validation]:
    """The validations of a dataValidations element, usual or x14. One that lets everything pass has style "none"."""
    found = []
    for item in children(element, "dataValidation"):
        if (kind := item.get("type", "none")) == "none":
            continue
        formulas = [_formula(part) for name in ("formula1", "formula2") for part in children(item, name)]
        found.append(
            Validation(
                ranges=_ranges(item),
                kind=kind,
                operator=item.get("operator", "between"),
                formulas=[text for text in formulas if text],
                choices=_typed(formulas[0]) if kind == "list" and formulas else None,
                allow_blank=truth(item.get("allowBlank")),
                prompt=item.get("prompt", ""),
                error=item.get("error", ""),
                style=item.get("errorStyle", "stop") if truth(item.get("showErrorMessage")) else "none",
            )
        )
    return found


def extensions(element: Any, sheet: Sheet, looks: Looks) -> None:
    """What a sheet's extLst adds: x14 rules and validations. A data bar's second half is no rule of its own."""
    for item in element.iter():
        if local(item) == "conditionalFormatting":
            sheet.conditionals += [rule for rule in conditionals(item, looks) if rule.kind != "dataBar"]
        elif local(item) == "dataValidations":
            sheet.validations += validations(item)


def order(sheet: Sheet) -> None:
    """Rules as they apply: by priority."""
    sheet.conditionals.sort(key=lambda rule: rule.priority)


def _ranges(element: Any) -> list[str]:
    """Of the attribute sqref, in x14 of the element."""
    text = element.get("sqref")
    if text is None:
        inner = child(element, "sqref")
        text = "" if inner is None else inner.text or ""
    return text.replace("$", "").split()


def _formula(element: Any) -> str:
    """The text of a formula element; x14 wraps it in one more."""
    inner = child(element, "f")
    return ((element if inner is None else inner).text or "").strip().removeprefix("=")


def _typed(formula: str) -> list[str] | None:
    """The choices of a typed list, '"a,b,c"'; None where the formula names cells."""
    if len(formula) > 1 and formula[0] == formula[-1] == '"':
        return [choice.strip() for choice in formula[1:-1].replace('""', '"').split(",")]
    return None
