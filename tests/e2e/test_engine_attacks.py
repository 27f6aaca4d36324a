"""Hostile code in a box or a build: host, engine and the next box stay unharmed."""

from __future__ import annotations

import resource
import time

import pytest

from envwheel.errors import BoxGone, BuildFailed
from envwheel.sandbox.base import ArchiveCaps, ArtifactLimit, BoxLimits

pytestmark = pytest.mark.e2e

FORK_BOMB = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass\n"


@pytest.fixture(autouse=True)
def the_next_box_works(engine, start):
    """After each attack a fresh box does its work."""
    yield
    assert start().shell().run("echo fine").output == "fine\n"


def rss_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def test_fork_bomb(start):
    box = start()
    shell = box.shell()
    try:
        result = shell.run(f"python3 -c '{FORK_BOMB}'", timeout_s=3)
        assert result.timed_out
    except BoxGone as gone:
        assert gone.reason == "died"
    box.stop()
    assert box.get("/app") is not None


def test_kill_everything_as_root(start):
    box = start()
    shell = box.shell(user="root")
    shell.run("kill -9 -1; kill -9 1; kill 1; kill -INT 1")
    assert box.gone() is None
    assert box.shell().run("echo alive").output == "alive\n"


def test_zombies_are_reaped(start):
    box = start(user="root")
    shell = box.shell()
    for _ in range(3):
        shell.run("for i in $(seq 40); do (sleep 0.01 &) ; done; sleep 0.3")
    assert shell.run("ps -eo stat | grep -c Z").output == "0\n"


def test_filling_the_disk_ends_the_box(start):
    box = start()
    shell = box.shell()
    with pytest.raises(BoxGone) as gone:
        for number in range(60):
            shell.run(f"head -c 100M /dev/zero >/tmp/f{number}; sleep 0.3", timeout_s=30)
    assert gone.value.reason == "disk_limit"
    assert box.gone() == "disk_limit"


def test_files_deleted_but_open_count(start):
    box = start()
    code = "import os, time\nfor i in range(9):\n f = open('/tmp/x', 'wb'); os.unlink('/tmp/x'); globals()[i] = f\n"
    code += " for _ in range(50): f.write(bytes(1 << 20))\n f.flush(); time.sleep(0.2)\ntime.sleep(20)"
    with pytest.raises(BoxGone) as gone:
        box.shell().run(f'python3 -c "{code}"', timeout_s=30)
    assert gone.value.reason == "disk_limit"


def test_output_flood_leaves_our_memory_flat(start):
    shell = start().shell()
    before = rss_mb()
    result = shell.run("head -c 300000000 /dev/zero | tr '\\0' x", timeout_s=60)
    assert result.exit_code is None
    assert result.truncated
    assert rss_mb() - before < 60
    assert shell.run("echo on").output == "on\n"


def test_sparse_file(start):
    box = start(limits=BoxLimits(memory_mb=256, disk_mb=256, processes=64))
    assert box.shell().run("truncate -s 50G /app/sparse").exit_code != 0
    box.shell(user="root").run("for i in $(seq 40); do truncate -s 250M /app/s$i; done")
    before, started = rss_mb(), time.monotonic()
    with pytest.raises(ArtifactLimit):
        box.get("/app")
    assert rss_mb() - before < 200
    assert time.monotonic() - started < 30


def test_many_files(start):
    box = start(limits=BoxLimits(memory_mb=512, disk_mb=2048, processes=64))
    made = box.shell().run(
        "python3 -c \"import os\nos.mkdir('/app/m')\nfor i in range(100000): open(f'/app/m/{i}', 'w').close()\"",
        timeout_s=120,
    )
    assert made.exit_code == 0
    with pytest.raises(ArtifactLimit):
        box.get("/app/m", ArchiveCaps(members=10_000))


def test_empty_files_fill_a_disk_too(start):
    code = "import os\nfor i in range(200000): open(f'/tmp/{i}', 'w').close()"
    with pytest.raises(BoxGone) as gone:
        start().shell().run(f'python3 -c "{code}"; sleep 20', timeout_s=120)
    assert gone.value.reason == "disk_limit"


def test_hostile_artifacts(start):
    box = start()
    box.shell(user="root").run(
        "mkdir /app/a; cd /app/a; mkfifo fifo; mknod dev c 1 3; echo s >suid; chmod 6755 suid; ln suid hard; "
        "ln -s /etc/shadow abs; ln -s ../../etc/shadow up; ln -s suid ok; ln -s . here; "
        "ln -s here/here/../../etc chain; python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('sock')\"; "
        "ln -s loop loop; touch \"$(printf 'bad\\377name')\""
    )
    tree = box.get("/app/a")
    assert tree is not None
    names = {path.rpartition("/")[2] for path in tree.entries}
    assert names == {"a", "suid", "hard", "ok", "here", "bad\udcffname"}
    assert tree.entries["/app/a/suid"].mode == 0o755
    said = " ".join(tree.dropped)
    assert all(word in said for word in ("fifo", "abs", "up", "chain", "loop", "suid", "sock"))
    assert box.get("/app/a/abs").entries == {}
    assert box.get("/app/a/loop/x") is None


def test_no_more_rights_than_needed(start):
    box = start()
    root = box.shell(user="root")
    assert root.run("mount -t tmpfs none /mnt").exit_code != 0
    assert root.run("unshare -n true").exit_code != 0
    assert root.run("date -s 2001-01-01").exit_code != 0
    assert root.run("echo b >/proc/sysrq-trigger").exit_code != 0
    assert root.run("python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)'").exit_code != 0
    assert root.run("ls /var/run/docker.sock").exit_code != 0
    root.run("cp /usr/bin/id /usr/local/bin/sid; chmod 4755 /usr/local/bin/sid")
    assert box.shell().run("/usr/local/bin/sid -u").output == "1000\n"
    assert root.run("su agent -c 'id -un'; useradd new && id -un new").output == "agent\nnew\n"


def test_no_way_out(start):
    result = (
        start()
        .shell()
        .run(
            "python3 -c 'import socket; socket.create_connection((\"172.17.0.1\", 22), 2)'; curl -m 3 -s http://deb.debian.org"
        )
    )
    assert result.exit_code != 0
    assert "unreachable" in result.output


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("forks", f"python3 -c '{FORK_BOMB}'".replace("\n", "\\n")),
        ("sleep", "sleep 1000"),
        ("background", "(setsid sleep 1000 &) ; sleep 1000"),
    ],
)
def test_builds_that_never_end(build, name, run):
    run = run.replace("\\n", "'$'\\n''") if name != "forks" else "python3 /bomb.py"
    started = time.monotonic()
    with pytest.raises(BuildFailed, match="within"):
        build(f"FROM envwheel/base:bookworm\nCOPY bomb.py /\nRUN {run}\n", {"bomb.py": FORK_BOMB}, timeout_s=6)
    assert time.monotonic() - started < 40


def test_build_that_takes_memory(engine, build):
    if "confined_builds" in engine.lacks:
        pytest.skip("this host cannot confine builds")
    with pytest.raises(BuildFailed):
        build("FROM envwheel/base:bookworm\nRUN python3 -c 'x = bytearray(5 << 30)'\n")


def test_build_that_fills_the_disk(build):
    with pytest.raises(BuildFailed):
        build("FROM envwheel/base:bookworm\nRUN for i in 1 2 3 4 5 6 7 8; do head -c 3G /dev/zero >/f$i; done\n")


def test_build_that_leaves_holes(build):
    with pytest.raises(BuildFailed):
        build("FROM envwheel/base:bookworm\nRUN truncate -s 50G /hole\n")
    with pytest.raises(BuildFailed, match="disk"):
        build("FROM envwheel/base:bookworm\nRUN for i in $(seq 30); do truncate -s 4G /hole$i; done\n")
