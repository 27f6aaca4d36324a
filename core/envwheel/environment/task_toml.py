"""task.toml as a typed record, and what envwheel reads out of it.

`parse(text)` gives a `TaskConfig` or raises `InvalidTask` with a path in the message. Unknown fields are kept and
listed by `warnings()`. What Harbor knows but we do not run (several steps, Windows, ...) is refused, never ignored.
"""

from __future__ import annotations

import posixpath
import tomllib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from envwheel.environment.invalid import InvalidTask, explain
from envwheel.environment.tables import (
    DEFAULT_TIMEOUT_S,
    Agent,
    Artifact,
    EnvironmentTable,
    Package,
    Solution,
    Step,
    Table,
    Verifier,
)
from envwheel.sandbox.base import BoxLimits

SCHEMA_VERSION = "1.4"
KNOWN_VERSIONS = ("1.0", "1.1", "1.2", "1.3", "1.4")


def _long(item: Any) -> Any:
    return {"source": item} if isinstance(item, str) else item


class TaskConfig(Table):
    """The whole of task.toml."""

    schema_version: str = SCHEMA_VERSION
    source: str | None = None
    task: Package | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    agent: Agent = Agent()
    verifier: Verifier = Verifier()
    environment: EnvironmentTable = EnvironmentTable()
    solution: Solution = Solution()
    artifacts: list[Annotated[Artifact, BeforeValidator(_long)]] = Field(default_factory=list)
    multi_step_reward_strategy: Literal["mean", "final"] | None = None
    steps: list[Step] | None = None

    @model_validator(mode="before")
    @classmethod
    def _old_version(cls, data: Any) -> Any:
        if isinstance(data, dict) and "version" in data:
            data = {"schema_version": data["version"], **data}
            del data["version"]
        return data

    @property
    def own(self) -> Mapping[str, Any]:
        """[metadata.envwheel], empty where it is missing."""
        own = self.metadata.get("envwheel")
        return own if isinstance(own, dict) else {}

    @property
    def limits(self) -> BoxLimits:
        """Limits of a box; processes from [metadata.envwheel]."""
        limits, processes = self.environment.limits, self.own.get("processes")
        if isinstance(processes, int) and not isinstance(processes, bool) and processes > 0:
            return BoxLimits(limits.cpus, limits.memory_mb, limits.disk_mb, processes)
        return limits

    @property
    def verifier_limits(self) -> BoxLimits:
        """Limits of the verifier box: those of [verifier.environment] where it is there."""
        return self.limits if self.verifier.environment is None else self.verifier.environment.limits

    @property
    def agent_user(self) -> str | None:
        """User of the work box; None: the image's own."""
        return None if self.agent.user is None else str(self.agent.user)

    @property
    def verifier_user(self) -> str | None:
        """User of the tests; None: root."""
        return None if self.verifier.user is None else str(self.verifier.user)

    @property
    def agent_timeout_s(self) -> float:
        """Seconds that the solver has."""
        return self.agent.timeout_sec or DEFAULT_TIMEOUT_S

    @property
    def verifier_timeout_s(self) -> float:
        """Seconds that the tests have."""
        return self.verifier.timeout_sec

    @property
    def build_timeout_s(self) -> float:
        """Seconds that an image build has."""
        return self.environment.build_timeout_sec

    @property
    def network_asked(self) -> bool:
        """Network for the work box is written to be wanted; silence means none."""
        mode = self.agent.network_mode
        return bool(self.environment.asks_network) if mode is None else mode != "no-network"

    @property
    def verifier_network_asked(self) -> bool:
        """Network for the tests is written to be wanted: by [verifier], else by the environment they run in."""
        if self.verifier.network_mode is not None:
            return self.verifier.network_mode != "no-network"
        return bool((self.verifier.environment or self.environment).asks_network)

    @property
    def separate(self) -> bool:
        """The tests run in a box of their own that has only the artifacts."""
        return self.verifier.environment_mode == "separate" or self.verifier.environment is not None

    @property
    def artifact_paths(self) -> tuple[str, ...]:
        """Absolute paths that cross over to the verifier box."""
        return tuple("/" + posixpath.normpath(item.source).lstrip("/") for item in self.artifacts)

    @property
    def docker_image(self) -> str | None:
        """A ready image instead of environment/Dockerfile."""
        return self.environment.docker_image

    @property
    def workdir(self) -> str | None:
        """Working directory of the work box; None: the image's own."""
        return self.environment.workdir

    @property
    def env(self) -> Mapping[str, str]:
        """Variables of the work box."""
        return self.environment.env

    @property
    def solution_env(self) -> Mapping[str, str]:
        """Further variables of the reference."""
        return self.solution.env

    @property
    def verifier_env(self) -> Mapping[str, str]:
        """Variables of the tests."""
        around = self.verifier.environment.env if self.verifier.environment else {}
        return {**around, **self.verifier.env}

    def warnings(self) -> tuple[str, ...]:
        """One line for each thing that is odd but not refused: unknown fields, an unknown schema version."""
        lines = [f"task.toml: {path}: unknown field, kept" for path in _unknown(self, "$")]
        if self.schema_version not in KNOWN_VERSIONS:
            lines.append(f"task.toml: $.schema_version: {self.schema_version!r} is not known; read as {SCHEMA_VERSION}")
        if self.separate and not self.artifacts:
            lines.append("task.toml: $.artifacts: empty, so a separate verifier sees nothing of the work")
        return tuple(lines)

    def unsupported(self) -> str | None:
        """The first feature of Harbor that is asked for and not run here, as a sentence; else None."""
        boxes = [("environment", self.environment)]
        if self.verifier.environment is not None:
            boxes.append(("verifier.environment", self.verifier.environment))
        for where, box in boxes:
            asked = {
                "os": box.os == "windows",
                "gpus": bool(box.gpus),
                "tpu": box.tpu is not None,
                "mcp_servers": bool(box.mcp_servers),
                "healthcheck": box.healthcheck is not None,
                "skills_dir": box.skills_dir is not None,
            }
            for field, is_asked in asked.items():
                if is_asked:
                    return f"task.toml: $.{where}.{field} is not supported: {_REASONS[field]}"
        if self.steps:
            return "task.toml: $.steps is not supported: environments of several steps are not run"
        if self.verifier.environment and self.verifier.environment.docker_image:
            return "task.toml: $.verifier.environment.docker_image is not supported: write FROM it in tests/Dockerfile"
        if self.verifier.collect:
            return "task.toml: $.verifier.collect is not supported: no commands run between the work and the tests"
        for index, item in enumerate(self.artifacts):
            if item.service not in (None, "main"):
                return f"task.toml: $.artifacts[{index}].service is not supported: there is one box, 'main'"
            if item.exclude:
                return f"task.toml: $.artifacts[{index}].exclude is not supported: name the wanted paths instead"
        return None


_REASONS = {
    "os": "only Linux boxes are run",
    "gpus": "boxes have no GPU",
    "tpu": "boxes have no TPU",
    "mcp_servers": "the solver has a terminal and no MCP servers",
    "healthcheck": "boxes are not probed before the work starts",
    "skills_dir": "the solver reads no skills folder",
}


def parse(text: str) -> TaskConfig:
    """`text` as a `TaskConfig`. Raises InvalidTask with code `schema`, also for what is not supported."""
    try:
        config = TaskConfig.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InvalidTask("schema", f"task.toml: not valid TOML: {error}") from None
    except RecursionError:
        raise InvalidTask("schema", "task.toml: nested too deeply") from None
    except ValidationError as error:
        raise InvalidTask("schema", explain("task.toml", error)) from None
    if (sentence := config.unsupported()) is not None:
        raise InvalidTask("schema", sentence)
    return config


def _unknown(table: Table, path: str) -> Iterator[str]:
    for name in table.model_extra or ():
        yield f"{path}.{name}"
    for name in type(table).model_fields:
        value = getattr(table, name)
        for suffix, item in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(item, Table):
                yield from _unknown(item, f"{path}.{name}" + ("" if suffix is None else f"[{suffix}]"))
