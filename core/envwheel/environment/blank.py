"""The folder that a proposer begins with: everything that is alike in all environments, and nothing of the task."""

from __future__ import annotations

from collections.abc import Sequence

from envwheel import api
from envwheel.environment.draft import TEST_SH, task_toml, verifier_dockerfile
from envwheel.environment.stamp import kit_files

TASK_TOML = """\
# Fill in `artifacts`: the files or folders under /app that are graded, in full. Nothing else reaches the tests.
# Change limits where the task needs it. [metadata.envwheel] is written for you.
"""

DOCKERFILE = """\
FROM {image}
WORKDIR /app
# What lies in environment/app/; leave this line out when that folder stays empty.
COPY --chown=agent:agent app/ /app/
# For what files alone cannot be: git histories, modes, links, databases, packages. Leave both lines out otherwise.
COPY setup.sh /tmp/setup.sh
RUN bash /tmp/setup.sh && rm /tmp/setup.sh && chown -Rh agent:agent /app
"""

SETUP = """\
#!/bin/bash
# Runs once, as root, in /app, while the image of the work box is built.
set -e
"""

SOLVE = """\
#!/bin/bash
# The reference: really does the work, as the user `agent`, from /app as the solver finds it.
set -e
"""

CHECK = '''\
"""Decides whether the artifacts are what instruction.md asks for."""

import sys

sys.path.insert(0, "/tests/kit")
import grade

g = grade.Grade()
# One check for each requirement of the instruction, for example:
#
# text = grade.read_text("/app/report.txt")
# if g.check("the report is a plain text file", text is not None, "no such text file: /app/report.txt"):
#     with g.case("totals"):
#         grade.need(text == wanted, f"wanted {wanted!r}, got {text[:200]!r}")
g.check("nothing is checked yet", False)
g.finish()
'''


def blank(draft: api.Draft, *, domains: Sequence[str], kit: Sequence[api.KitFile], proposer: str) -> dict[str, bytes]:
    """Relative path -> content. Of `draft` only name, images, limits, skills and level count."""
    files = {
        "task.toml": (TASK_TOML + task_toml(draft, domains=domains, proposer=proposer)).encode(),
        "instruction.md": b"",
        "environment/Dockerfile": DOCKERFILE.format(image=draft.image).encode(),
        "environment/setup.sh": SETUP.encode(),
        "solution/solve.sh": SOLVE.encode(),
        "tests/Dockerfile": verifier_dockerfile(draft.verifier_image or draft.image, kit).encode(),
        "tests/test.sh": TEST_SH.encode(),
        "tests/check.py": CHECK.encode(),
    }
    return files | {f"tests/kit/{name}": data for name, data in kit_files(kit)}
