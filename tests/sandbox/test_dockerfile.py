"""FROM resolution, labels on every stage, refusals, contexts."""

from __future__ import annotations

import os
import tarfile
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envwheel.errors import BuildFailed, UsageError
from envwheel.sandbox.aliases import normalised
from envwheel.sandbox.context import dockerfile_text, pack_context, refuse_bombs
from envwheel.sandbox.dockerfile import expanded, instructions, prepare
from envwheel.sandbox.images import BASE, PYTHON, well_known

LABELS = {"k": "v"}


def resolve(reference: str) -> str:
    return f"id-of-{reference}"


def test_every_stage_is_resolved_and_labelled():
    text, bases = prepare(
        "# syntax=docker/dockerfile:1\nARG V=12\nFROM --platform=linux/amd64 debian:${V} AS Build\nRUN a \\\n  b\n"
        "from build\nFROM ubuntu:24.04 as last\nCOPY --from=0 /x /y\n",
        resolve,
        LABELS,
    )
    assert text == (
        '# escape=\\\nARG V=12\nFROM id-of-debian:12 AS build\nLABEL k="v"\nRUN a \\\n  b\n'
        'FROM build AS stage-1\nLABEL k="v"\nFROM id-of-ubuntu:24.04 AS last\nLABEL k="v"\nCOPY --from=0 /x /y\n'
    )
    assert bases == ("id-of-debian:12", "id-of-ubuntu:24.04")


def test_what_an_engine_has_no_use_for_is_left_out():
    text, _ = prepare('FROM a\nCMD ["x", \\\n "y"]\nENV A=b\nexpose 80\n', resolve, LABELS, unused=("CMD", "EXPOSE"))
    assert text == '# escape=\\\nFROM id-of-a AS stage-0\nLABEL k="v"\nENV A=b\n'


def test_scratch_and_another_escape():
    text, bases = prepare("# escape=`\nFROM scratch\nRUN a `\n b\\\nRUN c\n", resolve, {})
    assert text.startswith("# escape=`\nFROM scratch AS stage-0")
    assert bases == ("",)
    assert [item.text for item in instructions("# escape=`\nFROM scratch\nRUN a `\n b\\\nRUN c\n")][1:] == [
        "RUN a  b\\",
        "RUN c",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "ADD http://x/y /z",
        "add https://x /z",
        "ADD $X /z",
        "ADD git@host:a/b /z",
        "ONBUILD RUN x",
        "ADD \\\n http://x /z",
    ],
)
def test_what_the_daemon_itself_would_fetch_is_refused(line):
    with pytest.raises(BuildFailed):
        prepare(f"FROM a\n{line}\n", resolve, LABELS)


@pytest.mark.parametrize("text", ["", "RUN x", "FROM", "FROM a b c", "# only a comment"])
def test_no_base_is_a_failed_build(text):
    with pytest.raises(BuildFailed):
        prepare(text, resolve, LABELS)


@given(st.text(max_size=200))
def test_any_text_is_prepared_or_refused(text):
    for candidate in (text, "FROM a\n" + text):
        try:
            prepare(candidate, resolve, LABELS)
        except BuildFailed:
            pass


@pytest.mark.parametrize(
    ("text", "value"),
    [("$A", "1"), ("${A}x", "1x"), ("${B:-2}", "2"), ("${A:-2}", "1"), ("${A:+3}", "3"), ("${B:+3}", ""), ("$B", "")],
)
def test_variables(text, value):
    assert expanded(text, {"A": "1"}) == value


@pytest.mark.parametrize(
    ("reference", "base"),
    [
        ("debian", BASE),
        ("debian:bookworm-slim", BASE),
        ("docker.io/library/debian:12", BASE),
        ("debian:12.5-slim", BASE),
        ("ubuntu:22.04", BASE),
        ("ubuntu:24.04", BASE),
        ("python:3.12-slim", PYTHON.tag),
        ("python:3.11", PYTHON.tag),
        ("python:3.11-slim-bookworm", PYTHON.tag),
        ("debian:buster", None),
        ("alpine:3", None),
        ("node:20", None),
        ("debian@sha256:" + "0" * 64, None),
        ("evil/debian:12", None),
        ("python:2.7", None),
    ],
)
def test_aliases(reference, base):
    assert well_known(normalised(reference)) == base


def test_equal_content_is_an_equal_context(tmp_path):
    made = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "b").mkdir()
        (folder / "b" / "run").write_text("x")
        (folder / "b" / "run").chmod(0o755)
        (folder / "a").write_text("y")
        (folder / "Dockerfile").write_text("FROM x")
        os.symlink("../a", folder / "b" / "link")
        os.utime(folder / "a", (len(made), len(made)))
        made.append(pack_context(folder, "FROM y"))
    assert made[0] == made[1]
    with tarfile.open(fileobj=BytesIO(made[0])) as archive:
        assert archive.getnames() == ["Dockerfile", "a", "b", "b/link", "b/run"]
        assert archive.extractfile("Dockerfile").read() == b"FROM y"
        assert {member.uid for member in archive} == {0}
        assert archive.getmember("b/run").mode == 0o755


@pytest.mark.parametrize("target", ["/etc/passwd", "../../x", "..", "b/../../x"])
def test_links_that_leave_are_refused(tmp_path, target):
    os.symlink(target, tmp_path / "link")
    with pytest.raises(BuildFailed, match="link"):
        pack_context(tmp_path, "FROM x")


def test_devices_are_refused(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(BuildFailed, match="fifo"):
        pack_context(tmp_path, "FROM x")


def test_archives_that_swell_are_refused(tmp_path):
    header = tarfile.TarInfo("zeros")
    header.size = 2 << 20
    with tarfile.open(tmp_path / "bomb.tar.gz", "w:gz") as archive:
        archive.addfile(header, BytesIO(bytes(2 << 20)))
    (tmp_path / "noise").write_bytes(os.urandom(1000))
    (tmp_path / "cut.tar.gz").write_bytes((tmp_path / "bomb.tar.gz").read_bytes()[:100])
    refuse_bombs(tmp_path, 5 << 20)
    with pytest.raises(BuildFailed, match="unpack"):
        refuse_bombs(tmp_path, 1 << 20)


def test_dockerignore_is_heeded(tmp_path):
    for name in ("kept", "left", "Dockerfile"):
        (tmp_path / name).write_text("x")
    (tmp_path / ".dockerignore").write_text("# comment\nleft\n")
    with tarfile.open(fileobj=BytesIO(pack_context(tmp_path, "FROM x"))) as archive:
        assert set(archive.getnames()) == {"Dockerfile", ".dockerignore", "kept"}


def test_a_dockerfile_that_cannot_be_read(tmp_path):
    with pytest.raises(BuildFailed, match="missing"):
        dockerfile_text(tmp_path)
    (tmp_path / "Dockerfile").write_bytes(b"FROM \xff")
    with pytest.raises(BuildFailed, match="UTF-8"):
        dockerfile_text(tmp_path)
    with pytest.raises(UsageError):
        dockerfile_text(tmp_path / "nothing")
