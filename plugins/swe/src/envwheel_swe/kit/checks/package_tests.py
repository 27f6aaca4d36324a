"""Runs a package's own tests on the mended package as nobody; a repair may only be a small one."""

import ast
import difflib
import json
import secrets
import sys
from pathlib import Path

sys.path.insert(0, "/tests/kit")
import grade

EXPECT = json.loads(Path("/tests/expect.json").read_text())
FOLDER = "/app/" + EXPECT["package"]
SHIPPED = json.loads(Path("/tests/shipped.json").read_text())


def modules():
    """The candidate's modules by path. Raises Failed unless they are the shipped ones, little changed."""
    grade.need(grade.plain_tree(FOLDER), f"{FOLDER} is no plain folder")
    there = {str(path.relative_to("/app")) for path in Path(FOLDER).rglob("*.py")}
    grade.need(there == set(SHIPPED), f"modules were added or are gone: {sorted(there ^ set(SHIPPED))[:5]}")
    texts, changed = {}, 0
    for name, before in SHIPPED.items():
        text = grade.read_text(f"/app/{name}")
        grade.need(text is not None, f"{name} is no plain text file")
        texts[name] = text
        if text != before:
            lines = difflib.unified_diff(before.splitlines(), text.splitlines(), lineterm="", n=0)
            changed += sum(line.startswith("+") and not line.startswith("+++") for line in lines)
            new = imports(text) - imports(before)
            grade.need(not new, f"{name} has new imports: {', '.join(sorted(new)[:5])}")
    grade.need(changed <= EXPECT["lines"], f"{changed} lines were changed, at most {EXPECT['lines']} may be")
    return texts


def imports(text):
    """All imported names of a module. Raises Failed when it is no Python."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise grade.Failed("a module is no valid Python") from None
    found = {alias.name for node in nodes if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names}
    return found | {
        node.id for node in nodes if isinstance(node, ast.Name) and node.id in ("__import__", "exec", "eval")
    }


def main():
    g = grade.Grade()
    texts = None
    with g.case("a small repair"):
        texts = modules()
    with g.case("the project's tests"):
        grade.need(texts, "not run")
        files = texts | json.loads(Path("/tests/hidden.json").read_text())
        files |= {f"run/{name}": Path("/tests", name).read_text() for name in ("runner.txt",)}
        secret = secrets.token_hex(16)
        job = {"secret": secret, "modules": EXPECT["modules"], "skip": EXPECT["skip"]}
        cwd = grade.scratch(files)
        argv = ["/usr/bin/python3", "-B", f"{cwd}/run/runner.txt", cwd]
        ran = grade.run(argv, stdin=json.dumps(job).encode(), cwd=cwd, timeout=150, env={"PYTHONHASHSEED": "0"})
        last = ran.out.decode("utf-8", "replace").strip().splitlines()[-1:]
        grade.need(last and last[0].startswith(secret), f"the tests did not run to their end: {ran.err[-200:]!r}")
        found = json.loads(last[0][len(secret) :])
        failed = [name for name in EXPECT["passing"] if found.get(name) != "ok"]
        grade.need(not failed, f"{len(failed)} of {len(EXPECT['passing'])} tests fail: {', '.join(failed[:4])}")
    g.finish()


main()
