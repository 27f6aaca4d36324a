"""What a process of the warden does on its way into a box: each function here ends by executing another program.

Order matters: control group and limits first, then namespaces, then the rights go, then the program.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import signal
import socket
import struct
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from envwheel.sandbox import kernel, seccomp, userns
from envwheel.sandbox.namespace.scratch import mount_scratch
from envwheel.sandbox.within import OPEN_FILES

INSIDE = kernel.NEWNS | kernel.NEWNET | kernel.NEWIPC | kernel.NEWUTS | kernel.NEWCGROUP
SHELLS = ("/bin/bash", "/usr/bin/bash", "/bin/sh")
ALL_PROCESSES = max(512, 64 * (os.cpu_count() or 1))
"""Of one user in all boxes together, where no control group counts them."""
OURS = "envwheel: "
"""Starts the message of a failure before anything of the box was executed."""


def become(process: Callable[..., None], *arguments: Any) -> NoReturn:
    """Run `process` in this forked child; it does not come back."""
    try:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        kernel.hide_memory()
        process(*arguments)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.write(2, f"{OURS}{error}\n".encode("utf-8", "replace"))
    os._exit(125)


def box_process(
    request: Mapping[str, Any], reply: socket.socket, descriptors: list[int], say: int, inform: int, program: bytes
) -> None:
    """Mount the box's files, hand their folder to the orchestrator, then become bubblewrap when that says so.

    With `layer`, what the box writes stays in the folder `place`, else it ends with the box. Meanwhile the orchestrator
    has put this process into its control group.
    """
    _streams(os.open("/dev/null", os.O_RDONLY), say, say)
    kernel.unshare(kernel.NEWNS)
    place = request["place"]
    if not request["layer"]:
        mount_scratch(place, descriptors[0] if descriptors else -1, request["disk_mb"])
    scratch = os.open(place, os.O_PATH | os.O_DIRECTORY)
    os.chdir(place)
    for name in ("upper", "work", "root", "layers"):
        os.mkdir(name)
    for number, layer in enumerate(request["layers"]):
        os.symlink(layer, f"layers/{number}")
    # Short names, because the kernel takes one page of options.
    lower = ":".join(f"layers/{number}" for number in range(len(request["layers"])))
    # In a user namespace the kernel keeps its marks where an ordinary user may write.
    marks = ",userxattr" if userns.inside() else ""
    kernel.mount("overlay", "root", "overlay", kernel.NO_DEV, f"lowerdir={lower},upperdir=upper,workdir=work{marks}")
    root = os.open("root", os.O_PATH | os.O_DIRECTORY)
    socket.send_fds(reply, [b'{"files": true}'], [root, scratch])
    os.chdir("/")
    _limits(request)
    if reply.recv(16) != b"go":
        return
    memory = os.memfd_create("filter")
    os.write(memory, program)
    os.lseek(memory, 0, os.SEEK_SET)
    for descriptor in (memory, inform):
        os.set_inheritable(descriptor, True)
    numbers = {"@FILTER@": str(memory), "@INFORM@": str(inform), "@ROOT@": f"{place}/root"}
    words = [numbers.get(word, word) for word in request["argv"]]
    os.execve(words[0], words, {})


def shell_process(request: Mapping[str, Any], descriptors: list[int], program: bytes) -> None:
    """Forked into a box's process namespace: enter the others, give up its rights, become the shell."""
    box, read, write = descriptors
    _streams(read, write, write)
    doors = [os.open(door, os.O_WRONLY) for door in request["doors"]]
    # A group that is full of processes can still be entered, though nothing can be forked in it.
    for door in doors:
        _enter_group(door)
    kernel.enter(box, INSIDE)
    # Out of memory, what the box runs goes before its first process.
    with open("/proc/self/oom_score_adj", "w") as score:
        score.write("500")
    _limits(request)
    os.closerange(3, 1 << 30)
    os.setsid()
    os.umask(0o022)
    for descriptor in (0, 1):  # so that /dev/stdout can be opened by its user
        os.fchown(descriptor, request["uid"], request["gid"])
    _give_up_rights(request)
    kernel.filter_calls(program)
    try:
        os.chdir(request["workdir"])
    except OSError:
        os.chdir("/")
    environment = request["env"]
    for shell in SHELLS:
        options = ["--noprofile", "--norc"] if shell.endswith("bash") else []
        with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError):
            os.execve(shell, [shell, *options], environment)
    raise OSError("there is neither /bin/bash nor /bin/sh")


def program_process(request: Mapping[str, Any], reply: socket.socket, descriptors: list[int]) -> None:
    """Become a program in a control group; with `network` in a network of its own, once the orchestrator made it."""
    (write,) = descriptors
    _streams(os.open("/dev/null", os.O_RDONLY), write, write)
    os.setsid()
    _limits(request)
    for door in request["doors"]:
        _enter_group(os.open(door, os.O_WRONLY))
    kernel.unshare(kernel.NEWNET)
    _loopback_up()
    if request["network"]:
        socket.send_fds(reply, [b'{"network": true}'], [])
        if not reply.recv(16):
            return
    if userns.one_user():
        kernel.forbid_new_privileges()
        kernel.filter_calls(seccomp.program(denied=False, pretended=True))
    os.execve(request["argv"][0], request["argv"], request["env"])


def _streams(*descriptors: int) -> None:
    for target, descriptor in enumerate(descriptors):
        os.dup2(descriptor, target)


def _enter_group(door: int) -> None:
    os.write(door, b"0")
    os.close(door)


def _limits(request: Mapping[str, Any]) -> None:
    wanted = {resource.RLIMIT_NOFILE: OPEN_FILES, resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: request["file_bytes"]}
    for name, value in wanted.items():
        most = resource.getrlimit(name)[1]
        value = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(name, (value, value))
    if request.get("memory_mb"):  # no control group holds the box: at least each process of it is held
        resource.setrlimit(resource.RLIMIT_DATA, (request["memory_mb"] << 20,) * 2)
        if userns.inside():  # elsewhere the kernel counts the processes of the whole machine
            resource.setrlimit(resource.RLIMIT_NPROC, (ALL_PROCESSES, ALL_PROCESSES))


def _give_up_rights(request: Mapping[str, Any]) -> None:
    kept = request["capabilities"]
    kernel.bound_capabilities(kept)
    if request["groups"] is not None:
        os.setgroups(request["groups"])
    os.setresgid(request["gid"], request["gid"], request["gid"])
    os.setresuid(request["uid"], request["uid"], request["uid"])
    kernel.set_capabilities(kept if request["uid"] == 0 else [])
    kernel.forbid_new_privileges()
    kernel.hide_memory()


def _loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, 0x8914, struct.pack("16sH22x", b"lo", 0x1 | 0x40))
