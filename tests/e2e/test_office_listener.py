"""LibreOffice for a whole grading, in a real verifier box: what it computes, how it lives and ends, odd conditions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import ironcalc
import pytest
from office_boxes import VERIFIER, kit
from office_formulas import CELLS, FORMULAS, book

from envwheel.sandbox.base import BoxLimits, Entry, Tree

pytestmark = [pytest.mark.e2e, pytest.mark.needs("users")]

LIMITS = BoxLimits(cpus=2.0, memory_mb=3072, disk_mb=1024, processes=256)
BEGIN = """
import json, os, sys, time
sys.path.insert(0, "/tests/kit")
from officekit.bench import Computation, Unreadable
from officekit.listener import Listener
data = open("/tests/book.xlsx", "rb").read()
cells = json.load(open("/tests/cells.json"))
"""
Ask = Callable[..., Any]


@pytest.fixture
def ask(engine, office, start) -> Ask:
    """`ask(program)`: what a Python program prints as JSON, run as the verifier runs, with the book beside it."""

    def one(program: str, files: Mapping[str, bytes] | None = None, **spec: object) -> Any:
        box = start(image=VERIFIER, role="verifier", user="root", **{"limits": LIMITS, **spec})
        given = {"ask.py": (BEGIN + program).encode(), "book.xlsx": book(), "cells.json": json.dumps(CELLS).encode()}
        files = {**given, **(files or {})}
        box.put(kit().merged(Tree({f"/tests/{name}": Entry("file", 0o644, data) for name, data in files.items()})))
        ran = box.shell(env=dict(spec.get("env") or {})).run(
            "chmod 700 /tests; /usr/bin/python3 -I -B /tests/ask.py", timeout_s=200
        )
        assert ran.exit_code == 0, ran.output
        return json.loads(ran.output.splitlines()[-1])

    return one


COMPUTE = """
with Listener() as office:
    print(json.dumps(office.compute(data, [Computation(get=cells)])[0]))
"""


def by_ironcalc(data: bytes, folder: Path) -> dict[str, Any]:
    """The same cells by the other engine."""
    (folder / "book.xlsx").write_bytes(data)
    model = ironcalc.load_from_xlsx(str(folder / "book.xlsx"), "en", "UTC", "en")
    model.evaluate()
    return {cell: model.get_cell_value(0, row, 8) for row, cell in enumerate(CELLS, 1)}


def agree(one: Any, two: Any) -> bool:
    if isinstance(one, float) and isinstance(two, (int, float)):
        return one == pytest.approx(two, rel=1e-6)
    return bool(one == two)


def disagreements(said: Mapping[str, Any], folder: Path) -> list[tuple[str, Any, Any]]:
    other = by_ironcalc(book(), folder)
    return [
        (formula, said[cell], other[cell])
        for formula, cell in zip(FORMULAS, CELLS, strict=True)
        if not agree(said[cell], other[cell])
    ]


def test_libreoffice_and_ironcalc_agree_on_the_book_of_formulas(ask, tmp_path):
    assert len(FORMULAS) == 36
    assert disagreements(ask(COMPUTE), tmp_path) == []


def test_it_works_under_the_conditions_of_the_gate(ask, tmp_path):
    odd = {"clock_days": 400, "limits": LIMITS.scaled(0.5), "hostname": "elsewhere"}
    said = ask(COMPUTE, env={"LC_ALL": "C", "LANG": "de_DE.UTF-8", "TZ": "JST-9"}, **odd)
    assert disagreements(said, tmp_path) == []


def test_what_a_run_sets_is_taken_back_and_one_libreoffice_serves_all(ask):
    said = ask("""
one, many = ("Sheet!H1",), tuple(cells)
with Listener() as office:
    runs = [Computation(get=one), Computation({"Sheet!B3": 500.0, "Sheet!A3": "North"}, one), Computation(get=one)]
    first = [values["Sheet!H1"] for values in office.compute(data, runs)]
    pid = office._process.pid
    office.compute(data, [Computation({"Sheet!H1": 7.0}, one)])
    again = office.compute(data, [Computation(get=one)])[0]["Sheet!H1"]
    print(json.dumps([*first, again, pid == office._process.pid]))
""")
    before, changed, after, again, same = said
    assert before == after == again != changed
    assert same


def test_no_cache_is_believed(ask):
    said = ask("""
import io, re, zipfile
out = io.BytesIO()
with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
    for name in old.namelist():
        text = old.read(name)
        if name == "xl/worksheets/sheet1.xml":
            text = re.sub(rb"</f><v ?/>|</f><v></v>", b"</f><v>999</v>", text)
            assert text.count(b"<v>999</v>") == 36
        if name == "docProps/app.xml":
            text = text.replace(b"openpyxl", b"Microsoft Excel")
        new.writestr(name, text)
with Listener() as office:
    print(json.dumps(list(office.compute(out.getvalue(), [Computation(get=cells)])[0].values())))
""")
    assert 999 not in said


def test_it_is_a_user_of_its_own_and_nothing_stays(ask):
    user, folder_stays, group_stays = ask("""
def user_of(program):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if open(f"/proc/{pid}/comm").read().strip() == program:
                return os.stat(f"/proc/{pid}").st_uid
        except OSError:
            pass
def is_group(pid):
    try:
        os.killpg(pid, 0)
        return True
    except ProcessLookupError:
        return False
with Listener() as office:
    office.compute(data, [Computation(get=cells[:1])])
    user, folder, group = user_of("soffice.bin"), office._folder, office._process.pid
    assert is_group(group)
print(json.dumps([user, os.path.exists(folder), is_group(group)]))
""")
    assert user == 65533
    assert not folder_stays
    assert not group_stays  # a zombie would count too


@pytest.mark.parametrize("data", [b"no workbook", b"PK\x05\x06" + b"\0" * 18])
def test_what_is_no_workbook_is_unreadable_and_the_next_one_is_computed(ask, data):
    said = ask(
        """
bad = open("/tests/bad", "rb").read()
with Listener() as office:
    try:
        office.compute(bad, [Computation(get=("Sheet!A1",))])
        reason = ""
    except Unreadable as error:
        reason = str(error)
    print(json.dumps([reason, office.compute(data, [Computation(get=("Sheet!C2",))])[0]["Sheet!C2"]]))
""",
        {"bad": data},
    )
    assert "LibreOffice" in said[0]
    assert said[1] == 1001


def test_a_workbook_that_takes_too_long_is_unreadable_and_the_next_one_is_computed(ask):
    said = ask("""
with Listener() as office:
    office.compute(data, [Computation(get=cells[:1])])
    try:
        office.compute(data, [Computation(get=cells)] * 2000, timeout_s=0.05)
        reason = ""
    except Unreadable as error:
        reason = str(error)
    print(json.dumps([reason, office.compute(data, [Computation(get=("Sheet!C2",))])[0]["Sheet!C2"]]))
""")
    assert "took more than" in said[0]
    assert said[1] == 1001
