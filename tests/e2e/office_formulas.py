"""A workbook with a formula for each function that office work lives on, in column H of its sheet."""

from __future__ import annotations

import io

FORMULAS = (
    '=SUMIFS(B2:B41,A2:A41,"North")',
    '=COUNTIFS(A2:A41,"*t*",B2:B41,">50")',
    '=SUMPRODUCT((A2:A41="East")*B2:B41)',
    "=VLOOKUP(1007,C2:E41,3,FALSE)",
    "=INDEX(B2:B41,MATCH(1010,C2:C41,0))",
    "=_xlfn.XLOOKUP(1005,C2:C41,B2:B41)",
    '=_xlfn.XLOOKUP(9999,C2:C41,B2:B41,"none")',
    '=TEXT(DATE(2021,3,9),"yyyy-mm-dd")',
    '=TEXT(1234.567,"#,##0.00")',
    "=EOMONTH(DATE(2021,1,31),1)",
    "=EDATE(DATE(2021,1,31),1)",
    "=NETWORKDAYS(DATE(2021,3,1),DATE(2021,3,31))",
    '=IFERROR(1/0,"bad")',
    "=PMT(0.05/12,36,-12000)",
    "=IRR(F2:F7)",
    "=NPV(0.08,F3:F7)+F2",
    "=ROUND(2.675,2)",
    '=AVERAGEIFS(B2:B41,A2:A41,"South")',
    '=_xlfn.MAXIFS(B2:B41,A2:A41,"West")',
    '=_xlfn.TEXTJOIN(", ",TRUE,A2:A5)',
    '=_xlfn.IFS(B2>90,"high",B2>10,"middle",TRUE,"low")',
    "=LARGE(B2:B41,3)",
    "=SUM(OFFSET(B2,0,0,5,1))",
    '=SUM(INDIRECT("B2:B11"))',
    '=DATEDIF(DATE(2019,5,17),DATE(2021,3,9),"m")',
    "=SUBTOTAL(9,B2:B41)",
    "=RANK(B5,B2:B41)",
    '=SUM(_xlfn._xlws.FILTER(B2:B41,A2:A41="North"))',
    "=COUNTA(_xlfn.UNIQUE(A2:A41))",
    "=_xlfn.LET(_xlpm.x,B2,_xlpm.x*2)",
    "=SUM(_xlfn.SEQUENCE(5,1,1,2))",
    "=WEEKNUM(DATE(2021,3,9),2)",
    '=A2&"-"&B2',
    "=MEDIAN(B2:B41)",
    "=1/0",
    '=MATCH("nowhere",A2:A41,0)',
)


def book() -> bytes:
    """The workbook as openpyxl writes it: without a single cached value."""
    import openpyxl

    made = openpyxl.Workbook()
    sheet = made.active
    sheet.title = "Sheet"
    regions = ("North", "East", "South", "West")
    for row in range(2, 42):
        sheet.cell(row, 1, regions[row * 7 % 4])
        sheet.cell(row, 2, row * 37 % 101 + 0.25 * (row % 4))
        sheet.cell(row, 3, 999 + row)
        sheet.cell(row, 5, row * 3)
    for row, flow in enumerate((-1000, 300, 280, 320, 260, 240), 2):
        sheet.cell(row, 6, flow)
    for row, formula in enumerate(FORMULAS, 1):
        sheet.cell(row, 8, formula)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


CELLS = tuple(f"Sheet!H{row}" for row in range(1, len(FORMULAS) + 1))
