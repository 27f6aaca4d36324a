"""docker-compose.yaml with one service -> what task.toml can say of it; the rest is refused or told.

facts = read(data)      # raises Refused; facts.environment goes into [environment], facts.notes have no place
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

HARNESS = "T_BENCH_"
"""Variables with this in their name are Terminal-Bench's own: names, log folders, the tests' folder."""
_WAITS = r"sleep\W+(infinity|\d+)|tail\W+-f\W+/dev/null|(/bin/)?bash"
IDLE = re.compile(rf"^\W*(?:(?:/bin/)?(?:ba)?sh\W+-l?c\W+)?({_WAITS})\W*$")
"""A command that only keeps the container alive."""
NO_EFFECT = frozenset({"container_name", "init", "tty", "stdin_open", "hostname"})
"""What any box has or may have otherwise: not worth a word."""
REASONS = {
    "entrypoint": "a box starts no program of its own",
    "privileged": "a box has no more rights than others",
    "cap_add": "a box has no more rights than others",
    "devices": "a box has no devices",
    "gpus": "boxes have no GPU",
    "secrets": "the solver gets no secrets",
    "env_file": "variables stand in task.toml; put them under `environment`",
    "extends": "the file is not complete",
    "network": "an unknown network",
}


class Refused(Exception):
    """What cannot be converted, as a sentence."""


@dataclass(slots=True)
class Facts:
    """What a service says. `context` and `dockerfile` are relative to the task's folder; `image` without a build."""

    context: str = "."
    dockerfile: str = "Dockerfile"
    image: str = ""
    user: str = ""
    offline: bool = False
    environment: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read(data: Any) -> Facts:
    """The facts of a parsed docker-compose file. Raises Refused."""
    services = data.get("services") if isinstance(data, dict) else None
    if not isinstance(services, dict) or not services:
        raise Refused("docker-compose.yaml has no services")
    if len(services) > 1:
        names = ", ".join(map(str, services))
        raise Refused(f"docker-compose.yaml has {len(services)} services ({names}); an environment is one box")
    (service,) = services.values()
    if not isinstance(service, dict):
        raise Refused("docker-compose.yaml: the service is no table")
    facts = Facts()
    for key, value in service.items():
        _take(facts, str(key), value)
    facts.notes += [
        f"docker-compose.yaml: {key} has no place" for key in data if key not in ("services", "version", "name")
    ]
    return facts


def _take(facts: Facts, key: str, value: Any) -> None:
    known = {
        "build": _build,
        "image": _image,
        "command": _command,
        "environment": _variables,
        "volumes": _volumes,
        "deploy": _deploy,
        "network_mode": _network,
    }
    if key in known:
        known[key](facts, value)
    elif key in REASONS:
        raise Refused(f"docker-compose.yaml: {key} is not supported: {REASONS[key]}")
    elif key in ("cpus", "mem_limit"):
        _limits(facts, {"cpus": value} if key == "cpus" else {"memory": value})
    elif key == "working_dir":
        facts.environment["workdir"] = str(value)
    elif key == "user":
        facts.user = str(value)
    elif key not in NO_EFFECT:
        facts.notes.append(f"docker-compose.yaml: {key} has no place: {_short(value)}")


def _build(facts: Facts, value: Any) -> None:
    if isinstance(value, str):
        facts.context = value
        return
    if not isinstance(value, dict):
        raise Refused("docker-compose.yaml: build is neither a path nor a table")
    if other := sorted(set(map(str, value)) - {"context", "dockerfile"}):
        raise Refused(f"docker-compose.yaml: build.{other[0]} is not supported; write it into the Dockerfile")
    facts.context = str(value.get("context", "."))
    facts.dockerfile = str(value.get("dockerfile", "Dockerfile"))


def _image(facts: Facts, value: Any) -> None:
    if HARNESS not in str(value):
        facts.image = str(value)


def _command(facts: Facts, value: Any) -> None:
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    if not IDLE.match(text):
        raise Refused(f"docker-compose.yaml: the command `{_short(text)}` is not run: a box starts nothing by itself")


def _variables(facts: Facts, value: Any) -> None:
    pairs = value if isinstance(value, dict) else dict(str(item).partition("=")[::2] for item in value or ())
    env = {}
    for name, text in pairs.items():
        if HARNESS in f"{name}{text}" or name == "TEST_DIR":
            continue
        if "${" in str(text) and ":-" not in str(text):
            raise Refused(f"docker-compose.yaml: environment.{name} reads a variable of the host ({text})")
        env[str(name)] = _plain(text)
    if env:
        facts.environment["env"] = env


def _volumes(facts: Facts, value: Any) -> None:
    for item in value or ():
        if HARNESS not in str(item):
            raise Refused(f"docker-compose.yaml: the volume {_short(item)} is not mounted: COPY it in the Dockerfile")


def _deploy(facts: Facts, value: Any) -> None:
    resources = value.get("resources", {}) if isinstance(value, dict) else {}
    if isinstance(resources, dict):
        if "devices" in str(resources.get("reservations")):
            raise Refused("docker-compose.yaml: deploy.resources.reservations.devices is not supported: no GPU")
        _limits(facts, resources.get("limits") or {})


def _limits(facts: Facts, limits: Mapping[str, Any]) -> None:
    if (cpus := limits.get("cpus")) is not None:
        try:
            facts.environment["cpus"] = max(1, -int(-float(cpus) // 1))
        except ValueError:
            facts.notes.append(f"docker-compose.yaml: cpus is not understood: {_short(cpus)}")
    if (memory := limits.get("memory")) is not None:
        match = re.fullmatch(r"(?i)([\d.]+)\s*([gm])i?b?", str(memory))
        if match:
            facts.environment["memory_mb"] = int(float(match[1]) * (1024 if match[2].lower() == "g" else 1))
        else:
            facts.notes.append(f"docker-compose.yaml: memory is not understood: {_short(memory)}")


def _network(facts: Facts, value: Any) -> None:
    if value == "none":
        facts.offline = True
    elif value not in ("bridge", "default"):
        raise Refused(f"docker-compose.yaml: network_mode {_short(value)} is not supported: none, or the bridge")


def _plain(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else text[:57] + "..."
