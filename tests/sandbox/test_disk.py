"""Disk accounting of hostile folders."""

from __future__ import annotations

import os

from envwheel.sandbox import disk


def test_sparse_empty_and_linked_files(tmp_path):
    (tmp_path / "sparse").touch()
    os.truncate(tmp_path / "sparse", 1 << 30)
    for number in range(10):
        (tmp_path / f"empty{number}").touch()
    (tmp_path / "full").write_bytes(bytes(range(256)) * 4096)
    for number in range(5):
        os.link(tmp_path / "full", tmp_path / f"hard{number}")
    os.symlink("/usr", tmp_path / "usr")
    used = disk.used([tmp_path], [])
    assert (1 << 20) + 11 * 4096 <= used < (1 << 20) + 30 * 4096
    assert disk.apparent([tmp_path]) >= (1 << 30) + 6 * (1 << 20)


def test_folders_too_deep_to_name_count_as_endless(tmp_path):
    here = os.getcwd()
    try:
        os.chdir(tmp_path)
        for _ in range(30):
            os.mkdir("d" * 200)
            os.chdir("d" * 200)
    finally:
        os.chdir(here)
    assert disk.used([tmp_path], []) >= disk.ENDLESS
    assert disk.apparent([tmp_path]) >= disk.ENDLESS


def test_defuse_empties_large_files_and_follows_no_link(tmp_path):
    outside = tmp_path / "outside"
    outside.write_bytes(bytes(2 << 20))
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "hole").touch()
    os.truncate(inside / "hole", 1 << 30)
    (inside / "small").write_text("kept")
    os.symlink(outside, inside / "link")
    os.mkfifo(inside / "fifo")
    disk.defuse([inside])
    assert (inside / "hole").stat().st_size == 0
    assert (inside / "small").read_text() == "kept"
    assert outside.stat().st_size == 2 << 20
