"""The forgeries: which ones an environment gets, and that each makes what its name says."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from docx import Document
from pptx import Presentation
from pypdf import PdfReader

from envwheel.api import Environment
from envwheel_office import attacks, plugin
from envwheel_office.answers import answers
from envwheel_office.kit.officekit.language import Plan

FORGE = Path(attacks.__file__).parent / "kit" / "attacks" / "forge.py"
XLSX: list[dict[str, Any]] = [
    {
        "kind": "cell_value",
        "id": "total",
        "why": "the total",
        "file": "out.xlsx",
        "at": {"cell": "Sum!B2"},
        "expect": 12.5,
    },
    {"kind": "cell_value", "id": "due", "why": "the due sum", "file": "out.xlsx", "at": {"label": "Due"}, "expect": 7},
    {
        "kind": "range_table",
        "id": "rows",
        "why": "the rows",
        "file": "out.xlsx",
        "anchor": {"headers": ["No", "Day"], "sheet": "List"},
        "columns": [{"header": "No"}, {"header": "Day", "type": "date"}],
        "key": ["No"],
        "rows": [["A1", "2021-03-04"], ["A2", "2021-03-05"]],
    },
]
PAGES: list[dict[str, Any]] = [
    {"kind": "docx_text", "id": "memo", "why": "the memo", "file": "memo.docx", "contains": ["Approved by Ida Ferro"]},
    {
        "kind": "docx_outline",
        "id": "tree",
        "why": "the headings",
        "file": "memo.docx",
        "headings": [{"level": 1, "text": "Decisions"}],
    },
    {
        "kind": "pptx_text",
        "id": "deck",
        "why": "the deck",
        "file": "deck.pptx",
        "slide": "Sales",
        "contains": ["Up 4 %"],
    },
    {"kind": "pdf_text", "id": "page", "why": "the page", "file": "page.pdf", "contains": ["Invoice 7"]},
]
GATE = {
    "kind": "metamorphic",
    "id": "live",
    "why": "it follows",
    "file": "out.xlsx",
    "gate": True,
    "reference": "reference.xlsx",
    "changes": [{"how": "scale", "range": "Data!B2:B9"}],
    "outputs": [{"cell": "Sum!B2"}],
}


def environment(path: Path, checks: list[dict[str, Any]], domains: tuple[str, ...] = ("office",)) -> Environment:
    (path / "tests").mkdir(parents=True)
    (path / "tests" / "checks.json").write_text(json.dumps({"schema": 1, "checks": checks}))
    artifacts = sorted({f"/app/{check['file']}" for check in checks})
    return Environment(path, "Write it's total.", {"artifacts": artifacts}, domains=domains)


def forged(folder: Path, attack: str, checks: list[dict[str, Any]]) -> dict[str, Path]:
    """What the attack leaves in `folder`, which stands for /app."""
    files = sorted({check["file"] for check in checks})
    given = {
        "app": str(folder),
        "artifacts": [str(folder / name) for name in files],
        "answers": answers(Plan.model_validate({"schema": 1, "checks": checks})),
        "instruction": "Write the total of all invoices.\nRound it.",
    }
    subprocess.run([sys.executable, "-I", str(FORGE), attack], input=json.dumps(given), text=True, check=True)
    return {name: folder / name for name in files if (folder / name).exists()}


def test_attacks_have_names_of_their_own_and_are_bash(tmp_path: Path) -> None:
    found = plugin.attacks(environment(tmp_path / "e", [*XLSX, *PAGES, GATE]))
    assert len({attack.id for attack in found}) == len(found)
    wanted = {*attacks.COPIES, *attacks.HIDDEN, *attacks.REFUSED, *attacks.CONSTANTS, "fifo_output", "device_output"}
    assert {attack.id for attack in found} == wanted
    for attack in found:
        done = subprocess.run(["bash", "-n"], input=attack.script, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (attack.id, done.stderr)


def test_typed_results_are_an_attack_only_where_formulas_must_follow(tmp_path: Path) -> None:
    ids = {attack.id for attack in plugin.attacks(environment(tmp_path / "e", XLSX))}
    assert not ids & set(attacks.CONSTANTS)
    assert "white_text" not in ids


def test_another_domain_gets_none(tmp_path: Path) -> None:
    assert plugin.attacks(environment(tmp_path / "e", XLSX, ("swe",))) == []


def test_a_broken_plan_still_gets_the_attacks_that_need_none(tmp_path: Path) -> None:
    found = environment(tmp_path / "e", XLSX)
    (tmp_path / "e" / "tests" / "checks.json").write_text("{}")
    assert {attack.id for attack in plugin.attacks(found)} == {"fifo_output", "device_output"}


@pytest.mark.parametrize(("attack", "state"), [("hidden_sheet", "hidden"), ("very_hidden_sheet", "veryHidden")])
def test_the_answers_are_there_and_nobody_sees_them(tmp_path: Path, attack: str, state: str) -> None:
    book = openpyxl.load_workbook(forged(tmp_path, attack, XLSX)["out.xlsx"])
    assert book["Sum"]["B2"].value == 12.5
    assert {sheet.title: sheet.sheet_state for sheet in book if sheet.title in ("Sum", "List")} == {
        "Sum": state,
        "List": state,
    }
    assert [cell.value for sheet in book if sheet.sheet_state == "visible" for row in sheet for cell in row] == []


def test_caches_are_forged_under_formulas_that_give_nothing(tmp_path: Path) -> None:
    path = forged(tmp_path, "forged_caches", XLSX)["out.xlsx"]
    assert openpyxl.load_workbook(path)["Sum"]["B2"].value == "=0*12.5"
    assert openpyxl.load_workbook(path, data_only=True)["Sum"]["B2"].value == 12.5


def test_constants_stand_in_a_copy_of_the_input(tmp_path: Path) -> None:
    given = openpyxl.Workbook()
    given.active.title = "Data"
    given.save(tmp_path / "in.xlsx")
    book = openpyxl.load_workbook(forged(tmp_path, "formula_constants", [*XLSX, GATE])["out.xlsx"])
    assert book["Sum"]["B2"].value == "=12.5"
    assert "Data" in book.sheetnames


def test_text_is_on_the_page_without_being_seen(tmp_path: Path) -> None:
    made = forged(tmp_path, "white_text", PAGES)
    runs = [run for paragraph in Document(made["memo.docx"]).paragraphs for run in paragraph.runs]
    assert {str(run.font.color.rgb) for run in runs} == {"FFFFFF"}
    assert any("Ida Ferro" in run.text for run in runs)
    assert "Invoice 7" in PdfReader(made["page.pdf"]).pages[0].extract_text()
    assert b"3 Tr" in PdfReader(made["page.pdf"]).pages[0].get_contents().get_data()
    assert [slide.shapes.title.text for slide in Presentation(made["deck.pptx"]).slides] == ["Sales"]


@pytest.mark.parametrize(
    ("attack", "part"),
    [("macro_part", "vbaProject.bin"), ("zip_bomb", "docProps/thumb.bin"), ("external_link", "externalLink1.xml")],
)
def test_a_right_document_has_a_part_that_must_be_refused(tmp_path: Path, attack: str, part: str) -> None:
    made = forged(tmp_path, attack, [*XLSX, *PAGES])
    with zipfile.ZipFile(made["out.xlsx"]) as package:
        assert any(name.endswith(part) for name in package.namelist())
    assert openpyxl.load_workbook(made["out.xlsx"], keep_links=False)["Sum"]["B2"].value == 12.5
    assert made["out.xlsx"].stat().st_size < 2_000_000


def test_a_part_has_a_doctype(tmp_path: Path) -> None:
    made = forged(tmp_path, "doctype", [*XLSX, *PAGES])
    for name, part in (("out.xlsx", "xl/workbook.xml"), ("memo.docx", "word/document.xml")):
        with zipfile.ZipFile(made[name]) as package:
            assert package.read(part).startswith(b"<!DOCTYPE")


@pytest.mark.parametrize("attack", ["copy_input", "empty_document", "keyword_stuffing", "encrypted", "wrong_extension"])
def test_every_other_attack_writes_its_files_without_an_answer(tmp_path: Path, attack: str) -> None:
    for name in ("in.xlsx", "in.docx", "in.pptx", "in.pdf"):
        (tmp_path / name).write_bytes(b"given")
    made = forged(tmp_path, attack, [*XLSX, *PAGES])
    assert set(made) == {"out.xlsx", "memo.docx", "deck.pptx", "page.pdf"}
    if attack == "copy_input":
        assert {path.read_bytes() for path in made.values()} == {b"given"}
    if attack in ("empty_document", "keyword_stuffing"):
        assert "Ida Ferro" not in "".join(one.text for one in Document(made["memo.docx"]).paragraphs)
