"""The verifier library of the `office` domain; it lies in /tests/kit/officekit of every environment.

intake.py     is this file worth opening? (limits, links, macros, external parts), before any parser
read.py       a document's record, from guard, child and engines: what the judging process calls
child.py      forks of the judging process in which documents are opened: as nobody, with limits
reader.py     a child's work of reading one document (read_xlsx, read_docx, ...)
read_*.py     one reader a kind: workbooks, text documents, slides (both over opc.py and drawing.py), PDF
model.py      what it gives back: equal documents written differently are equal here
recalc.py     the engines that compute a workbook, and whose word counts; a cached value is never read
language.py   the checks as data: tests/checks.json
registry.py   which judge_*.py judges which kind of check
verify.py     judges: python -I check.py -> officekit.verify.main()
"""
