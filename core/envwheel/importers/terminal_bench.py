"""Terminal-Bench's older tasks (task.yaml) -> Harbor folders in shared mode.

    imported = convert(Path("tasks/fix-git"), Path("out"))       # out/fix-git; raises Refused
    imported.notes                                               # what has no place in a Harbor folder

The reward is what Terminal-Bench's harness read from the output of pytest: 1 when the summary has a passed test and
none that failed. `solution.sh`, or the commands of `solution.yaml`, become solution/solve.sh.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from envwheel.environment import toml
from envwheel.environment.draft import NAME
from envwheel.environment.folder import read
from envwheel.environment.invalid import InvalidTask
from envwheel.errors import SetupError, UsageError
from envwheel.importers import compose
from envwheel.importers.compose import Facts, Refused
from envwheel.sandbox.dockerfile import instructions

AGENT_S, TESTS_S = 360.0, 60.0
"""Terminal-Bench's own limits where task.yaml is silent."""
COMPOSE = ("docker-compose.yaml", "docker-compose.yml")
OWN = frozenset({"task.yaml", "tests", "run-tests.sh", "solution.sh", "solution.yaml", *COMPOSE})
"""What is no part of the build context: the solver must not see it."""
METADATA = ("difficulty", "category", "tags", "expert_time_estimate_min", "junior_time_estimate_min")
DECIDING = ("instruction", "descriptions", "max_agent_timeout_sec", "max_test_timeout_sec", "parser_name")
AUTHOR = ("author_name", "author_email")
MOST_VALUES = 10_000
"""A few lines of YAML can stand for billions of values, or for one that holds itself."""
TEST_SH = """\
#!/bin/bash
# Written by `envwheel import`: Terminal-Bench's run-tests.sh, and what its harness read from the output of pytest.
export TEST_DIR=/tests
mkdir -p /logs/verifier
output=$(mktemp)
bash /tests/run-tests.sh 2>&1 | tee "$output"
reward=$(sed 's/\\x1b\\[[0-9;]*m//g' "$output" | awk '
  index($0, "short test summary info") { summary = 1 }
  summary && $1 == "PASSED" { passed = 1 }
  summary && ($1 == "FAILED" || $1 == "ERROR" || $1 == "XPASS") { failed = 1 }
  END { print (passed && !failed) ? 1 : 0 }')
echo "$reward" > /logs/verifier/reward.txt
"""


@dataclass(frozen=True, slots=True)
class Imported:
    """A task that was converted."""

    path: Path
    notes: tuple[str, ...]


def find(path: Path) -> list[Path]:
    """The folder itself when it has a task.yaml, else its direct sub-folders that have one. Raises UsageError."""
    if (path / "task.yaml").is_file():
        return [path]
    below = sorted(child for child in path.iterdir() if (child / "task.yaml").is_file()) if path.is_dir() else []
    if not below:
        raise UsageError(f"{path} holds no task of Terminal-Bench: neither it nor a folder in it has a task.yaml.")
    return below


def convert(source: Path, out: Path) -> Imported:
    """Write the Harbor folder `out`/NAME, at once or not at all. Raises Refused."""
    name = source.resolve().name
    if not NAME.fullmatch(name):
        raise Refused(f"the folder's name {name!r} is none for an environment: letters, digits, '.', '_' and '-'")
    target = out / name
    if os.path.lexists(target):
        raise Refused(f"{target} is there already, and nothing is overwritten")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix=f".{name[:50]}-") as beside:
        made = Path(beside) / name
        notes = _write(source, made)
        try:
            read(made, need_solution=False)
        except InvalidTask as invalid:
            raise Refused(f"the result is no environment: {invalid}") from None
        os.rename(made, target)
    return Imported(target, tuple(notes))


def _write(source: Path, made: Path) -> list[str]:
    task = _yaml(source / "task.yaml")
    if not isinstance(task, dict):
        raise Refused("task.yaml is no table")
    facts = _facts(source)
    instruction, notes = _instruction(task)
    _refuse(task)
    made.mkdir()
    (made / "instruction.md").write_text(instruction.strip() + "\n", "utf-8", "replace")
    _tests(source, made / "tests")
    solved = _solution(source, made / "solution")
    notes += facts.notes + _environment(source, made / "environment", facts)
    notes += [] if solved else ["there is no solution.sh or solution.yaml: check it with --no-solution"]
    table, more = _task_toml(made.name, task, facts)
    try:
        (made / "task.toml").write_text(toml.dumps(table), "utf-8")
    except ValueError as error:
        raise Refused(f"task.yaml: {error}") from None
    return notes + more


def _facts(source: Path) -> Facts:
    found = next((source / name for name in COMPOSE if (source / name).is_file()), None)
    return compose.read(_yaml(found)) if found else Facts()


def _instruction(task: Mapping[str, Any]) -> tuple[str, list[str]]:
    if isinstance(text := task.get("instruction"), str) and text.strip():
        return text, []
    told = [one for one in task.get("descriptions") or () if isinstance(one, dict)]
    base = next((one for one in told if one.get("key") == "base"), told[0] if told else {})
    if not isinstance(text := base.get("description"), str) or not text.strip():
        raise Refused("task.yaml has no instruction")
    return text, [f"task.yaml: the description {one.get('key')!r} has no place" for one in told if one is not base]


def _refuse(task: Mapping[str, Any]) -> None:
    if (parser := task.get("parser_name") or "pytest") != "pytest":
        raise Refused(f"task.yaml: parser_name {parser!r}: only the output of pytest is understood")
    if task.get("run_tests_in_same_shell"):
        raise Refused("task.yaml: run_tests_in_same_shell: tests do not run in the solver's shell")


def _tests(source: Path, target: Path) -> None:
    if not (source / "run-tests.sh").is_file():
        raise Refused("run-tests.sh is missing")
    if (source / "tests").is_dir():
        _copy(source / "tests", target)
    target.mkdir(exist_ok=True)
    for name in ("test.sh", "run-tests.sh", "Dockerfile"):
        if (target / name).exists():
            raise Refused(f"tests/{name} is there, and Harbor has another meaning for it")
    shutil.copy(source / "run-tests.sh", target / "run-tests.sh")
    (target / "test.sh").write_text(TEST_SH, "utf-8")


def _solution(source: Path, target: Path) -> bool:
    script, typed = source / "solution.sh", source / "solution.yaml"
    if script.is_file():
        text = script.read_text("utf-8", "surrogateescape")
    elif typed.is_file():
        text = _commands(_yaml(typed))
    else:
        return False
    target.mkdir()
    text = text if text.startswith("#!") else f"#!/bin/bash\n{text}"
    (target / "solve.sh").write_text(text, "utf-8", "surrogateescape")
    return True


def _commands(steps: Any) -> str:
    """The commands of solution.yaml as a script. Raises Refused for keys that a script cannot press."""
    if not isinstance(steps, list) or not all(isinstance(step, dict) and "command" in step for step in steps):
        raise Refused("solution.yaml is no list of commands")
    for number, step in enumerate(steps, 1):
        if step.get("append_enter") is False or step.get("block") is False:
            raise Refused(f"solution.yaml: command {number} is typed into a running program; a script cannot do that")
    return "\n".join(str(step["command"]) for step in steps) + "\n"


def _environment(source: Path, target: Path, facts: Facts) -> list[str]:
    """The build context without what is hidden from the solver; what that changes."""
    context = source / facts.context
    if not context.resolve().is_relative_to(source.resolve()):
        raise Refused(f"docker-compose.yaml: the build context {facts.context} is outside of the task's folder")
    dockerfile = context / facts.dockerfile
    if not dockerfile.is_file():
        if facts.image:
            target.mkdir()
            return []
        raise Refused(f"{Path(facts.context, facts.dockerfile)} is missing")
    text = dockerfile.read_text("utf-8", "replace")
    top = context.resolve() == source.resolve()
    hidden = OWN if top else frozenset()
    for item in instructions(text):
        sources = _copied(item.text) if item.word in ("COPY", "ADD") else []
        if named := next((name for name in sources if name.split("/")[0] in hidden), None):
            raise Refused(f"the Dockerfile brings {named} into the solver's image: take that out first")
    _copy(context, target, hidden)
    if facts.dockerfile != "Dockerfile":
        (target / "Dockerfile").write_text(text, "utf-8")
    whole = top and re.search(r"^\s*(COPY|ADD)\s.*?(\s|\")\./?[\s\"]", text, re.MULTILINE)
    return ["the Dockerfile copies the whole folder, in which tests and solution no longer are"] if whole else []


def _copied(instruction: str) -> list[str]:
    if "--from=" in instruction:
        return []
    words = re.findall(r"[^\s\[\]\",]+", instruction)[1:]
    return [os.path.normpath(word).lstrip("/") for word in words if not word.startswith("--")][:-1]


def _task_toml(name: str, task: Mapping[str, Any], facts: Facts) -> tuple[dict[str, Any], list[str]]:
    """The table, and notes of what it has no place for. All that decides nothing is kept under [metadata]."""
    kept = {key: _data(task[key]) for key in METADATA if task.get(key) not in (None, "", [])}
    other = {str(key): _data(value) for key, value in task.items() if key not in (*METADATA, *DECIDING, *AUTHOR)}
    other = {key: value for key, value in other.items() if value not in (None, False, "", [])}
    author = {"name": str(task.get("author_name") or ""), "email": str(task.get("author_email") or "")}
    author = {key: value for key, value in author.items() if value and value != "anonymous"}
    about: dict[str, Any] = {"name": f"terminal-bench/{name}"}
    about |= {"authors": [author]} if "name" in author else {}
    agent = {"timeout_sec": _seconds(task, "max_agent_timeout_sec", AGENT_S)}
    table = {
        "schema_version": "1.4",
        "task": about,
        "metadata": kept | ({"terminal_bench": other} if other else {}),
        "agent": agent | ({"user": facts.user} if facts.user else {}),
        "verifier": {
            "timeout_sec": _seconds(task, "max_test_timeout_sec", TESTS_S),
            "environment_mode": "shared",
        },
        # There Terminal-Bench has network; here silence means none.
        "environment": ({} if facts.offline else {"network_mode": "public"})
        | ({"docker_image": facts.image} if facts.image else {})
        | facts.environment,
    }
    notes = [f"task.yaml: {key} has no effect; it is kept in metadata.terminal_bench" for key in other]
    if "email" in author and "name" not in author:
        notes.append(f"task.yaml: author_email {author['email']} has no place without a name")
    return table, notes


def _seconds(task: Mapping[str, Any], key: str, default: float) -> float:
    value = task.get(key)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise Refused(f"task.yaml: {key} is no number of seconds: {value!r}")
    return float(value)


def _data(value: Any) -> Any:
    """As TOML can say it: nothing is left out, what has no form of its own becomes text."""
    if isinstance(value, list):
        return [_data(item) for item in value if item is not None]
    if isinstance(value, dict):
        return {str(key): _data(item) for key, item in value.items() if item is not None}
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def _copy(source: Path, target: Path, hidden: Iterable[str] = ()) -> None:
    """Copy a folder, links as they are; `hidden` names are left out at its top. Raises Refused for devices."""

    def ignore(folder: str, names: list[str]) -> set[str]:
        for name in names:
            path = Path(folder, name)
            if not (path.is_symlink() or path.is_file() or path.is_dir()):
                raise Refused(f"{path.relative_to(source)} is neither a file, a folder nor a link")
        return set(hidden) & set(names) if Path(folder) == source else set()

    shutil.copytree(source, target, symlinks=True, ignore=ignore)


def _yaml(path: Path) -> Any:
    try:
        import yaml
    except ImportError:
        raise SetupError("task.yaml is read by PyYAML, which is not there: pip install 'envwheel[import]'.") from None
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise Refused(f"{path.name} is not YAML: {' '.join(str(error).split())[:200]}") from None
    if not _is_small(data):
        raise Refused(f"{path.name} unfolds to more than {MOST_VALUES} values")
    return data


def _is_small(data: Any) -> bool:
    """Whether the data has few values when what stands in several places is counted each time."""
    left, count = [data], 0
    while left:
        one = left.pop()
        count += 1
        if count > MOST_VALUES:
            return False
        if isinstance(one, dict):
            left += [*one, *one.values()]
        elif isinstance(one, list | tuple | set):
            left += one
    return True
