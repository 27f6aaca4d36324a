"""The filter of system calls for boxes: what a program in a terminal never needs and what kernel bugs came through.

Compiled once by libseccomp, which Debian's buildah brings; like Docker's default profile it takes mounts, namespaces,
kernel modules, keys, tracing of performance, raw memory policies and io_uring away, and answers "not permitted".
`python -m envwheel.sandbox.seccomp PROGRAM...` runs a program of ours that only pretends to give files away.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

from envwheel.errors import SetupError
from envwheel.sandbox import kernel

DENIED = (
    "acct add_key bpf clock_adjtime clock_adjtime64 clock_settime clock_settime64 create_module delete_module "
    "fanotify_init finit_module fsconfig fsmount fsopen fspick get_kernel_syms get_mempolicy init_module "
    "io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp kexec_file_load kexec_load keyctl "
    "lookup_dcookie lsm_list_modules lsm_set_self_attr mbind migrate_pages mount mount_setattr move_mount move_pages "
    "nfsservctl open_by_handle_at open_tree perf_event_open pivot_root process_madvise process_vm_readv "
    "process_vm_writev query_module quotactl quotactl_fd reboot request_key set_mempolicy set_mempolicy_home_node "
    "setns settimeofday stime swapoff swapon sysfs syslog umount umount2 unshare uselib userfaultfd ustat vhangup "
    "vm86 vm86old"
)
PRETENDED = "chown chown32 fchown fchown32 fchownat lchown lchown32 setgroups setgroups32 mknod mknodat"
"""Where root is the only user: said to be done, and not done. Installers and archives give files to other users."""
_FILE_KINDS, _DEVICES = 0xF000, (0x2000, 0x6000)
NEW_NAMESPACES = 0x7E020000
"""The flags of clone(2) that make namespaces."""
PUSH_INPUT, CONSOLE = 0x5412, 0x541C
"""The ioctls that write into a terminal's input: TIOCSTI, TIOCLINUX."""
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_MASKED_EQUAL = 7
_X86 = 0x40000003


def program(*, denied: bool = True, pretended: bool = False) -> bytes:
    """The compiled filter, of calls that are refused or that pretend. Raises SetupError without libseccomp."""
    try:
        library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    except OSError as error:
        raise SetupError("libseccomp is missing: `apt-get install libseccomp2`.") from error
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(_ALLOW))
    try:
        if os.uname().machine == "x86_64":
            library.seccomp_arch_add(context, ctypes.c_uint32(_X86))
        if denied:
            _deny(library, context)
        if pretended:
            _pretend(library, context)
        return _exported(library, context)
    finally:
        library.seccomp_release(context)


def _pretend(library: ctypes.CDLL, context: ctypes.c_void_p) -> None:
    done = ctypes.c_uint32(_ERRNO)
    for name in PRETENDED.split():
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number == -1:
            continue
        if name.startswith("mknod"):  # a plain file or FIFO is made
            mode = 2 if name == "mknodat" else 1
            for kind in _DEVICES:
                _rule_on_argument(library, context, done, number, (mode, _MASKED_EQUAL, _FILE_KINDS, kind))
        else:
            library.seccomp_rule_add(context, done, number, 0)


def _deny(library: ctypes.CDLL, context: ctypes.c_void_p) -> None:
    refused, unknown = ctypes.c_uint32(_ERRNO | errno.EPERM), ctypes.c_uint32(_ERRNO | errno.ENOSYS)
    for name in DENIED.split():
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number != -1:  # a call that this libseccomp does not know
            library.seccomp_rule_add(context, refused, number, 0)
    # The C library falls back to clone, whose flags can be looked at.
    library.seccomp_rule_add(context, unknown, library.seccomp_syscall_resolve_name(b"clone3"), 0)
    clone = library.seccomp_syscall_resolve_name(b"clone")
    for bit in range(32):
        if NEW_NAMESPACES & (1 << bit):
            _rule_on_argument(library, context, refused, clone, (0, _MASKED_EQUAL, 1 << bit, 1 << bit))
    ioctl = library.seccomp_syscall_resolve_name(b"ioctl")
    for request in (PUSH_INPUT, CONSOLE):
        _rule_on_argument(library, context, refused, ioctl, (1, _MASKED_EQUAL, 0xFFFFFFFF, request))


def _rule_on_argument(
    library: ctypes.CDLL, context: ctypes.c_void_p, action: ctypes.c_uint32, call: int, rule: tuple[int, int, int, int]
) -> None:
    packed = struct.pack("IIQQ", *rule)
    library.seccomp_rule_add_array(context, action, call, 1, packed)


def _exported(library: ctypes.CDLL, context: ctypes.c_void_p) -> bytes:
    memory = os.memfd_create("filter")
    try:
        if library.seccomp_export_bpf(context, memory) != 0:
            raise SetupError("libseccomp could not compile the filter of system calls.")
        size = os.lseek(memory, 0, os.SEEK_CUR)
        return os.pread(memory, size, 0)
    finally:
        os.close(memory)


def main(argv: list[str]) -> int:
    """Become the program `argv`, which gives no file away."""
    kernel.forbid_new_privileges()
    kernel.filter_calls(program(denied=False, pretended=True))
    os.execvp(argv[0], argv)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
