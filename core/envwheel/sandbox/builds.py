"""What the builds of every engine share: limits, and the request with its content key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Container
from dataclasses import dataclass
from pathlib import Path

from envwheel.sandbox.context import pack_context, refuse_bombs
from envwheel.sandbox.dockerfile import instructions, prepare
from envwheel.sandbox.owner import Owner

LABEL = "envwheel.build"
LOG_LINES = 60
UNREACHABLE = ("timeout", "Timeout", "toomanyrequests", "rate limit", "connection reset", "TLS handshake", "503", "502")
"""Words of a registry or mirror that could answer on another day: our side's failure, not the candidate's."""


@dataclass(frozen=True, slots=True)
class BuildLimits:
    """What one build may use: MiB of memory, processes, MiB of one file, MiB that one step writes."""

    memory_mb: int = 4096
    processes: int = 1024
    file_mb: int = 4096
    step_mb: int = 8192


@dataclass(frozen=True, slots=True)
class Request:
    """One build: the tar, its content key, base image ids."""

    tar: bytes
    key: str
    bases: tuple[str, ...]


def request(
    context: Path | None,
    dockerfile: str,
    resolve: Callable[[str], str],
    *,
    network: bool,
    owner: Owner,
    step_mb: int,
    key_label: str | None = None,
    unused: Container[str] = (),
) -> Request:
    """The tar and content key of a build; `key_label` names one more label that holds the key.

    `unused`: instructions that the engine has no use for. Raises BuildFailed for what is refused.
    """
    labels = {LABEL: "@KEY@", "envwheel.owner": "@OWNER@"} | ({key_label: "@KEY@"} if key_label else {})
    marked, bases = prepare(dockerfile, resolve, labels, unused)
    if context is not None and any(item.word == "ADD" for item in instructions(dockerfile)):
        refuse_bombs(context, step_mb << 20)
    digest = hashlib.sha256(json.dumps([marked, bases, network]).encode())
    digest.update(pack_context(context, dockerfile))
    key = digest.hexdigest()[:32]
    marked = marked.replace("@KEY@", key).replace("@OWNER@", str(owner))
    return Request(pack_context(context, marked), key, bases)
