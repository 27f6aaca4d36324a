"""What an environment needs that an engine may lack here, and the refusal in one line.

`refuse(engine, task)` raises `HostLacks`, which makes a verdict or a trial `infra`: the environment is not at fault.
A task needs `users` when somebody in it is not root: the agent, the tests, the image's USER, or whom its scripts name
(they run a candidate's programs as `nobody`, or ask who owns a file). Limits that a task.toml declares are what a box
may use at most, so that their lack costs only the trial with half of them; a task that cannot be judged without says
`needs = ["limits"]` under [metadata.envwheel].
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from envwheel.environment.folder import TaskFolder
from envwheel.errors import HostLacks
from envwheel.sandbox.base import Engine
from envwheel.sandbox.namespace.network import LACK as NO_NETWORK
from envwheel.sandbox.userns import MEND

ROOT = ("", "root", "0", "0:0", "root:root")
OTHERS = re.compile(r"(?i)\b(?:nobody|set(?:re|res|e)?[ug]id|setpriv|runuser|chown|useradd|st_uid|su)\b")
"""Words of a script that has to do with other users."""
SCRIPTS = ("tests/**/*.py", "tests/**/*.sh", "solution/**/*.sh", "solution/**/*.py")
LONGEST = 1 << 20
MENDS = {
    "users": f"other users than root in a box. {MEND}",
    "limits": "limits on memory and processes that hold. Run envwheel as root where control groups can be made.",
    "network": f"a network. {NO_NETWORK}",
}


def refuse(engine: Engine, task: TaskFolder, image_user: str = "") -> None:
    """Raise HostLacks when `task` needs what `engine` lacks. `image_user`: the USER of its image, once known."""
    for lack, why in _needs(task, image_user, engine.lacks):
        raise HostLacks(f"{task.path.name} cannot be judged here: {why}, and this engine lacks {MENDS[lack]}")


def _needs(task: TaskFolder, image_user: str, lacks: frozenset[str]) -> Iterator[tuple[str, str]]:
    config = task.config
    declared = config.own.get("needs")
    for lack in sorted(lacks & MENDS.keys()):
        if isinstance(declared, list) and lack in declared:
            yield lack, f"its task.toml says that it needs {lack}"
    if "network" in lacks and (config.network_asked or config.verifier_network_asked):
        yield "network", "its task.toml asks for a network"
    if "users" not in lacks:
        return
    users = {"[agent] user": config.agent_user, "[verifier] user": config.verifier_user}
    users["USER of its image"] = image_user if config.agent_user is None else None
    for where, user in users.items():
        if (user or "") not in ROOT:
            yield "users", f"{where} is {user}"
    yield from (("users", f"{name} has to do with the user '{word}'") for name, word in _named(task))


def _named(task: TaskFolder) -> Iterator[tuple[str, str]]:
    for pattern in SCRIPTS:
        for path in sorted(task.path.glob(pattern)):
            if path.is_file() and path.stat().st_size <= LONGEST:
                found = OTHERS.search(path.read_text("utf-8", "replace"))
                if found:
                    yield str(path.relative_to(task.path)), found[0]
