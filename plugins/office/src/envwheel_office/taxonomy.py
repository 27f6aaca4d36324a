"""The skills of this domain: id -> title. Every family names the ones that it trains."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SKILLS: Mapping[str, str] = MappingProxyType(
    {
        "spreadsheet": "reading and writing workbooks",
        "formulas": "live formulas that follow their inputs",
        "finance": "ledgers, budgets, loans and pay",
        "cleaning": "making dirty data usable",
        "analysis": "counting, grouping and comparing",
        "looks": "formats, charts and marks",
        "repair": "finding and mending faults in workbooks",
        "documents": "text documents: outline, tables, fields",
        "revision": "tracked changes",
        "slides": "slides from data",
        "pdf": "reading and filling PDF",
        "policy": "rules that stand in a memo",
    }
)
