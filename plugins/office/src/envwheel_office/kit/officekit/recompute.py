"""The child that computes a workbook: `python -I recompute.py FILE ENGINE...`, runs as JSON on stdin.

An engine is a module recalc_ENGINE.py with `compute(path, runs)`: for each run a value for each of its cells,
an error as {"error": "#N/A"}, {} for a cell that the workbook does not have. Each engine has a process of its own, all
at the same time; the answer is {ENGINE: values, or {"failed": why}}.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

if __name__ == "__main__" and not __package__:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from officekit.recompute import main

    sys.exit(main(*sys.argv[1:]))

from . import child


def main(path: str, *engines: str) -> int:
    """Compute, print, end."""
    modules = child.enter(*(f"recalc_{engine}" for engine in engines))
    runs = json.load(sys.stdin)
    started = [start(module, path, runs) for module in modules]
    answers = [end(*each) for each in started]
    child.answer(
        "{" + ",".join(f"{json.dumps(name)}:{text}" for name, text in zip(engines, answers, strict=True)) + "}"
    )
    return 0


def start(module: Any, path: str, runs: list[Any]) -> tuple[int, int]:
    """An engine in a process of its own: its id, and where its answer can be read."""
    out, into = os.pipe()
    pid = os.fork()
    if pid:
        os.close(into)
        return pid, out
    try:
        text = json.dumps(module.compute(path, runs), allow_nan=False, separators=(",", ":"))
    except BaseException as error:
        text = failed(f"{type(error).__name__}: {error}")
    with open(into, "w", encoding="utf-8") as file:
        file.write(text)
    os._exit(0)


def end(pid: int, out: int) -> str:
    """An engine's answer; how it ended where it gave none."""
    with open(out, encoding="utf-8") as file:
        text = file.read()
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return text if code == 0 and text else failed(f"it ended with {'signal' if code < 0 else 'code'} {abs(code)}")


def failed(why: str) -> str:
    """An answer that is none."""
    clean = "".join(letter if letter.isprintable() else "?" for letter in why)
    return json.dumps({"failed": clean[:200]})
