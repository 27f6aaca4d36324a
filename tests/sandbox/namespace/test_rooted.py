"""Files of a box from outside: nothing leads out of its folder, whatever links and races say."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from envwheel.sandbox.base import ArchiveCaps, ArtifactLimit, Entry, Tree
from envwheel.sandbox.namespace import rooted

CAPS = ArchiveCaps()
ME = (os.getuid(), os.getgid())


@pytest.fixture
def box(tmp_path: Path) -> Path:
    folder = tmp_path / "box"
    (folder / "app").mkdir(parents=True)
    (tmp_path / "secret").write_text("the host's")
    return folder


@pytest.fixture
def root(box: Path) -> Iterator[int]:
    descriptor = os.open(box, os.O_PATH | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def test_what_goes_in_comes_out(root):
    tree = Tree(
        {
            "/app/d": Entry("dir", 0o750),
            "/app/d/f": Entry("file", 0o640, b"\0\xff"),
            "/app/d/l": Entry("link", 0o777, target="f"),
            "/app/d/bad\udcff\n": Entry("file", 0o600, b""),
        }
    )
    rooted.put(root, tree, ME)
    back = rooted.get(root, "/app/d", CAPS)
    assert back is not None
    assert back.sha256() == tree.sha256()
    one = rooted.get(root, "/app/d/f", CAPS)
    assert one is not None
    assert one.entries == {"/app/d/f": tree.entries["/app/d/f"]}


def test_links_are_followed_inside_only(box, root):
    os.symlink("/", box / "app/top")
    os.symlink("../../..", box / "app/up")
    os.symlink("/proc/self/root", box / "app/magic")
    rooted.put(root, Tree({"/app/up/made/f": Entry("file", 0o600, b"x"), "/app/top/g": Entry("file", 0o600)}), ME)
    assert (box / "made/f").read_bytes() == b"x"
    assert (box / "g").exists()
    assert rooted.get(root, "/app/up/secret", CAPS) is None
    assert rooted.get(root, "/app/magic/etc", CAPS) is None
    assert rooted.text(root, "app/up/secret") == ""


def test_what_is_in_the_way_is_replaced(box, root, tmp_path):
    os.symlink(tmp_path / "secret", box / "f")
    os.symlink("/app", box / "d")
    (box / "full").mkdir()
    (box / "full/x").touch()
    entries = {"/f": Entry("file", 0o600, b"n"), "/d": Entry("dir", 0o700), "/full": Entry("file", 0o600, b"y")}
    rooted.put(root, Tree(entries), ME)
    assert (tmp_path / "secret").read_text() == "the host's"
    assert not (box / "d").is_symlink()
    assert (box / "full").read_bytes() == b"y"


@pytest.mark.parametrize("path", ["relative", "/a/../b", "/"])
def test_only_plain_absolute_paths_are_put(root, path):
    with pytest.raises(ValueError, match="absolute"):
        rooted.put(root, Tree({path: Entry("file", 0o600)}), ME)


def test_specials_are_left_out_and_said(box, root):
    os.mkfifo(box / "app/fifo")
    (box / "app/suid").touch()
    os.chmod(box / "app/suid", 0o4755)
    os.symlink("/etc/shadow", box / "app/out")
    os.symlink("loop", box / "app/loop")
    tree = rooted.get(root, "/app", CAPS)
    assert tree is not None
    assert set(tree.entries) == {"/app", "/app/suid"}
    assert tree.entries["/app/suid"].mode == 0o755
    assert len(tree.dropped) == 4


def test_a_special_in_place_of_the_artifact_is_left_out_and_said(box, root):
    os.mkfifo(box / "app/fifo")
    tree = rooted.get(root, "/app/fifo", CAPS)
    assert tree is not None
    assert tree.entries == {}
    assert "/app/fifo" in tree.dropped[0]


def test_caps_hold_before_anything_is_read(box, root):
    (box / "app/hole").touch()
    os.truncate(box / "app/hole", 1 << 40)
    with pytest.raises(ArtifactLimit, match="MiB"):
        rooted.get(root, "/app", CAPS)
    (box / "app/hole").unlink()
    for number in range(20):
        (box / f"app/{number}").touch()
    with pytest.raises(ArtifactLimit, match="files"):
        rooted.get(root, "/app", ArchiveCaps(members=20))
    assert rooted.get(root, "/app", ArchiveCaps(members=21)) is not None


def test_folders_too_deep_to_name_are_said(box, root):
    here = os.getcwd()
    try:
        os.chdir(box / "app")
        for _ in range(30):
            os.mkdir("d" * 200)
            os.chdir("d" * 200)
    finally:
        os.chdir(here)
    tree = rooted.get(root, "/app", CAPS)
    assert tree is not None
    assert "too long" in tree.dropped[0]


def test_a_folder_that_turns_into_a_link_while_it_is_copied(box, root, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/f").write_text("the host's")
    (box / "app/d").mkdir()
    (box / "app/d/f").write_text("the box's")
    os.symlink("../../outside", box / "app/l")
    done = threading.Event()

    def swap() -> None:
        while not done.is_set():
            for one, other in (("d", "x"), ("l", "d"), ("d", "l"), ("x", "d")):
                with contextlib.suppress(OSError):  # `put` made a folder in between
                    os.rename(box / "app" / one, box / "app" / other)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(300):
            tree = rooted.get(root, "/app/d", CAPS)
            assert tree is None or all(b"host" not in entry.data for entry in tree.entries.values())
            try:
                rooted.put(root, Tree({"/app/d/g": Entry("file", 0o600, b"new")}), ME)
            except OSError:
                continue
    finally:
        done.set()
        thread.join()
    assert os.listdir(tmp_path / "outside") == ["f"]
