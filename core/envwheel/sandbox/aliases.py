"""Stand-ins for foreign images: where a FROM line (or `docker_image`) names one, another is used.

    parse("ubuntu:24.04=envwheel/base:bookworm")        # --image NAME=REFERENCE
    load(Path("images.toml"))                           # --images FILE.toml

    [alias."python:3.12"]
    image = "envwheel/base:bookworm"
    packages = ["python3-pip"]                          # of Debian; installed once, into an image of our own

An image that a stand-in was used for says so (`Image.aliases`), and so does the evidence.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from envwheel.api import BaseImage
from envwheel.errors import BuildFailed, UsageError
from envwheel.sandbox.base import Engine, Image

REFERENCE = r"[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}"
PACKAGE = r"[a-z0-9][a-z0-9+.-]*(=[A-Za-z0-9+.:~-]+)?"
REPOSITORY = "envwheel/alias"


@dataclass(frozen=True, slots=True)
class Alias:
    """`image`, with Debian `packages` added, stands for `name`."""

    name: str
    image: str
    packages: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """What is used, for people."""
        return f"{self.image} with {', '.join(self.packages)}" if self.packages else self.image

    def base_image(self, image: Image) -> BaseImage:
        """The image to build from `image`, where there are packages to add."""
        names = " ".join(self.packages)
        key = hashlib.sha256(f"{self.image} {names}".encode()).hexdigest()[:16]
        lines = [f"FROM {image.id}", "USER root", _install(names), *([f"USER {image.user}"] if image.user else [])]
        return BaseImage(f"{REPOSITORY}:{key}", "\n".join(lines) + "\n")


def parse(text: str) -> Alias:
    """NAME=REFERENCE. Raises UsageError."""
    name, _, image = text.partition("=")
    if not (re.fullmatch(REFERENCE, name) and re.fullmatch(REFERENCE, image)):
        raise UsageError(f"--image: '{text}' is not NAME=REFERENCE. Example: ubuntu:24.04=envwheel/base:bookworm.")
    return Alias(normalised(name), image)


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    image: Annotated[str, StringConstraints(pattern=f"^{REFERENCE}$")]
    packages: list[Annotated[str, StringConstraints(pattern=f"^{PACKAGE}$")]] = []


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    alias: dict[Annotated[str, StringConstraints(pattern=f"^{REFERENCE}$")], _Entry] = Field(min_length=1)


def load(path: Path) -> list[Alias]:
    """The aliases in a TOML file. Raises UsageError."""
    try:
        file = _File.model_validate(tomllib.loads(path.read_text("utf-8")))
    except OSError as error:
        raise UsageError(f"--images: {path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"--images: {path} is not TOML: {error}.") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, ("$", *first["loc"])))
        raise UsageError(
            f"--images: {path}: {where}: {first['msg'][:1].lower()}{first['msg'][1:]}. A table looks like "
            '[alias."python:3.12"] image = "envwheel/base:bookworm", packages = ["python3-pip"].'
        ) from None
    return [Alias(normalised(name), entry.image, tuple(entry.packages)) for name, entry in file.alias.items()]


def table(texts: Iterable[str], file: Path | None) -> tuple[Alias, ...]:
    """All aliases of a command line, by name. Raises UsageError for a name that stands for two images."""
    found: dict[str, Alias] = {}
    for alias in [*(load(file) if file else ()), *map(parse, texts)]:
        other = found.setdefault(alias.name, alias)
        if other != alias:
            raise UsageError(f"--image: {alias.name} stands for both {other.shown} and {alias.shown}. Choose one.")
    return tuple(sorted(found.values(), key=lambda alias: alias.name))


def use(engine: Engine, aliases: Iterable[Alias]) -> None:
    """Tell `engine`; what stands in must be there, or be made now. Raises UsageError, InfraError."""
    for alias in aliases:
        try:
            engine.alias(alias)
        except BuildFailed as failed:
            tail = f" {failed.log_tail.strip().splitlines()[-1]}" if failed.log_tail.strip() else ""
            raise UsageError(f"--image {alias.name}: {alias.shown} cannot be used: {failed}{tail}") from failed


def normalised(reference: str) -> str:
    """A reference without the parts that mean nothing: the default library, a missing tag."""
    name = re.sub(r"^(docker\.io/)?(library/)?", "", reference)
    plain = "@" in name or ":" in name.rpartition("/")[2] or name.startswith("sha256:")
    return name if plain else f"{name}:latest"


def _install(names: str) -> str:
    return (
        "RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "
        f"{names} && rm -rf /var/lib/apt/lists/*"
    )
