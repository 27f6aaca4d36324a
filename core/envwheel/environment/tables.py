"""The tables of task.toml that hold the fields of Harbor's schema, and the types of their values.

`task_toml.TaskConfig` puts them together. Every table keeps the fields that it does not know.
"""

from __future__ import annotations

import posixpath
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from envwheel.sandbox.base import BoxLimits

DEFAULT_LIMITS = BoxLimits()
DEFAULT_TIMEOUT_S = 600.0
RESERVED = ("/tests", "/solution", "/logs", "/proc", "/sys", "/dev")
"""Folders that an artifact may neither be, hold nor lie in."""


def _no_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("expected a number, got a boolean")
    return value


def _megabytes(text: str) -> int:
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([GMK])\s*", text.upper())
    if not match:
        raise ValueError(f"expected a size like '1G' or '512M', got {text!r}")
    return int(float(match[1]) * {"G": 1024, "M": 1, "K": 1 / 1024}[match[2]])


def _resolved(value: str) -> str:
    """`${NAME:-default}` becomes its default: a box never sees a variable of the host."""

    def default(match: re.Match[str]) -> str:
        if match[2] is None:
            raise ValueError(f"{match[0]} reads a variable of the host, which is not supported; give it a default")
        return match[2]

    return re.sub(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}", default, value)


Number = Annotated[float, BeforeValidator(_no_bool), Field(gt=0, allow_inf_nan=False)]
Seconds = Annotated[float, BeforeValidator(_no_bool), Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, BeforeValidator(_no_bool), Field(gt=0)]
User = Annotated[str | int, BeforeValidator(_no_bool)]
Env = dict[str, Annotated[str, AfterValidator(_resolved)]]
NetworkMode = Literal["public", "no-network", "allowlist"]


class Table(BaseModel):
    """A table of task.toml: unknown fields are kept."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)


class _Network(Table):
    network_mode: NetworkMode | None = None
    allowed_hosts: list[str] | None = None

    @model_validator(mode="after")
    def _hosts_need_a_list(self) -> _Network:
        if self.allowed_hosts and self.network_mode != "allowlist":
            raise ValueError("allowed_hosts is only valid with network_mode = 'allowlist'")
        return self


class Author(Table):
    name: str
    email: str | None = None


class Package(Table):
    """[task]: the name in a registry."""

    name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9][a-zA-Z0-9._-]*/[a-zA-Z0-9][a-zA-Z0-9._-]*$")]
    version: str | None = None
    description: str = ""
    authors: list[Author] = []
    keywords: list[str] = []


class Agent(_Network):
    """[agent]: `timeout_sec` in seconds, `user` a name or id of the image."""

    timeout_sec: Number | None = None
    user: User | None = None


class Healthcheck(Table):
    command: str
    interval_sec: Seconds = 5.0
    timeout_sec: Seconds = 30.0
    start_period_sec: Seconds = 0.0
    start_interval_sec: Seconds = 5.0
    retries: Annotated[int, BeforeValidator(_no_bool)] = 3


class Tpu(Table):
    type: Annotated[str, Field(min_length=1)]
    topology: Annotated[str, Field(pattern=r"^\s*[1-9]\d*(x[1-9]\d*)+\s*$")]


class McpServer(Table):
    name: str
    transport: Literal["stdio", "sse", "streamable-http", "http"] = "sse"
    url: str | None = None
    command: str | None = None
    args: list[str] = []
    headers: dict[str, str] = {}


class EnvironmentTable(_Network):
    """[environment] and [verifier.environment]: limits in CPUs and MiB."""

    build_timeout_sec: Number = DEFAULT_TIMEOUT_S
    docker_image: Annotated[str, Field(min_length=1)] | None = None
    os: Annotated[Literal["linux", "windows"], BeforeValidator(lambda v: v.lower() if isinstance(v, str) else v)] = (
        "linux"
    )
    cpus: Count | Number | None = None
    memory_mb: Count | None = None
    storage_mb: Count | None = None
    gpus: Annotated[int, BeforeValidator(_no_bool), Field(ge=0)] | None = None
    gpu_types: list[str] | None = None
    tpu: Tpu | None = None
    mcp_servers: list[McpServer] = []
    env: Env = {}
    skills_dir: str | None = None
    healthcheck: Healthcheck | None = None
    workdir: Annotated[str, Field(pattern=r"^/")] | None = None
    allow_internet: bool | None = None

    @model_validator(mode="before")
    @classmethod
    def _old_names(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        data = dict(data)
        for old, new in (("memory", "memory_mb"), ("storage", "storage_mb")):
            size = data.pop(old, None)
            if isinstance(size, str):
                if data.setdefault(new, _megabytes(size)) != _megabytes(size):
                    raise ValueError(f"{old} = {size!r} and {new} = {data[new]!r} contradict each other")
            elif size is not None:
                raise ValueError(f"{old}: expected a size like '1G' or '512M', got {size!r}")
        return data

    @property
    def asks_network(self) -> bool | None:
        """Whether network is written to be wanted; None when nothing is written."""
        if self.network_mode is not None:
            return self.network_mode != "no-network"
        return self.allow_internet

    @property
    def limits(self) -> BoxLimits:
        """The declared limits, our defaults where it is silent."""
        return BoxLimits(
            cpus=self.cpus or DEFAULT_LIMITS.cpus,
            memory_mb=self.memory_mb or DEFAULT_LIMITS.memory_mb,
            disk_mb=self.storage_mb or DEFAULT_LIMITS.disk_mb,
        )


class Collect(Table):
    command: str
    service: str = "main"
    timeout_sec: Seconds = 60.0
    user: User | None = None


class Verifier(_Network):
    """[verifier]."""

    timeout_sec: Number = DEFAULT_TIMEOUT_S
    env: Env = {}
    user: User | None = None
    environment_mode: Literal["shared", "separate"] | None = None
    environment: EnvironmentTable | None = None
    collect: list[Collect] = []

    @model_validator(mode="after")
    def _one_mode(self) -> Verifier:
        if self.environment_mode == "shared" and self.environment is not None:
            raise ValueError("environment_mode = 'shared' contradicts [verifier.environment]")
        return self


class Solution(Table):
    """[solution]: variables of the reference."""

    env: Env = {}


def _source(path: str) -> str:
    if not path.startswith("/"):
        raise ValueError(f"an artifact is an absolute path in the box, got {path!r}")
    if "\0" in path or ".." in path.split("/"):
        raise ValueError(f"an artifact path holds no '..', got {path!r}")
    plain = "/" + posixpath.normpath(path).lstrip("/")
    if plain == "/":
        raise ValueError("the artifact '/' holds the verifier's own folders; name the files that are the result")
    for folder in RESERVED:
        if plain == folder or plain.startswith(folder + "/"):
            raise ValueError(f"the artifact {path!r} lies in {folder}, which belongs to the verifier or the system")
    return path


class Artifact(Table):
    """An artifact in the long form; `destination` is where Harbor keeps it on the host."""

    source: Annotated[str, AfterValidator(_source)]
    destination: str | None = None
    exclude: list[str] = []
    service: str | None = None


class Step(Table):
    name: str
    agent: Agent = Agent()
    verifier: Verifier = Verifier()
    min_reward: float | dict[str, float] | None = None
    healthcheck: Healthcheck | None = None
    artifacts: list[Any] = []
