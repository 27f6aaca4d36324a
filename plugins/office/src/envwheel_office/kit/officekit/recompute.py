"""The child that computes a workbook: `python -I recompute.py FILE ENGINE [OPTION...]`, runs as JSON on stdin.

An engine is a module recalc_ENGINE.py with `compute(path, runs, *options)`: for each run a value for each of its cells,
an error as {"error": "#N/A"}, {} for a cell that the workbook does not have.
"""

from __future__ import annotations

import json
import os
import sys

if __name__ == "__main__" and not __package__:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    from officekit.recompute import main

    sys.exit(main(*sys.argv[1:]))

from . import child

UNO_MEMORY = 16 << 30
"""soffice maps much more than it uses."""


def main(path: str, engine: str, *options: str) -> int:
    """Compute, print, end."""
    memory = UNO_MEMORY if engine == "uno" else child.MEMORY
    (module,) = child.enter(f"recalc_{engine}", memory=memory)
    runs = json.load(sys.stdin)
    json.dump(module.compute(path, runs, *options), sys.stdout, allow_nan=False, separators=(",", ":"))
    return 0
