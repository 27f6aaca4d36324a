"""Workbooks for tests: written by hand part by part, and what others wrote changed afterwards."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping

NS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
STYLES = (
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="1"><fill><patternFill '
    'patternType="none"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0" '
    'fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" '
    'borderId="0" xfId="0"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/>'
    "</cellStyles>"
)
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"

Part = str | bytes


def zipped(parts: Mapping[str, Part], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of these parts, in this order."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def by_hand(
    sheet: str = "", *, extra: Mapping[str, Part] | None = None, types: str = "", book: str = "", around: str = "",
    styles: str = STYLES, relations: str = "", properties: str = "",
) -> dict[str, Part]:  # fmt: skip
    """The parts of a workbook with one sheet "S": `sheet` is its rows, `around` what stands behind them."""
    parts: dict[str, Part] = {
        "[Content_Types].xml": f'{HEAD}<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
        f'ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="{TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{TYPE}.worksheet+xml"/>{types}</Types>',
        "_rels/.rels": f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{R}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'{HEAD}<workbook xmlns="{NS}" xmlns:r="{R}">{properties}<sheets><sheet name="S" '
        f'sheetId="1" r:id="rId1"/></sheets>{book}</workbook>',
        "xl/_rels/workbook.xml.rels": f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships"><Relationship '
        f'Id="rId1" Type="{R}/worksheet" Target="worksheets/sheet1.xml"/>'
        f"{related(2, 'styles', 'styles.xml') if styles else ''}{relations}</Relationships>",
        "xl/worksheets/sheet1.xml": f'{HEAD}<worksheet xmlns="{NS}" xmlns:r="{R}"><sheetData>{sheet}</sheetData>'
        f"{around}</worksheet>",
    }
    if styles:
        parts["xl/styles.xml"] = f'{HEAD}<styleSheet xmlns="{NS}">{styles}</styleSheet>'
    return {**parts, **(extra or {})}


def related(number: int, kind: str, target: str) -> str:
    """A relationship of a kind of Open XML's."""
    return f'<Relationship Id="rId{number}" Type="{R}/{kind}" Target="{target}"/>'


def rels(*items: str) -> str:
    """A part of relationships."""
    return f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{"".join(items)}</Relationships>'


def parts_of(data: bytes) -> dict[str, Part]:
    """The parts of a package."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def changed(data: bytes, part: str, change: Callable[[str], str]) -> bytes:
    """The package with one part's text changed."""
    parts = parts_of(data)
    before = bytes(parts[part]).decode()  # type: ignore[arg-type]
    after = change(before)
    assert after != before, f"nothing changed in {part}"
    return zipped({**parts, part: after})
