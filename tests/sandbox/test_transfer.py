"""Copies: what goes in comes out; whatever a hostile box sends, nothing raises unexpectedly and nothing escapes."""

from __future__ import annotations

import io
import posixpath
import tarfile
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envwheel.errors import InfraError
from envwheel.sandbox.base import ArchiveCaps, ArtifactLimit, Entry, Tree
from envwheel.sandbox.transfer import pack, unpack

ROOT = "/app/out"
NAMES = st.sampled_from(["a", "b", "c", "é", "..", ".", "out", "x\udcff"])
PATHS = st.lists(NAMES, min_size=0, max_size=4).map("/".join)
TARGETS = st.one_of(
    PATHS, PATHS.map(lambda path: "/" + path), PATHS.map(lambda path: f"{ROOT}/{path}"), st.just("/etc")
)
KINDS = st.sampled_from(
    [tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, b"Z"]
)


def chunks_of(data: bytes, size: int = 1 << 16) -> Iterator[bytes]:
    """`data` in pieces, as a daemon would send it."""
    return (data[start : start + size] for start in range(0, len(data), size))


MEMBERS = st.lists(st.tuples(KINDS, PATHS, TARGETS, PATHS, st.integers(0, 0o7777), st.binary(max_size=9)), max_size=8)


def archive_of(members) -> bytes:
    """A tar as a daemon sends it, then `members` (type, path, link target, hard link target, mode, data) below it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT, errors="surrogateescape") as archive:
        archive.addfile(directory("out"))
        for kind, path, target, hard, mode, data in members:
            header = tarfile.TarInfo("out/" + path)
            header.type, header.mode = kind, mode
            header.linkname = target if header.issym() else "out/" + hard
            header.size = len(data) if kind == tarfile.REGTYPE else 0
            archive.addfile(header, io.BytesIO(data))
    return buffer.getvalue()


def directory(name: str) -> tarfile.TarInfo:
    header = tarfile.TarInfo(name)
    header.type, header.mode = tarfile.DIRTYPE, 0o755
    return header


def lands(path: str, links: dict[str, str]) -> str:
    """Where the kernel would end up from `path`, links followed everywhere; loops end at the link itself."""
    here, todo, hops = "/", path.split("/")[::-1], 0
    while todo:
        step = todo.pop()
        if step in ("", "."):
            continue
        here = posixpath.dirname(here) if step == ".." else posixpath.join(here, step)
        if here in links and hops < 100:
            hops += 1
            target = links[here]
            todo.extend(target.split("/")[::-1])
            here = "/" if target.startswith("/") else posixpath.dirname(here)
    return here


@settings(max_examples=60)
@given(MEMBERS, st.integers(1, 4))
def test_nothing_escapes(members, quarters):
    data = archive_of(members)
    data = data[: len(data) * quarters // 4]
    try:
        tree = unpack(chunks_of(data, 700), ROOT, ArchiveCaps(members=100))
    except InfraError:
        return
    links = {path: entry.target for path, entry in tree.entries.items() if entry.kind == "link"}
    for path, entry in tree.entries.items():
        assert path == ROOT or path.startswith(ROOT + "/")
        assert ".." not in path.split("/")
        assert entry.mode & ~0o777 == 0
        if path != ROOT:
            assert tree.entries[posixpath.dirname(path)].kind == "dir"
        if entry.kind == "link":
            end = lands(path, links)
            assert end == ROOT or end.startswith(ROOT + "/")
    assert unpack(chunks_of(renamed(pack(tree))), ROOT, ArchiveCaps()).entries == tree.entries


def renamed(data: bytes) -> bytes:
    """The packed tree as the daemon would send it: names relative to the parent of ROOT."""
    out = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(data)) as source, tarfile.open(fileobj=out, mode="w") as target:
        for member in source:
            member.pax_headers = {}
            member.name = member.name.removeprefix("app/")
            target.addfile(member, source.extractfile(member) if member.isreg() else None)
    return out.getvalue()


@given(st.binary(max_size=2000))
def test_noise_is_an_infrastructure_error_or_nothing(data):
    try:
        assert unpack(chunks_of(data), ROOT, ArchiveCaps()).entries == {}
    except InfraError:
        pass


def tar_of(*members: tuple[str, bytes | int]) -> bytes:
    """Files by content; an int is a size that is claimed but not sent."""
    buffer = io.BytesIO()
    for name, content in members:
        header = tarfile.TarInfo(name)
        header.size = content if isinstance(content, int) else len(content)
        buffer.write(header.tobuf())
        if isinstance(content, bytes):
            buffer.write(content + bytes(-len(content) % 512))
    return buffer.getvalue() + bytes(1024)


def test_a_claimed_size_over_the_cap_ends_the_copy_at_once():
    def stream():
        yield tar_of(("out", 50 << 30)) + bytes(20_000)
        raise AssertionError("read on")

    with pytest.raises(ArtifactLimit):
        unpack(stream(), ROOT, ArchiveCaps(size_mb=1))


def test_hard_links_count_like_copies():
    big = bytes(700_000)
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        archive.addfile(directory("out"))
        header = tarfile.TarInfo("out/a")
        header.size = len(big)
        archive.addfile(header, io.BytesIO(big))
        link = tarfile.TarInfo("out/b")
        link.type, link.linkname = tarfile.LNKTYPE, "out/a"
        archive.addfile(link)
    assert unpack(chunks_of(data.getvalue()), ROOT, ArchiveCaps(size_mb=2)).entries["/app/out/b"].data == big
    with pytest.raises(ArtifactLimit):
        unpack(chunks_of(data.getvalue()), ROOT, ArchiveCaps(size_mb=1))


def test_a_cut_stream_is_our_failure():
    whole = tar_of(("out", b"x" * 5000))
    with pytest.raises(InfraError):
        unpack(chunks_of(whole[:1500]), ROOT, ArchiveCaps())


def test_a_single_file():
    tree = unpack(chunks_of(tar_of(("out", b"hi"))), ROOT, ArchiveCaps())
    assert dict(tree.entries) == {ROOT: Entry("file", 0o644, b"hi")}


@pytest.mark.parametrize("path", ["relative", "/a/../b", "/"])
def test_only_absolute_plain_paths_go_in(path):
    with pytest.raises(ValueError, match="absolute"):
        pack(Tree({path: Entry("file", 0o644)}))
