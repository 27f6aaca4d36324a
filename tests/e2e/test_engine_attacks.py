"""Hostile code in a box or a build: host, engine and the next box stay unharmed."""

from __future__ import annotations

import contextlib
import os
import resource
import socket
import subprocess
import tarfile
import threading
import time
from pathlib import Path

import pytest

from envwheel.errors import BoxGone, BuildFailed, InfraError
from envwheel.sandbox import owner
from envwheel.sandbox.base import ArchiveCaps, ArtifactLimit, BoxLimits, Engine, Entry, Tree

pytestmark = pytest.mark.e2e

FORK_BOMB = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass\n"


@pytest.fixture(autouse=True)
def the_next_box_works(engine, start):
    """After each attack a fresh box does its work."""
    yield
    assert start().shell().run("echo fine").output == "fine\n"


def rss_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@pytest.mark.needs("limits")
def test_fork_bomb(start):
    box = start()
    shell = box.shell()
    # Either the bomb could be killed, or the box was ended because nothing could be started in it.
    with contextlib.suppress(BoxGone):
        assert shell.run(f"python3 -c '{FORK_BOMB}'", timeout_s=3).timed_out
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
    shell.run("while ps -eo stat | grep -q Z; do sleep 0.1; done", timeout_s=30)
    assert shell.run("ps -eo stat | grep -c Z").output == "0\n"


def test_filling_the_disk_ends_the_box(start):
    box = start()
    shell = box.shell()
    fill = "for i in $(seq 60); do head -c 100M /dev/zero >/tmp/f$i; sleep 0.3; done"
    with pytest.raises(BoxGone) as gone:
        shell.run(fill, timeout_s=60)
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
        timeout_s=500,
    )
    assert made.exit_code == 0
    with pytest.raises(ArtifactLimit):
        box.get("/app/m", ArchiveCaps(members=10_000))


def test_empty_files_fill_a_disk_too(start):
    code = "import os\nfor i in range(60000): open(f'/tmp/{i}', 'w').close()"
    with pytest.raises(BoxGone) as gone:
        start(limits=BoxLimits(memory_mb=256, disk_mb=64)).shell().run(f'python3 -c "{code}"; sleep 20', timeout_s=300)
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
    assert all(word in said for word in ("fifo", "abs", "up", "chain", "loop", "suid"))
    for special in ("abs", "fifo", "sock"):
        assert box.get(f"/app/a/{special}").entries == {}
    assert box.get("/app/a/loop/x") is None


@pytest.mark.needs("users")
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


TAKE_THE_HOSTS_PROGRAM = """
import os, struct, time
# A program that waits, in the place of the loader: whatever starts from now on stays at its first instruction.
head = b"\\x7fELF\\x02\\x01\\x01" + bytes(9)
head += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 120, 64, 0, 0, 64, 56, 1, 0, 0, 0)
code = b"\\xb8\\x22\\x00\\x00\\x00\\x0f\\x05\\xeb\\xf7"
part = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, 120 + len(code), 120 + len(code), 4096)
ours = {os.readlink(f"/proc/{pid}/exe") for pid in filter(str.isdigit, os.listdir("/proc"))}
open("/lib64/new", "wb").write(head + part + code)
open("/usr/bin/new", "w").write("#!/proc/self/exe\\n")
for path, place in (("/lib64/new", "/lib64/ld-linux-x86-64.so.2"), ("/usr/bin/new", "/usr/bin/bash")):
    os.chmod(path, 0o755)
    os.rename(path, place)
open("/app/ready", "w").close()
end, met, wrote = time.monotonic() + 8, set(), set()
while time.monotonic() < end and not met:
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            held = os.open(f"/proc/{pid}/exe", os.O_PATH)
        except OSError:
            continue
        name = os.readlink(f"/proc/self/fd/{held}")
        if name in ours or name.removesuffix(" (deleted)") in ours:
            os.close(held)
            continue
        met.add(name)
        os.kill(int(pid), 9)
        for _ in range(400):
            try:
                os.close(os.open(f"/proc/self/fd/{held}", os.O_WRONLY))
                wrote.add(name)
                break
            except OSError:
                time.sleep(0.0005)
        os.close(held)
print("met", len(met), "wrote", sorted(wrote))
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="its loader is a program for x86-64")
def test_a_shell_that_is_a_script_of_the_hosts_program(start):
    """What enters a box is for a moment a program of the host: it must not be possible to write to that file."""
    box = start()
    root = box.shell(user="root")
    box.put(Tree({"/thief.py": Entry("file", 0o600, TAKE_THE_HOSTS_PROGRAM.encode())}))
    told: list[str] = []
    thief = threading.Thread(target=lambda: told.append(root.run("python3 /thief.py", timeout_s=60).output))
    thief.start()
    while box.get("/app/ready") is None and thief.is_alive():
        time.sleep(0.05)
    with contextlib.suppress(BoxGone, InfraError):
        box.shell(user="root").close()
    thief.join()
    print(told)
    assert told[0].endswith("wrote []\n")


def test_a_network_does_not_reach_what_listens_on_the_hosts_loopback(start):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        code = "import socket, sys\nfor host in sys.argv[2:]:\n"
        code += "  try: socket.create_connection((host, int(sys.argv[1])), 2); print(host)\n  except OSError: pass"
        told = start(network=True).shell().run(f"python3 -c '{code}' {port} 127.0.0.1 10.0.2.2 172.17.0.1")
        assert (told.exit_code, told.output) == (0, "")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts")
def test_a_network_leaves_the_hosts_mounts_alone(start, tmp_path):
    """What lies below a shared mount, as Docker's boxes do, was once unmounted by a router's own sandbox."""
    subprocess.run(["mount", "--bind", tmp_path, tmp_path], check=True)
    try:
        subprocess.run(["mount", "--make-shared", tmp_path], check=True)
        (tmp_path / "below").mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "none", tmp_path / "below"], check=True)
        start(network=True).shell().run("true")
        assert (tmp_path / "below").is_mount()
    finally:
        subprocess.run(["umount", "--recursive", tmp_path], check=True)


@pytest.mark.parametrize(
    "run",
    [
        "mount -t tmpfs none /mnt",
        "unshare -m true",
        "mknod /d b 7 0 && : </d",
        "chroot / true && test -e /proc/1/root{secret}",
        "cat /proc/1/root{secret}",
        "for d in /proc/[0-9]*; do cat $d/root{secret} $d/cwd{secret}; done 2>/dev/null",
        "echo 1 >/proc/sys/kernel/sysrq",
        "ls /run/docker.sock /var/run/docker.sock",
        "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", {port}), 2)'",
        "date -s 2001-01-01",
    ],
)
def test_builds_reach_nothing_of_the_host(small_builds, tmp_path, run):
    context = tmp_path / "context"
    context.mkdir()
    (tmp_path / "secret").write_text("the host's\n")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        step = run.replace("{secret}", str(tmp_path / "secret")).replace("{port}", str(listener.getsockname()[1]))
        with pytest.raises(BuildFailed):
            build_small(small_builds, context, step)


def test_a_device_in_an_archive_cannot_be_opened(small_builds, tmp_path):
    with tarfile.open(tmp_path / "devices.tar", "w") as archive:
        device = tarfile.TarInfo("disk")
        device.type, device.devmajor, device.devminor, device.mode = tarfile.BLKTYPE, 7, 0, 0o666
        archive.addfile(device)
    (tmp_path / "Dockerfile").write_text("FROM envwheel/base:bookworm\nADD devices.tar /\nRUN : </disk\n")
    with pytest.raises(BuildFailed):
        small_builds.build(tmp_path, timeout_s=60)


def test_a_build_that_kills_everything_it_sees(small_builds, tmp_path):
    innocent = subprocess.Popen(["sleep", "60"])
    try:
        with contextlib.suppress(BuildFailed):
            build_small(small_builds, tmp_path, "kill -9 -1; for p in $(seq 9999); do kill -9 $p 2>/dev/null; done")
        assert innocent.poll() is None
    finally:
        innocent.kill()
        innocent.wait()


def build_small(engine: Engine, tmp_path: Path, run: str, timeout_s: float = 60.0) -> None:
    (tmp_path / "bomb.py").write_text(FORK_BOMB)
    (tmp_path / "Dockerfile").write_text(f"FROM envwheel/base:bookworm\nCOPY bomb.py /\nRUN {run}\n")
    engine.remove(engine.build(tmp_path, timeout_s=timeout_s))


@pytest.mark.parametrize("run", ["python3 /bomb.py", "sleep 1000", "(setsid sleep 1000 &) ; sleep 1000"])
def test_builds_that_never_end(small_builds, tmp_path, run):
    started = time.monotonic()
    with pytest.raises(BuildFailed, match="within"):
        build_small(small_builds, tmp_path, run, timeout_s=6)
    assert time.monotonic() - started < 40


@pytest.mark.parametrize(
    "run",
    [
        "python3 -c 'x = bytearray(400 << 20)'",
        "for i in $(seq 20); do head -c 200M /dev/zero >/f$i; done",
        "truncate -s 50G /hole",
        "for i in $(seq 100); do truncate -s 256M /hole$i; done",
        "python3 -c \"[open(f'/{i}', 'w').close() for i in range(90000)]\"",
    ],
)
def test_builds_that_take_too_much(small_builds, tmp_path, run):
    if "confined_builds" in small_builds.lacks:
        pytest.skip("this host cannot confine builds")
    with pytest.raises(BuildFailed):
        build_small(small_builds, tmp_path, run)


@pytest.mark.parametrize("to", ["/", "/etc", "../../../../../../../../etc"])
def test_a_build_that_moves_its_folders_away_reaches_nothing_of_the_host(small_builds, tmp_path, to):
    watched = [Path("/etc") / name for name in ("hosts", "hostname", "resolv.conf", "passwd")]
    before = [path.read_bytes() if path.exists() else None for path in watched]
    with contextlib.suppress(BuildFailed):
        build_small(small_builds, tmp_path, f"mkdir /e; cp -a /etc/. /e; rm -rf /etc; ln -s {to} /etc; true")
    assert [path.read_bytes() if path.exists() else None for path in watched] == before


def test_failed_builds_leave_nothing(small_builds, held, tmp_path):
    before = set(held(str(owner.current())))
    for run in ("mkdir /made; false", "sleep 100"):
        with pytest.raises(BuildFailed):
            build_small(small_builds, tmp_path, run, timeout_s=4)
    assert set(held(str(owner.current()))) <= before
    groups = Path("/sys/fs/cgroup/pids/envwheel-builds")
    assert not list(groups.glob(f"*-{os.getpid()}"))
