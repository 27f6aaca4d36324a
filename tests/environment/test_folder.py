"""Reading environment folders: every rule of the gate's `schema` and `unsafe_path` rows."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from folders import TASK, make

from envwheel.environment.folder import InvalidTask, find, read
from envwheel.errors import UsageError


def refused(folder: Path, code: str, **options: bool) -> str:
    with pytest.raises(InvalidTask) as caught:
        read(folder, **options)
    assert caught.value.code == code
    return str(caught.value)


def test_a_good_folder_is_read(tmp_path: Path) -> None:
    task = read(make(tmp_path / "good", {"solution/alternatives/other.sh": "true\n"}))
    assert task.name == "good"
    assert task.environment.name == "good"
    assert task.environment.artifacts == ("/app/out.txt",)
    assert task.work_context == tmp_path / "good" / "environment"
    assert task.verifier_context == tmp_path / "good" / "tests"
    assert task.solution == tmp_path / "good" / "solution" / "solve.sh"
    assert task.alternatives == (("other", tmp_path / "good" / "solution" / "alternatives" / "other.sh"),)
    assert task.warnings == ()
    assert len(task.tree_sha256) == 64


def test_own_metadata_becomes_the_environment_s_fields(tmp_path: Path) -> None:
    own = '\n[metadata.envwheel]\ndomains = ["swe"]\nskills = ["git"]\nlevel = 2\nparams = {seed = 3}\n'
    environment = read(make(tmp_path / "e", {"task.toml": TASK + own})).environment
    assert (environment.domains, environment.skills, environment.level) == (("swe",), ("git",), 2)
    assert environment.params == {"seed": 3}
    wrong = '\n[metadata.envwheel]\ndomains = "swe"\nlevel = true\nparams = 1\n'
    environment = read(make(tmp_path / "w", {"task.toml": TASK + wrong})).environment
    assert (environment.domains, environment.level, environment.params) == ((), None, {})


@pytest.mark.parametrize(
    "name", ["task.toml", "instruction.md", "environment/Dockerfile", "tests/test.sh", "solution/solve.sh"]
)
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    assert f"{name} is missing" in refused(make(tmp_path / "t", {name: None}), "schema")


def test_a_solution_under_another_name_is_pointed_at(tmp_path: Path) -> None:
    folder = make(tmp_path / "t", {"solution/solve.sh": None, "solution/solution.sh": "true\n"})
    assert refused(folder, "schema") == "solution/solve.sh is missing; solution/ has solution.sh"
    assert read(folder, need_solution=False).solution is None


def test_a_ready_image_needs_no_dockerfile(tmp_path: Path) -> None:
    toml = TASK + '\n[environment]\ndocker_image = "some:image"\n'
    task = read(make(tmp_path / "t", {"environment/Dockerfile": None, "task.toml": toml}))
    assert (task.work_context, task.config.docker_image) == (None, "some:image")


@pytest.mark.parametrize("text", ["", " \n\t\n", "<!-- some canary 1234 -->\n# another CANARY\n\n"])
def test_an_empty_instruction_is_refused(tmp_path: Path, text: str) -> None:
    assert refused(make(tmp_path / "t", {"instruction.md": text}), "schema") == "instruction.md is empty"


def test_canary_lines_are_not_shown_to_the_solver(tmp_path: Path) -> None:
    folder = make(tmp_path / "t", {"instruction.md": "<!-- harbor-canary GUID 1 -->\n\nDo it.\n# canary later\n"})
    assert read(folder).environment.instruction == "Do it.\n# canary later\n"


@pytest.mark.parametrize("name", ["task.toml", "instruction.md"])
def test_text_that_is_no_utf8_is_refused(tmp_path: Path, name: str) -> None:
    folder = make(tmp_path / "t")
    (folder / name).write_bytes(b"\xff\xfe")
    assert f"{name} is not UTF-8 text" in refused(folder, "schema")


@pytest.mark.parametrize(
    "name", ["environment/docker-compose.yaml", "tests/docker-compose.yaml", "trajectory.json", "tests/.harborignore"]
)
def test_files_of_features_that_are_not_run_are_refused(tmp_path: Path, name: str) -> None:
    assert f"{name} is not supported" in refused(make(tmp_path / "t", {name: "x\n"}), "schema")


@pytest.mark.parametrize(
    "target", ["/etc/passwd", "../../../outside", "../..", "../environment/../../x", "loop/../../../x"]
)
def test_a_link_that_leaves_the_folder_is_unsafe(tmp_path: Path, target: str) -> None:
    folder = make(tmp_path / "t")
    (folder / "environment" / "link").symlink_to(target)
    assert "environment/link is a link that leaves the folder" in refused(folder, "unsafe_path")


def test_a_link_that_leaves_through_another_link_is_unsafe(tmp_path: Path) -> None:
    folder = make(tmp_path / "t", {"environment/deep/er/file": "x"})
    (folder / "environment" / "a").symlink_to("deep/er")
    (folder / "tests" / "b").symlink_to("../environment/a/../../../../t2")
    assert "leaves the folder" in refused(folder, "unsafe_path")


def test_a_link_within_the_folder_is_fine_and_not_followed(tmp_path: Path) -> None:
    folder = make(tmp_path / "t")
    (folder / "environment" / "again").symlink_to("input.txt")
    (folder / "environment" / "around").symlink_to("../environment")
    assert read(folder).name == "t"


def test_task_toml_as_a_link_to_a_secret_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("password = 1\n")
    folder = make(tmp_path / "t", {"task.toml": None})
    (folder / "task.toml").symlink_to("../secret")
    assert "password" not in refused(folder, "unsafe_path")


def test_fifos_and_sockets_are_unsafe(tmp_path: Path) -> None:
    folder = make(tmp_path / "fifo")
    os.mkfifo(folder / "tests" / "pipe")
    assert "tests/pipe is neither a file, a folder nor a link" in refused(folder, "unsafe_path")
    folder = make(tmp_path / "sock")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "s"))
        refused(folder, "unsafe_path")


def test_a_file_over_ten_mib_is_unsafe(tmp_path: Path) -> None:
    folder = make(tmp_path / "t")
    with (folder / "environment" / "big").open("wb") as file:
        file.truncate(10 << 20)
    assert read(folder).name == "t"
    with (folder / "environment" / "big").open("wb") as file:
        file.truncate((10 << 20) + 1)
    assert "environment/big has 10.0 MiB" in refused(folder, "unsafe_path")


def test_find_takes_folders_pools_and_says_when_there_is_nothing(tmp_path: Path) -> None:
    pool = tmp_path / "pool"
    one, two = make(pool / "one"), make(pool / "two", {"task.toml": None})
    make(pool / ".hidden")
    (pool / "notes").mkdir()
    assert find([pool]) == [one, two]
    assert find([one, pool]) == [one, two]
    assert find([two]) == [two]
    with pytest.raises(UsageError, match="holds no environment"):
        find([pool / "notes"])
    with pytest.raises(UsageError, match="There is no folder"):
        find([tmp_path / "absent"])
