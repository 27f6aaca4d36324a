"""From a draft to a folder: complete, readable, and all at once or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from envwheel import api
from envwheel.environment import draft as drafts
from envwheel.environment.folder import InvalidTask, read

DRAFT = api.Draft(
    name="tiny-1",
    instruction="Do it.\n\nReally.",
    files={"data/in.bin": b"\0\1", "run.sh": "#!/bin/sh\ntrue\n"},
    solution={"solve.sh": "#!/bin/bash\ntrue\n", "alternatives/other.sh": "true\n"},
    tests={"check.py": "import sys\n", "data/x.json": "{}"},
    artifacts=("/app/out",),
    image="envwheel/base:bookworm",
    limits=api.Limits(cpus=0.5, memory_mb=300, disk_mb=700, processes=99, agent_timeout_s=50, verifier_timeout_s=40),
    skills=("git",),
    level=3,
    params={"family": "f", "seed": 7, "nested": {"a": [1, 2.5, "x"]}},
)


def write(draft: api.Draft, target: Path, kit: tuple[api.KitFile, ...] = ()) -> Path:
    return drafts.write(draft, target, domains=["swe"], kit=kit, proposer="procedural", extra={"family": "f"})


def test_a_draft_becomes_a_folder_that_reads_back(tmp_path: Path) -> None:
    source = tmp_path / "helper.py"
    source.write_text("X = 1\n")
    task = read(write(DRAFT, tmp_path / "out" / "tiny-1", (api.KitFile(source, "sub/helper.py"),)))
    assert task.warnings == ()
    assert task.environment.instruction == "Do it.\n\nReally.\n"
    assert (task.environment.domains, task.environment.skills, task.environment.level) == (("swe",), ("git",), 3)
    assert task.environment.params == DRAFT.params
    limits = task.config.limits
    assert (limits.cpus, limits.memory_mb, limits.disk_mb, limits.processes) == (0.5, 300, 700, 99)
    assert (task.config.agent_timeout_s, task.config.verifier_timeout_s) == (50.0, 40.0)
    assert (task.config.agent_user, task.config.separate, task.config.network_asked) == ("agent", True, False)
    assert task.environment.task["metadata"]["envwheel"]["proposer"] == "procedural"
    assert [id for id, _ in task.alternatives] == ["other"]
    names = {path.relative_to(task.path).as_posix() for path in task.path.rglob("*") if path.is_file()}
    assert names == {
        "task.toml",
        "instruction.md",
        "environment/Dockerfile",
        "environment/app/data/in.bin",
        "environment/app/run.sh",
        "solution/solve.sh",
        "solution/alternatives/other.sh",
        "tests/Dockerfile",
        "tests/test.sh",
        "tests/check.py",
        "tests/data/x.json",
        "tests/kit/grade.py",
        "tests/kit/grade_files.py",
        "tests/kit/grade_reap.py",
        "tests/kit/grade_run.py",
        "tests/kit/sub/helper.py",
    }


def test_text_with_a_shebang_is_executable(tmp_path: Path) -> None:
    folder = write(DRAFT, tmp_path / "t")
    assert (folder / "environment/app/run.sh").stat().st_mode & 0o777 == 0o755
    assert (folder / "environment/app/data/in.bin").stat().st_mode & 0o777 == 0o644
    assert (folder / "tests/test.sh").stat().st_mode & 0o777 == 0o755


def test_the_dockerfiles(tmp_path: Path) -> None:
    folder = write(replace(DRAFT, setup="touch /app/x\n", verifier_image="v:1"), tmp_path / "t")
    assert (folder / "environment/Dockerfile").read_text() == (
        "FROM envwheel/base:bookworm\nWORKDIR /app\nCOPY --chown=agent:agent app/ /app/\nCOPY setup.sh /tmp/setup.sh\n"
        "RUN bash /tmp/setup.sh && rm /tmp/setup.sh && chown -Rh agent:agent /app\n"
    )
    assert (folder / "environment/setup.sh").read_text() == "touch /app/x\n"
    assert (folder / "tests/Dockerfile").read_text() == "FROM v:1\nWORKDIR /app\nCOPY . /tests/\n"
    bare = write(replace(DRAFT, files={}), tmp_path / "bare")
    assert (bare / "environment/Dockerfile").read_text() == "FROM envwheel/base:bookworm\nWORKDIR /app\n"


def test_a_kit_that_is_a_package_is_compiled_once(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    source.write_text("X = 1\n")
    for target, compiled in (("mykit/__init__.py", True), ("mykit.py", False), ("data/a/__init__.py", False)):
        folder = write(DRAFT, tmp_path / target.replace("/", "-"), (api.KitFile(source, target),))
        assert ("compileall" in (folder / "tests/Dockerfile").read_text()) == compiled


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "a//b", "./a", "a/", "", "a\\b", "a\0b"])
@pytest.mark.parametrize("where", ["files", "solution", "tests"])
def test_a_path_that_leaves_its_folder_is_refused_and_nothing_is_written(tmp_path: Path, where: str, name: str) -> None:
    bad = replace(DRAFT, **{where: {**getattr(DRAFT, where), name: "x"}})
    with pytest.raises(InvalidTask) as caught:
        write(bad, tmp_path / "t")
    assert caught.value.code == "unsafe_path"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "a/b"}, "draft name 'a/b'"),
        ({"solution": {}}, "solve.sh is missing"),
        ({"tests": {}}, "check.py is missing"),
        ({"artifacts": ("/etc/x",)}, "artifact '/etc/x' is not under /app"),
        ({"artifacts": ()}, "without artifacts nothing can be graded"),
        ({"artifacts": ("/app/a/b", "/app/a")}, "artifacts '/app/a/b' and '/app/a' overlap"),
        ({"artifacts": ("/app/a", "/app/a")}, "overlap"),
        ({"image": "x\nRUN evil"}, "is no image name"),
        ({"params": {"a": None}}, "metadata.envwheel.params.a: TOML has no NoneType"),
        ({"instruction": "\ud800"}, "is no text"),
    ],
)
def test_a_draft_that_cannot_be_a_task_is_refused(tmp_path: Path, change: dict, message: str) -> None:
    with pytest.raises(InvalidTask) as caught:
        write(replace(DRAFT, **change), tmp_path / "t")
    assert message in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_also_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidTask, match="both a file and a folder"):
        write(replace(DRAFT, files={"a": "x", "a/b": "y"}), tmp_path / "t")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    with pytest.raises(FileExistsError):
        write(DRAFT, tmp_path / "t")
    assert list((tmp_path / "t").iterdir()) == []


def test_equal_drafts_give_equal_folders(tmp_path: Path) -> None:
    first, second = read(write(DRAFT, tmp_path / "a")), read(write(DRAFT, tmp_path / "b"))
    assert first.tree_sha256 == second.tree_sha256
