"""What the engine reads and changes in a Dockerfile before it builds it: base images, labels, things it refuses.

The classic builder is used, because its steps can be confined; it knows no `RUN --mount` and no here-documents.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass

from envwheel.errors import BuildFailed

_DIRECTIVE = re.compile(r"^#\s*([a-zA-Z]+)\s*=\s*(.*?)\s*$")
_VARIABLE = re.compile(r"\$(?:\{(\w+)(?:(:?[-+])([^}]*))?\}|(\w+))")
_FROM = re.compile(r"^FROM\s+((?:--\S+\s+)*)(\S+)(?:\s+AS\s+(\S+))?\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: its word in upper case and its whole text on one line; `raw` as it was written."""

    word: str
    text: str
    raw: str


def instructions(dockerfile: str) -> Iterator[Instruction]:
    """The instructions of `dockerfile`, continuation lines joined, comments and parser directives left out."""
    escape = _escape(dockerfile)
    pending: list[str] = []
    raw: list[str] = []
    for line in dockerfile.replace("\r\n", "\n").split("\n"):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        raw.append(line)
        stripped = line.rstrip()
        if stripped.endswith(escape):
            pending.append(stripped[:-1])
            continue
        yield _instruction([*pending, line], raw)
        pending, raw = [], []
    if raw:
        yield _instruction(pending, raw)


def _instruction(parts: list[str], raw: list[str]) -> Instruction:
    text = "".join(parts).strip()
    return Instruction((text.split(None, 1) or [""])[0].upper(), text, "\n".join(raw))


def _escape(dockerfile: str) -> str:
    for line in dockerfile.split("\n"):
        match = _DIRECTIVE.match(line.strip())
        if not match:
            break
        if match[1].lower() == "escape" and match[2] in ("\\", "`"):
            return match[2]
    return "\\"


def prepare(
    dockerfile: str, resolve: Callable[[str], str], labels: Mapping[str, str], unused: Container[str] = ()
) -> tuple[str, tuple[str, ...]]:
    """The Dockerfile to hand to the builder and the ids of the base images it starts from, the last stage's last.

    `resolve` turns a reference into a local image id. Every stage gets `labels`, so that containers and images of a
    build can be found whatever happens to it. Instructions in `unused` are left out: each is a step of the builder.
    Raises BuildFailed for what is refused.
    """
    arguments: dict[str, str] = {}
    stages: dict[str, str] = {}
    lines = [f"# escape={_escape(dockerfile)}"]
    final = ""
    for item in instructions(dockerfile):
        _refuse(item)
        if item.word == "ARG" and not stages:
            name, _, value = item.text[3:].strip().partition("=")
            arguments[name] = expanded(value.strip("\"'"), arguments)
        if item.word != "FROM":
            if item.word not in unused:
                lines.append(item.raw)
            continue
        match = _FROM.match(item.text)
        if not match:
            raise BuildFailed(f"Dockerfile: `{item.text}` is no FROM line.")
        reference = expanded(match[2].strip("\"'"), arguments)
        if reference.lower() in stages:
            base, source = stages[reference.lower()], reference
        elif reference == "scratch":
            base, source = "", reference
        else:
            base = source = resolve(reference)
        name = (match[3] or f"stage-{len(stages)}").lower()
        stages[name], final = base, base
        lines.append(f"FROM {source} AS {name}")
        lines.append("LABEL " + " ".join(f'{key}="{value}"' for key, value in sorted(labels.items())))
    if not stages:
        raise BuildFailed("Dockerfile: there is no FROM line.")
    others = tuple(sorted({base for base in stages.values() if base and base != final}))
    return "\n".join(lines) + "\n", (*others, final)


def expanded(text: str, values: Mapping[str, str]) -> str:
    """`text` with `$NAME`, `${NAME}`, `${NAME:-default}` and `${NAME:+other}` replaced."""

    def one(match: re.Match[str]) -> str:
        value = values.get(match[1] or match[4], "")
        if match[2] in (":-", "-"):
            return value or match[3]
        if match[2] in (":+", "+"):
            return match[3] if value else ""
        return value

    return _VARIABLE.sub(one, text)


def _refuse(item: Instruction) -> None:
    if item.word == "ONBUILD":
        raise BuildFailed("Dockerfile: ONBUILD is not supported: nothing is built FROM an environment's image.")
    if item.word == "ADD" and re.search(r"://|\$|git@", item.text):
        raise BuildFailed(
            f"Dockerfile: `{item.text[:200]}`: ADD of a URL or a variable is not supported, because the engine itself "
            "would fetch it. Use `RUN curl`, or COPY for files."
        )
