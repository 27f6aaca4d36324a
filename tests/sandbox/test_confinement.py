"""What holds a namespace box: the filter of calls, the command line, the names of control groups."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from envwheel.sandbox import owner, seccomp
from envwheel.sandbox.namespace import groups, scratch
from envwheel.sandbox.namespace.bubblewrap import arguments, files_of

TRY = """
import ctypes, os, sys
from envwheel.sandbox import kernel, seccomp
libc = ctypes.CDLL(None, use_errno=True)
kernel.forbid_new_privileges()
kernel.filter_calls(seccomp.program())
print(libc.unshare(0x10000000), ctypes.get_errno(), libc.mount(b"x", b"/", b"tmpfs", 0, None), ctypes.get_errno())
print(os.getppid() > 0, os.system("exit 3") >> 8)
"""


def filtered() -> bool:
    try:
        return bool(seccomp.program())
    except Exception:
        return False


@pytest.mark.skipif(not filtered(), reason="libseccomp is not installed")
def test_the_filter_refuses_namespaces_and_mounts_and_lets_work_go_on():
    ran = subprocess.run([sys.executable, "-c", TRY], capture_output=True, text=True)
    assert ran.stdout == "-1 1 -1 1\nTrue 3\n", ran.stderr


def test_a_box_has_namespaces_of_its_own_and_few_rights():
    words = arguments("/usr/bin/bwrap", "mill", 60.0, {"/lib/x.so": "/usr/local/lib/x.so"})
    for name in ("pid", "ipc", "uts", "net"):
        assert f"--unshare-{name}" in words
    assert words[words.index("--cap-drop") + 1] == "ALL"
    kept = {words[at + 1] for at, word in enumerate(words) if word == "--cap-add"}
    assert not kept & {"CAP_SYS_ADMIN", "CAP_SYS_PTRACE", "CAP_NET_RAW", "CAP_MKNOD", "CAP_SYS_CHROOT"}
    assert words[words.index("/lib/x.so") - 1] == "--ro-bind"
    assert words[words.index("--") + 1 : -1] == ["/bin/sh", "-c"]


def test_a_box_without_a_network_knows_no_name_server():
    assert files_of("mill", network=False).entries["/etc/resolv.conf"].data == b""
    assert b"nameserver" in files_of("mill", network=True).entries["/etc/resolv.conf"].data


def test_the_name_of_a_group_tells_whose_it_is():
    tag = f"{owner.current().tag}+99+box+abc".split("+", 3)
    assert owner.parse(tag[0]) == owner.current()
    assert "/" not in owner.current().tag


@pytest.mark.skipif(bool(groups.lacking()), reason="control groups cannot be made here")
def test_a_group_limits_counts_and_ends():
    group = groups.make(owner.current(), "test", "unit", 0.0, groups.Bounds(memory_mb=64, processes=3, cpus=0.5))
    try:
        child = subprocess.Popen(["sleep", "100"])
        for door in group.doors:
            with open(door, "w") as file:
                file.write(str(child.pid))
        assert group.pids() == [child.pid]
        assert group.usage().peak_mb is not None
        assert group.name in groups.held(owner.current())
    finally:
        group.end()
    assert child.wait(10) == -9
    assert group.name not in groups.held(owner.current())


def test_an_empty_file_system_takes_no_room_and_empty_files_count(tmp_path):
    kind = scratch.Scratch.best(tmp_path)
    template = kind.template(64)
    if template:
        assert os.stat(template).st_blocks * 512 < 1 << 20 < os.stat(template).st_size
        assert kind.template(64) == template
    descriptor = os.open(tmp_path, os.O_RDONLY)
    try:
        assert scratch.used(descriptor) > 0
    finally:
        os.close(descriptor)
