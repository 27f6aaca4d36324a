"""Make src/envwheel_swe/data/py_bugs.json: bugs for `py_bug_repair` that the packages' own tests catch.

    python plugins/swe/tools/find_bugs.py [--per-package 60] [--image envwheel/swe:bookworm]

Candidates come from the syntax tree of the pinned sources (nothing of them is run on the host). Every one, and a second
wrong text for the same place, is judged by the package's tests in a container without network. Kept is what makes at
least one test fail, and not too many, quickly and every time.
"""

from __future__ import annotations

import argparse
import ast
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from envwheel_swe.repair import program
from envwheel_swe.sdists import SDISTS, package_files, test_files

TARGET = Path(__file__).parents[1] / "src" / "envwheel_swe" / "data" / "py_bugs.json"
COMPARE = {
    ast.Lt: ("<", "<=", ">"),
    ast.LtE: ("<=", "<", ">="),
    ast.Gt: (">", ">=", "<"),
    ast.GtE: (">=", ">", "<="),
    ast.Eq: ("==", "!=", "is"),
    ast.NotEq: ("!=", "==", ">"),
    ast.In: ("in", "not in", "=="),
    ast.NotIn: ("not in", "in", "!="),
    ast.Is: ("is", "is not", "=="),
    ast.IsNot: ("is not", "is", "!="),
}
BINARY = {
    ast.Add: ("+", "-", "|"),
    ast.Sub: ("-", "+", "%"),
    ast.Mult: ("*", "+", "//"),
    ast.FloorDiv: ("//", "%", "/"),
    ast.Mod: ("%", "//", "-"),
}
CHANGES = {("<", "<="): "boundary", (">", ">="): "boundary", ("<=", "<"): "boundary", (">=", ">"): "boundary"}
SLOW_OR_RANDOM = {
    "more-itertools": (
        "random",
        "sample",
        "Random",
        "test_recipes.SieveTests",
        "test_recipes.FactorTests",
        "is_prime",
        "Prime",
        "test_more.DistinctPermutationsTests",
        "test_more.SetPartitionsTests",
        "MapReduce",
    ),
    "toolz": ("random", "compose_metadata", "curry_attributes"),
    "boltons": ("random", "test_gzip", "test_bytes_multi"),
    "cachetools": ("Thread", "lock"),
}


def sites(path: str, text: str) -> Iterator[tuple[ast.AST, str, str, str, str, str]]:
    """(node, function, kind, right, wrong, half) of every place in a file where a change is worth trying."""
    tree = ast.parse(text)
    stack: list[tuple[ast.AST, str]] = [(tree, "")]
    while stack:
        node, function = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            if node.name.startswith("__") and node.name not in (
                "__init__",
                "__getitem__",
                "__setitem__",
                "__delitem__",
            ):
                continue
            function = f"{function}.{node.name}" if function else node.name
        stack += [(child, function) for child in ast.iter_child_nodes(node)]
        right = ast.get_source_segment(text, node) if hasattr(node, "lineno") else None
        if function and right and "\n" not in right and len(right) < 100:
            for kind, wrong, half in changes(node, right, text):
                if len({right, wrong, half}) == 3:
                    yield node, function, kind, right, wrong, half


def changes(node: ast.AST, right: str, text: str) -> Iterator[tuple[str, str, str]]:
    """(kind, wrong, half) for a node."""

    def part(child: ast.AST) -> str:
        return ast.get_source_segment(text, child) or ""

    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARE:
        sign, wrong, half = COMPARE[type(node.ops[0])]
        left, other = part(node.left), part(node.comparators[0])
        yield CHANGES.get((sign, wrong), "comparison"), f"{left} {wrong} {other}", f"{left} {half} {other}"
    elif isinstance(node, ast.BinOp) and type(node.op) in BINARY and not isinstance(node.left, ast.Constant):
        _, wrong, half = BINARY[type(node.op)]
        yield (
            "operator",
            f"{part(node.left)} {wrong} {part(node.right)}",
            f"{part(node.left)} {half} {part(node.right)}",
        )
    elif isinstance(node, ast.BoolOp) and len(node.values) == 2:
        sign = " or " if isinstance(node.op, ast.And) else " and "
        yield "dropped branch", part(node.values[0]), sign.join(part(value) for value in node.values)
    elif isinstance(node, ast.Call) and len(node.args) == 2 and not node.keywords and isinstance(node.func, ast.Name):
        one, two = (part(arg) for arg in node.args)
        yield "swapped arguments", f"{part(node.func)}({two}, {one})", f"{part(node.func)}({one}, {one})"
    elif isinstance(node, ast.Constant) and type(node.value) is int and 0 <= node.value < 10:
        yield "off by one", str(node.value + 1), str(node.value + 2)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "dropped not", part(node.operand), "True"


def candidates(project: str, count: int) -> list[dict[str, object]]:
    """Some sites of a project, spread over functions and kinds."""
    draw = random.Random(f"bugs of {project}")
    files = package_files(project)
    tested = [name.removeprefix("test_") for name in SDISTS[project].modules]
    by_function: dict[tuple[str, str], list[dict[str, object]]] = {}
    for path, text in files.items():
        stem = path.rsplit("/", 1)[-1].removesuffix(".py")
        if not path.endswith(".py") or (project == "boltons" and stem not in tested):
            continue
        lines = text.splitlines()
        for node, function, kind, right, wrong, half in sites(path, text):
            line = lines[node.lineno - 1]  # type: ignore[attr-defined]
            column = len(line.encode()[: node.col_offset].decode())  # type: ignore[attr-defined]
            site = {"project": project, "path": path, "line": node.lineno, "column": column, "right": right}  # type: ignore[attr-defined]
            by_function.setdefault((path, function), []).append(
                site | {"wrong": wrong, "half": half, "kind": kind, "function": function}
            )
    keys = sorted(by_function)
    draw.shuffle(keys)
    return [draw.choice(by_function[key]) for key in keys[:count]]


def judged(
    project: str, found: list[dict[str, object]], image: str
) -> tuple[dict[str, object], list[dict[str, object]]]:
    """What holds of the package's tests, and the bugs that they catch."""
    files = package_files(project)
    variants = [(b["path"], _put(files[str(b["path"])], b, str(b[key]))) for b in found for key in ("wrong", "half")]
    hidden = test_files(project)
    job = {"files": files | hidden, "modules": SDISTS[project].modules, "variants": variants}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "job.json").write_text(json.dumps(job))
        Path(folder, "runner.py").write_text(program("py_bug_repair")["runner.py"])
        Path(folder, "judge.py").write_text(Path(__file__).with_name("judge_bugs.py").read_text())
        Path(folder).chmod(0o755)
        command = [
            "docker",
            "run",
            "--rm",
            "--network=none",
            "--memory=2g",
            "--user=65534",
            "-v",
            f"{folder}:/work:ro",
            image,
            "/usr/bin/python3",
            "/work/judge.py",
        ]
        lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    pristine = json.loads(lines[0])["pristine"]
    names = sorted(pristine[0])
    out = [name for name in names if any(part in name for part in SLOW_OR_RANDOM[project])]
    passing = [name for name in names if name not in out and all(run and run.get(name) == "ok" for run in pristine)]
    skip = [name for name in names if name not in passing]
    failing = [json.loads(line)["found"] for line in lines[1:]]
    kept = []
    for at, bug in enumerate(found):
        wrong, half = ([n for n in names_ or [] if n in passing] for names_ in failing[2 * at : 2 * at + 2])
        if 0 < len(wrong) <= max(3, len(passing) // 10) and half and None not in failing[2 * at : 2 * at + 2]:
            kept.append(bug | {"fails": wrong[:6]})
    return {"passing": passing, "skip": skip}, kept


def _put(text: str, bug: dict[str, object], new: str) -> str:
    lines = text.splitlines(keepends=True)
    at, column, right = int(str(bug["line"])) - 1, int(str(bug["column"])), str(bug["right"])
    lines[at] = lines[at][:column] + new + lines[at][column + len(right) :]
    return "".join(lines)


def main() -> None:
    """Judge all packages and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--per-package", type=int, default=60)
    parser.add_argument("--image", default="envwheel/swe:bookworm")
    parser.add_argument("--project", action="append", choices=sorted(SDISTS))
    args = parser.parse_args()
    table = json.loads(TARGET.read_text()) if TARGET.exists() else {"suites": {}, "bugs": []}
    for project in args.project or sorted(SDISTS):
        found = candidates(project, args.per_package)
        suite, bugs = judged(project, found, args.image)
        table["suites"][project] = suite
        table["bugs"] = sorted(
            [bug for bug in table["bugs"] if bug["project"] != project] + bugs,
            key=lambda b: (b["project"], b["path"], b["line"]),
        )
        print(f"{project}: {len(suite['passing'])} tests, {len(bugs)} of {len(found)} bugs kept", file=sys.stderr)
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text(json.dumps(table, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
