"""What a model is told about the files of an environment when it writes them in one answer.

format_text(name, work, verifier, kit)    # the layout, the fixed files word for word, and how files stand in an answer
"""

from __future__ import annotations

from collections.abc import Sequence

from envwheel.api import KitFile
from envwheel.environment.draft import TEST_SH, verifier_dockerfile
from envwheel.propose.files_in_text import write

NEEDED = (
    "task.toml",
    "instruction.md",
    "environment/Dockerfile",
    "solution/solve.sh",
    "tests/Dockerfile",
    "tests/test.sh",
    "tests/check.py",
)
"""What every environment of ours holds."""

TASK_TOML = """\
schema_version = "1.4"
artifacts = ["/app/result.txt"]

[task]
name = "envwheel/NAME"
description = "one line"

[agent]
timeout_sec = 600.0
user = "agent"

[verifier]
timeout_sec = 300.0
environment_mode = "separate"

[environment]
build_timeout_sec = 600.0
cpus = 1
memory_mb = 1024
storage_mb = 2048
"""

WORK = """\
FROM IMAGE
WORKDIR /app
COPY --chown=agent:agent app/ /app/
"""

TEXT = """\
# The files

You have no terminal: this one answer is the whole environment, and nobody runs it before it is judged. Write every file
completely, with no placeholder, in this form, and nothing else that matters:

$example
A line `=== FILE: path ===` begins a file, a line `=== END ===` ends it; what stands between is taken as it is, so put
no fence around it. Paths are relative to the environment's folder. These files are needed, and any others that you want
below environment/, solution/ and tests/:

- `task.toml`: limits and `artifacts`, the absolute paths under /app that are carried over to the tests (files or
  folders; list a folder only when its modes or links matter).
- `instruction.md`: all that the solver is told.
- `environment/Dockerfile`: the work box; its build context is environment/. Count on no
  network while it is built.
- `solution/solve.sh`: the reference, run with bash in the work box as the user of the solver.
- `tests/Dockerfile`: the verifier box; its build context is tests/. Only the artifacts are put into it,
  at the same paths.
- `tests/test.sh` and `tests/check.py`: run there as root, without network; they write the reward.
- `tests/kit/` comes from us (`grade.py` and the domain's checks): do not write it.

The boxes have no network. The files that are nearly always the same:

$fixed
`=== FILE: tests/check.py ===` begins with

import sys
sys.path.insert(0, "/tests/kit")
import grade
g = grade.Grade()

and ends with `g.finish()`; in between `g.check("id", passed, "message")` or `with g.case("id"):` with
`grade.need(condition, message)` for each requirement, and `grade.run([...], stdin=b"", files={...}, timeout=5)` (with
`.code`, `.out`, `.err`) for every program of the solver.
"""


def format_text(name: str, work: str, verifier: str, kit: Sequence[KitFile]) -> str:
    """The layout and the form of an answer for the environment `name`, whose Dockerfiles start from these images."""
    fixed = {
        "task.toml": TASK_TOML.replace("NAME", name),
        "environment/Dockerfile": WORK.replace("IMAGE", work),
        "tests/Dockerfile": verifier_dockerfile(verifier, kit),
        "tests/test.sh": TEST_SH,
    }
    example = write({"solution/solve.sh": "#!/bin/bash\n..."})
    return TEXT.replace("$example", example).replace("$fixed", write(fixed))
