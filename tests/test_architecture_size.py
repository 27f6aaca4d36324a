"""Files and functions stay small enough to be read at once."""

from __future__ import annotations

import ast
import statistics
from pathlib import Path

REPO = Path(__file__).parents[1]
SOURCES = [REPO / "core", *sorted((REPO / "plugins").glob("*/src")), REPO / "hatch_build.py"]
OTHERS = [REPO / "tests", *sorted((REPO / "plugins").glob("*/tests")), REPO / "bench"]

MOST_LINES = 400
MEDIAN_LINES = 130
P95_FUNCTION_LINES = 40


def files(roots: list[Path]) -> list[Path]:
    return [path for root in roots for path in ([root] if root.is_file() else sorted(root.rglob("*.py")))]


def lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


def test_no_file_is_long():
    long = {str(path.relative_to(REPO)): lines(path) for path in files(SOURCES + OTHERS) if lines(path) > MOST_LINES}
    assert long == {}


def test_the_usual_file_is_short():
    assert statistics.median(lines(path) for path in files(SOURCES) if lines(path) > 5) <= MEDIAN_LINES


def test_functions_fit_a_screen():
    lengths = []
    for path in files(SOURCES):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lengths.append((node.end_lineno - node.lineno + 1, f"{path.relative_to(REPO)}:{node.name}"))
    lengths.sort()
    assert lengths[int(len(lengths) * 0.95)][0] <= P95_FUNCTION_LINES, lengths[-20:]


def test_every_module_says_what_it_is():
    silent = [
        str(path.relative_to(REPO))
        for path in files(SOURCES + OTHERS)
        if "programs" not in path.parts  # what a solver is given to repair
        if path.read_text("utf-8").strip() and ast.get_docstring(ast.parse(path.read_text("utf-8"))) is None
    ]
    assert silent == []
