"""What is inside a box on every engine: its first process, the rights that are left, why it may be gone.

The first process cannot be killed from inside, so that `kill -9 -1` in a box ends commands, not the box; it counts the
kernel's uptime (clock tricks do not reach it) and ends the box after its lifetime.
"""

from __future__ import annotations

import math

OPEN_FILES = 8192
LIFETIME_CODE = 99
CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "SETUID", "SETGID", "KILL")
"""What root in a box keeps: enough for apt-get, useradd, chown and su; no raw sockets, devices, mounts or tracing."""
HOSTS = "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n127.0.1.1\t{name}\n"
"""Text of /etc/hosts in a box called `name`."""
WHY = {
    "died": "its first process ended",
    "disk_limit": "it used more disk than its limit",
    "memory": "its first process was killed for memory",
    "lifetime": "its lifetime was over",
}


def first_process(lifetime_s: float) -> list[str]:
    """The command line of process 1: reap, ignore signals, end after `lifetime_s`."""
    seconds = max(1, math.ceil(lifetime_s))
    script = (
        f'trap "" TERM INT HUP QUIT; read -r now idle </proc/uptime; end=$((${{now%.*}} + {seconds})); '
        f'while read -r now idle </proc/uptime; [ "${{now%.*}}" -lt "$end" ]; do sleep {min(seconds, 30)} & wait $!; '
        f"done; exit {LIFETIME_CODE}"
    )
    return ["/bin/sh", "-c", script]
