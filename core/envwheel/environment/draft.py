"""`api.Draft` -> a complete Harbor folder: task.toml, both Dockerfiles, test.sh, and the kit in tests/kit.

The folder appears at its target at once (written beside it, then renamed) or not at all.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from envwheel import api
from envwheel.environment import toml
from envwheel.environment.invalid import InvalidTask
from envwheel.environment.stamp import kit_files
from envwheel.environment.task_toml import SCHEMA_VERSION
from envwheel.version import __version__

APP = "/app"
NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{0,99}")
"""What a draft may be called."""
_IMAGE = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._/:@-]*")

COMPILE = "RUN /usr/bin/python3 -m compileall -q /tests/kit\n"
"""For a kit that is a package: a verifier starts in a fresh box some sixty times, and would compile it every time."""
TEST_SH = """\
#!/bin/bash
# check.py judges the artifacts and writes the reward last; a crash leaves none.
for old in /logs/verifier/*; do [ ! -e "$old" ] || rm -rf "$old"; done
chmod 700 /tests  # closed to nobody, as whom the candidate's programs run
exec /usr/bin/python3 -I -B /tests/check.py
"""


def write(
    draft: api.Draft,
    target: Path,
    *,
    domains: Sequence[str],
    kit: Sequence[api.KitFile],
    proposer: str,
    extra: Mapping[str, Any] = api.EMPTY,
) -> Path:
    """Write `draft` as the folder `target`, which must not exist, and return it.

    `extra` goes into [metadata.envwheel] (family, seed, parent, ...). Raises InvalidTask: `unsafe_path` for a file that
    would leave its folder, `schema` for what is missing or cannot be said; FileExistsError when `target` is there.
    """
    files = dict(_layout(draft, kit))
    files["task.toml"] = task_toml(draft, domains=domains, proposer=proposer, extra=extra).encode()
    for name, data in kit_files(kit):
        files[_join("tests/kit", name)] = data
    if os.path.lexists(target):
        raise FileExistsError(f"{target} is there already")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name[:50]}-") as beside:
        new = Path(beside) / "new"
        _write_files(new, files)
        os.rename(new, target)
    return target


def task_toml(draft: api.Draft, *, domains: Sequence[str], proposer: str, extra: Mapping[str, Any] = api.EMPTY) -> str:
    """The text of task.toml for `draft`."""
    limits = draft.limits
    own: dict[str, Any] = {"schema": 1, "version": __version__, "domains": list(domains), "proposer": proposer}
    own |= {} if draft.level is None else {"level": draft.level}
    own |= {"skills": list(draft.skills), "processes": limits.processes, **extra, "params": dict(draft.params)}
    cpus = int(limits.cpus) if float(limits.cpus).is_integer() else limits.cpus
    table = {
        "schema_version": SCHEMA_VERSION,
        "artifacts": list(draft.artifacts),
        "task": {
            "name": f"envwheel/{draft.name}",
            "description": _first_line(draft.instruction),
            "keywords": [*domains],
        },
        "metadata": {"envwheel": own},
        "agent": {"timeout_sec": float(limits.agent_timeout_s), "user": "agent"},
        "verifier": {"timeout_sec": float(limits.verifier_timeout_s), "environment_mode": "separate"},
        "environment": {
            "build_timeout_sec": float(limits.build_timeout_s),
            "cpus": cpus,
            "memory_mb": limits.memory_mb,
            "storage_mb": limits.disk_mb,
        },
    }
    try:
        return toml.dumps(table)
    except ValueError as error:
        raise InvalidTask("schema", f"draft {draft.name}: {error}") from None


def _first_line(instruction: str) -> str:
    line = next((line.strip() for line in instruction.splitlines() if line.strip()), "")
    return line if len(line) <= 120 else line[:117] + "..."


def _layout(draft: api.Draft, kit: Sequence[api.KitFile]) -> Iterator[tuple[str, bytes]]:
    if not NAME.fullmatch(draft.name):
        raise InvalidTask("schema", f"draft name {draft.name!r}: letters, digits, '.', '_' and '-' only")
    for needed, files in (("solve.sh", draft.solution), ("check.py", draft.tests)):
        if needed not in files:
            raise InvalidTask("schema", f"draft {draft.name}: {needed} is missing")
    if not draft.artifacts:
        raise InvalidTask("schema", f"draft {draft.name}: without artifacts nothing can be graded")
    for index, path in enumerate(draft.artifacts):
        if path != APP and not path.startswith(APP + "/"):
            raise InvalidTask("schema", f"draft {draft.name}: artifact {path!r} is not under {APP}")
        for other in draft.artifacts[index + 1 :]:
            if f"{path}/".startswith(f"{other}/") or f"{other}/".startswith(f"{path}/"):
                raise InvalidTask("schema", f"draft {draft.name}: artifacts {path!r} and {other!r} overlap")
    yield "instruction.md", _bytes(draft.instruction.rstrip("\n") + "\n")
    yield "environment/Dockerfile", _work_dockerfile(draft).encode()
    if draft.setup:
        yield "environment/setup.sh", _bytes(draft.setup)
    yield "tests/Dockerfile", verifier_dockerfile(draft.verifier_image or draft.image, kit).encode()
    yield "tests/test.sh", TEST_SH.encode()
    for folder, content in (("environment/app", draft.files), ("solution", draft.solution), ("tests", draft.tests)):
        for name, data in content.items():
            yield _join(folder, name), _bytes(data)


def _work_dockerfile(draft: api.Draft) -> str:
    lines = [f"FROM {_image(draft.image)}", f"WORKDIR {APP}"]
    if draft.files:
        lines.append(f"COPY --chown=agent:agent app/ {APP}/")
    if draft.setup:
        lines.append("COPY setup.sh /tmp/setup.sh")
        lines.append(f"RUN bash /tmp/setup.sh && rm /tmp/setup.sh && chown -Rh agent:agent {APP}")
    return "\n".join(lines) + "\n"


def verifier_dockerfile(image: str, kit: Sequence[api.KitFile]) -> str:
    """The text of tests/Dockerfile of an environment whose tests run in `image` with `kit`. Raises InvalidTask."""
    text = f"FROM {_image(image)}\nWORKDIR {APP}\nCOPY . /tests/\n"
    package = any(re.fullmatch("[^/]+/__init__[.]py", file.target) for file in kit)
    return text + COMPILE if package else text


def _image(tag: str) -> str:
    if not _IMAGE.fullmatch(tag):
        raise InvalidTask("schema", f"{tag!r} is no image name")
    return tag


def _join(folder: str, name: str) -> str:
    parts = name.split("/")
    if name.startswith("/") or "\\" in name or "\0" in name or any(part in ("", ".", "..") for part in parts):
        raise InvalidTask("unsafe_path", f"{name!r} is no plain relative path (it goes into {folder}/)")
    return f"{folder}/{name}"


def _bytes(content: str | bytes) -> bytes:
    try:
        return content.encode() if isinstance(content, str) else content
    except UnicodeEncodeError as error:
        raise InvalidTask("schema", f"a file of the draft is no text: {error}") from None


def _write_files(top: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        path = top / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        except (FileExistsError, NotADirectoryError, IsADirectoryError):
            raise InvalidTask("unsafe_path", f"{name} is both a file and a folder") from None
        path.chmod(0o755 if data.startswith(b"#!") else 0o644)
