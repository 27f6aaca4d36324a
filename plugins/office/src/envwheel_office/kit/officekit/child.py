"""A child process of the verifier's that opens a candidate's document: as nobody, with limits. Both sides of it.

    ran = run("reader", ["xlsx"], data)        # the judging process: our program, the document's bytes beside it
    enter("read_xlsx")                         # the child: imports what it needs, then gives up root, then limits
    answer("{...}")                            # its only word on stdout: what libraries print goes to stderr

The kit lies in a folder that is closed to nobody, so the child starts as root and becomes nobody after its imports,
before it opens the document.
"""

from __future__ import annotations

import gc
import os
import resource
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

NOBODY = 65534
SECONDS = 60
"""CPU time; the wall clock gets twice as much, on a machine that does other things too."""
MEMORY = 2 << 30
OUTPUT = 60_000_000
DOCUMENT = "document"
_out = 1


def run(program: str, arguments: Sequence[str], extension: str, data: bytes, *, stdin: bytes = b"",
        seconds: float = SECONDS) -> Any:  # fmt: skip
    """Run kit program `program` on `data`; a grade.Ran. Its first argument is the document's path."""
    import grade

    name = f"{DOCUMENT}.{extension}"
    folder = grade.scratch({name: data})
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{program}.py")
    argv = [sys.executable, "-I", script, os.path.join(folder, name), *arguments]
    # Threads' stacks and arenas count as address space: on a machine of many cores they alone would pass the limit.
    env = {"RAYON_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2", "TMPDIR": folder}
    return grade.run(argv, cwd=folder, env=env, stdin=stdin, timeout=seconds, as_root=True, output_limit=OUTPUT)


def enter(*modules: str, memory: int = MEMORY, seconds: int = SECONDS) -> list[Any]:
    """In the child: import these modules of the kit, give up root, set limits. Returns the modules."""
    global _out
    _out = os.dup(1)
    os.dup2(2, 1)
    imported = [import_module(f".{name}", __package__) for name in modules]
    import_module("encodings.cp437")  # zipfile's, late; the interpreter itself may be closed to nobody
    if os.geteuid() == 0:
        try:
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
        except OSError:
            pass  # an engine whose boxes have one user only
    for what, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))
    gc.disable()  # it lives for one document
    return imported


def answer(text: str) -> None:
    """Give the judging process the child's answer."""
    with open(_out, "wb") as file:
        file.write(text.encode())


def failure(ran: Any) -> str:
    """Why a child gave nothing."""
    if ran.code is None:
        return f"it takes more than {SECONDS} s, or holds too much"
    last = (ran.err.decode("utf-8", "replace").strip().splitlines() or [""])[-1]
    clean = "".join(letter if letter.isprintable() else "?" for letter in last)[:200]
    return clean or f"the reader ended with code {ran.code}"
