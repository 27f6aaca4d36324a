"""The boxes of the `office` domain on real engines: what is in them, the forgeries' program, pictures of pages."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from office_boxes import AUTHOR, VERIFIER, WORK
from office_formulas import book
from PIL import Image

from envwheel.api import Draft, Environment
from envwheel.domains import Domains
from envwheel.environment import draft
from envwheel.environment.folder import read
from envwheel.pictures import PNG, write
from envwheel.sandbox.base import BoxLimits
from envwheel_office import plugin, registry

pytestmark = pytest.mark.e2e

LIMITS = BoxLimits(cpus=2.0, memory_mb=2048, disk_mb=1024, processes=256)
READERS = "openpyxl, xlsxwriter, docx, pptx, reportlab, pypdf, pdfplumber, pypdfium2, lxml.etree"
MODULES = {
    WORK: READERS,
    VERIFIER: f"{READERS}, ironcalc, formualizer, pydantic, uno",
    AUTHOR: f"{READERS}, ironcalc, formualizer, pydantic, uno, faker",
}
ORANGE = (0xD1, 0x60, 0x3D)
"""Of the second series of a chart in the house's decks."""
CHECKS = [
    {"kind": "cell_value", "id": "a", "why": "the sum", "file": "out.xlsx", "at": {"cell": "Sum!B2"}, "expect": 12.5},
    {"kind": "docx_text", "id": "b", "why": "the memo", "file": "memo.docx", "contains": ["Ida Ferro"]},
    {"kind": "pptx_slides", "id": "c", "why": "the deck", "file": "deck.pptx", "titles": ["Sales"]},
    {"kind": "pdf_text", "id": "d", "why": "the page", "file": "page.pdf", "contains": ["Invoice 7"]},
]


@pytest.mark.parametrize("image", [WORK, VERIFIER, AUTHOR])
def test_the_isolated_interpreter_finds_the_libraries(office, start, image):
    shell = start(image=image, limits=LIMITS).shell()
    assert shell.run(f"/usr/bin/python3 -I -c 'import {MODULES[image]}'").exit_code == 0
    there = shell.run("command -v soffice").exit_code == 0
    assert there is (image != WORK)
    assert shell.run("command -v pdftoppm python").exit_code == 0


def test_libreoffice_is_the_one_of_the_backports(office, start):
    version = start(image=VERIFIER, limits=LIMITS).shell().run("HOME=/tmp soffice --version").output
    assert version.startswith("LibreOffice 25.2")


def test_every_forgery_leaves_files_in_the_work_box(office, start, tmp_path, person):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "checks.json").write_text(json.dumps({"schema": 1, "checks": CHECKS}))
    artifacts = [f"/app/{check['file']}" for check in CHECKS]
    found = Environment(tmp_path, "Write the sum.", {"artifacts": artifacts}, domains=("office",))
    shell = start(image=WORK, limits=LIMITS).shell()
    shell.run(
        "/usr/bin/python3 -c \"import openpyxl; b = openpyxl.Workbook(); b.active['A1'] = 1; b.save('/app/in.xlsx')\""
    )
    for attack in plugin.attacks(found):
        ran = shell.run(f"rm -rf {' '.join(artifacts)}; ( {attack.script} ) && ls -A /app | grep -vx in.xlsx")
        assert ran.exit_code == 0, (attack.id, ran.output)


def test_inputs_and_reference_become_pictures(engine, office, tmp_path):
    made = Draft(
        name="pictures",
        instruction="Write /app/out.docx.",
        files={"in.xlsx": book(), "notes.txt": "given\n"},
        solution={
            "solve.sh": "/usr/bin/python3 -c \"import docx; d = docx.Document(); d.add_heading('Minutes'); "
            "d.save('/app/out.docx')\"\n"
        },
        tests={"check.py": ""},
        artifacts=("/app/out.docx",),
        image=WORK,
        verifier_image=VERIFIER,
    )
    path = draft.write(made, tmp_path / "pictures", domains=["office"], kit=plugin.kit(), proposer="test")
    out = tmp_path / "pages"
    out.mkdir()
    steps = [{"tool_calls": [{"arguments": {"command": "cp in.xlsx out.docx"}}]}]
    pages = write(engine, Domains.load(["office"]), read(path), {"t01": steps}, out)
    names = {str(page.relative_to(out)) for page in pages}
    assert {"inputs/notes.txt-1.png", "reference/out.docx-1.png"} <= names
    assert any(name.startswith("inputs/in.xlsx-") for name in names)
    assert all(io.BytesIO(page.read_bytes()).read(8) == PNG for page in pages)
    assert Path(out / "index.html").stat().st_size > 200


def test_the_chart_of_a_deck_is_seen_on_its_picture(engine, office, tmp_path):
    made = next(family for family in registry.families() if family.id == "sales_deck").build(0, 0)
    path = draft.write(made, tmp_path / "deck", domains=["office"], kit=plugin.kit(), proposer="procedural")
    out = tmp_path / "pages"
    out.mkdir()
    write(engine, Domains.load(["office"]), read(path), {}, out)
    colors = Image.open(out / "inputs" / "deck.pptx-4.png").convert("RGB").getcolors(1 << 20)
    assert sum(count for count, color in colors if color == ORANGE) > 1_000
