"""The content hash of a folder, and a folder as what is put into a box."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from envwheel.environment.hash import tree_sha256
from envwheel.environment.tree import tree_from_folder

NAMES = st.text("abcxyz.-_é", min_size=1, max_size=8).filter(lambda name: name.strip(".") != "")
FOLDERS = st.dictionaries(
    st.lists(NAMES, min_size=1, max_size=2).map("/".join), st.tuples(st.binary(max_size=20), st.booleans()), max_size=5
).filter(lambda files: not any(other.startswith(name + "/") for name in files for other in files))


def fill(folder: Path, files: dict[str, tuple[bytes, bool]]) -> Path:
    for name, (data, program) in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o755 if program else 0o644)
    return folder


@settings(max_examples=40)
@given(FOLDERS, FOLDERS)
def test_the_hash_is_equal_exactly_when_the_content_is(one: dict, two: dict) -> None:
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        equal = tree_sha256(fill(Path(first), one)) == tree_sha256(fill(Path(second), two))
        assert equal == (one == two)


def test_a_copy_has_the_same_hash_and_evidence_does_not_count(tmp_path: Path) -> None:
    folder = fill(tmp_path / "a", {"x": (b"1", False), "sub/evidence.json": (b"2", False)})
    (folder / "link").symlink_to("x")
    before = tree_sha256(folder)
    copy = Path(shutil.copytree(folder, tmp_path / "b", symlinks=True))
    (copy / "x").chmod(0o600)
    (copy / "empty").mkdir()
    (copy / "evidence.json").write_text("{}")
    assert tree_sha256(copy) == before
    (copy / "sub" / "evidence.json").write_text("3")
    assert tree_sha256(copy) != before


def test_a_link_counts_by_its_target(tmp_path: Path) -> None:
    for name, target in (("a", "x"), ("b", "y")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "link").symlink_to(target)
    assert tree_sha256(tmp_path / "a") != tree_sha256(tmp_path / "b")


def test_a_folder_becomes_a_tree_with_parents_first(tmp_path: Path) -> None:
    folder = fill(tmp_path / "s", {"solve.sh": (b"#!/bin/sh\n", True), "sub/data": (b"1", False)})
    (folder / "link").symlink_to("sub/data")
    tree = tree_from_folder(folder, "/solution/")
    assert {path: (entry.kind, entry.mode) for path, entry in tree.entries.items()} == {
        "/solution": ("dir", 0o755),
        "/solution/sub": ("dir", 0o755),
        "/solution/solve.sh": ("file", 0o755),
        "/solution/link": ("link", 0o777),
        "/solution/sub/data": ("file", 0o644),
    }
    paths = list(tree.entries)
    assert all(str(Path(path).parent) in paths[:index] for index, path in enumerate(paths) if index)
