"""What every engine promises, on a real one: boxes, shells, users, limits, copies, images, the clock."""

from __future__ import annotations

import time

import pytest

from envwheel.errors import BoxGone, BuildFailed, InfraError
from envwheel.sandbox.aliases import Alias
from envwheel.sandbox.base import ArchiveCaps, ArtifactLimit, Entry, Tree

pytestmark = pytest.mark.e2e


def test_a_shell_keeps_its_state(start):
    shell = start().shell()
    assert shell.run("cd /tmp; X=1; f() { echo f-$X; }").exit_code == 0
    assert shell.run("echo $PWD; f").output == "/tmp\nf-1\n"


@pytest.mark.parametrize(
    ("command", "code", "output"),
    [
        ("printf abc; (exit 7)", 7, "abc"),
        ("cat; read x; echo end", 0, "end\n"),
        ("cat <<'EOF'\n'\"$x\nEOF", 0, "'\"$x\n"),
        ("echo one; # comment", 0, "one\n"),
        ("echo 'a\nb' \\\n c", 0, "a\nb c\n"),
        ("sleep 60 & echo on", 0, "on\n"),
        ("printf '\\0\\377\\1'", 0, "\0\ufffd\1"),
        ("echo out; echo err >&2", 0, "out\nerr\n"),
        ("exec >/dev/null; echo lost", 0, ""),
        ("set -u; set -o pipefail; false | true", 1, ""),
        ("", 0, ""),
    ],
)
def test_commands_that_could_upset_a_shell(shared_shell, command, code, output):
    result = shared_shell.run(command)
    assert (result.exit_code, result.output, result.shell_lost) == (code, output, False)
    assert shared_shell.run("echo next").output == "next\n"


@pytest.mark.parametrize(("command", "code"), [("echo 'open", 2), ("if true; then )", 2), ("${", 2)])
def test_a_syntax_error_is_an_exit_code(shared_shell, command, code):
    shared_shell.run("KEPT=1")
    result = shared_shell.run(command)
    assert result.exit_code == code
    assert not result.shell_lost
    assert shared_shell.run("echo $KEPT").output == "1\n"


@pytest.mark.parametrize(
    ("command", "code"), [("exit 3", 3), ("exec false", 1), ("kill -9 $$", 137), ("set -e; false; echo no", 1)]
)
def test_a_shell_that_ends_is_replaced(start, command, code):
    shell = start().shell()
    result = shell.run(command)
    assert (result.exit_code, result.shell_lost, result.output) == (code, True, "")
    assert shell.run("pwd").output == "/app\n"


def test_time_limits_kill_commands_not_boxes(start):
    shell = start().shell()
    shell.run("cd /tmp")
    result = shell.run("(trap '' TERM; setsid sleep 300) & sleep 300", timeout_s=1)
    assert (result.exit_code, result.timed_out, result.shell_lost) == (None, True, False)
    assert shell.run("pwd; pgrep -u agent sleep").output == "/tmp\n"
    stubborn = shell.run("trap '' INT TERM; while :; do :; done", timeout_s=1)
    assert (stubborn.timed_out, stubborn.shell_lost) == (True, True)
    assert shell.run("echo back").output == "back\n"


def test_the_next_command_hears_nothing_of_what_a_time_limit_killed(shared_shell):
    for _ in range(20):
        assert shared_shell.run("sleep 300 & (sleep 300; true) & sleep 300", timeout_s=0.05).timed_out
        assert shared_shell.run("echo next").output == "next\n"


def test_output_is_capped_at_both_ends(start):
    result = start().shell().run("echo head; yes x | head -c 5000000; echo tail", output_cap=1000)
    assert result.exit_code == 0
    assert result.truncated
    assert result.output.startswith("head\n")
    assert result.output.endswith("tail\n")
    assert len(result.output) < 1200


@pytest.mark.needs("users")
def test_users_and_environment(start):
    box = start(env={"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "7"}, hostname="mill")
    assert box.shell().run("id -un; hostname; date +%Z; echo $PYTHONHASHSEED").output == "agent\nmill\nJST\n7\n"
    assert box.shell(user="root", env={"A": "b c"}).run("id -un; echo $A").output == "root\nb c\n"


@pytest.mark.needs("users")
def test_an_image_brings_its_user_and_workdir(build, start):
    image = build("FROM envwheel/base:bookworm\nWORKDIR /srv/deep\nUSER nobody\n")
    assert (image.user, image.workdir) == ("nobody", "/srv/deep")
    assert start(image=image.id, user=None).shell().run("id -un; pwd").output == "nobody\n/srv/deep\n"


def test_files_go_in_and_come_out(start, person):
    box = start()
    tree = Tree(
        {
            "/data": Entry("dir", 0o755),
            "/data/run": Entry("file", 0o755, b"#!/bin/sh\necho hi\n"),
            "/data/link": Entry("link", 0o777, target="run"),
            "/data/é\n": Entry("file", 0o600, b"\0\xff"),
        }
    )
    box.put(tree, owner=(1000, 1000))
    assert box.shell().run("stat -c %U /data/run; /data/link").output == f"{person}\nhi\n"
    back = box.get("/data")
    assert back is not None
    assert back.sha256() == tree.sha256()
    assert box.get("/nothing") is None
    assert box.get("/data/run/below") is None


def test_put_replaces_links_and_does_not_follow_them(start):
    box = start()
    box.shell(user="root").run("ln -s /app /tests; touch /app/mine; mkdir /x; ln -s /etc/passwd /x/f")
    box.put(Tree({"/tests": Entry("dir", 0o700), "/tests/t": Entry("file", 0o600, b"t")}))
    box.put(Tree({"/x/f": Entry("file", 0o600, b"new")}))
    out = box.shell(user="root").run("ls /app /tests; stat -c %F /tests; head -c 4 /etc/passwd")
    assert out.output == "/app:\nmine\n\n/tests:\nt\ndirectory\nroot"


def test_after_stop_files_can_still_be_taken(engine, start):
    box = start()
    shell = box.shell()
    shell.run("echo kept >/app/f; sleep 100 &")
    box.stop()
    taken = box.get("/app/f")
    assert taken is not None
    assert taken.entries["/app/f"].data == b"kept\n"
    assert box.gone() is None
    peak = box.usage().peak_mb
    assert (peak is None) if "limits" in engine.lacks else (peak is not None and 0 < peak < 256)


def test_caps_on_copies(start):
    box = start()
    box.shell().run("mkdir a; cd a; seq 300 | xargs touch; head -c 3000000 /dev/zero >big")
    with pytest.raises(ArtifactLimit):
        box.get("/app/a", ArchiveCaps(members=100))
    with pytest.raises(ArtifactLimit):
        box.get("/app/a", ArchiveCaps(size_mb=2))
    assert box.get("/app/a", ArchiveCaps(size_mb=4, members=302)) is not None


@pytest.mark.needs("limits")
def test_memory_and_process_limits_hold(start):
    box = start()
    shell = box.shell()
    assert shell.run("python3 -c 'x = bytearray(400 << 20)'").exit_code == 137
    assert "fork" in shell.run("for i in $(seq 200); do sleep 5 >/dev/null 2>&1 & done", timeout_s=60).output
    assert box.gone() is None


def test_a_box_ends_after_its_lifetime(start):
    box = start(lifetime_s=2.0)
    deadline = time.monotonic() + 20
    while box.gone() is None and time.monotonic() < deadline:
        time.sleep(0.2)
    assert box.gone() == "lifetime"
    with pytest.raises(BoxGone):
        box.shell()


def test_the_clock_can_be_shifted(engine, start):
    if "clock" in engine.lacks:
        pytest.skip("this host has no libfaketime")
    shell = start(clock_days=400).shell()
    for command in ("date +%s", "env -i /usr/bin/date +%s", "python3 -c 'import time; print(int(time.time()))'"):
        assert int(shell.run(command).output) - time.time() == pytest.approx(400 * 86400, abs=120)


@pytest.mark.parametrize("more", ["", 'CMD ["true"]\n'])
def test_an_image_that_adds_nothing_to_its_base_is_an_image(build, start, more):
    image = build(f"FROM envwheel/base:bookworm\n{more}")
    assert start(image=image.id).shell().run("echo up").output == "up\n"


def test_one_content_is_built_once(engine, build):
    first = build("FROM envwheel/base:bookworm\nRUN date +%N >/stamp\nCOPY f /f\n", {"f": "one"})
    assert build("FROM envwheel/base:bookworm\nRUN date +%N >/stamp\nCOPY f /f\n", {"f": "one"}) == first
    assert build("FROM envwheel/base:bookworm\nRUN date +%N >/stamp\nCOPY f /f\n", {"f": "two"}) != first
    assert first.base_id == engine.image("envwheel/base:bookworm").id


def test_stages_arguments_and_aliases(build, start):
    image = build(
        "# syntax=docker/dockerfile:1\nARG SUITE=bookworm-slim\nFROM debian:${SUITE} AS maker\n"
        "RUN echo made \\\n  # a comment\n  >/made\nFROM maker\n"
        "FROM envwheel/base:bookworm\nCOPY --from=maker /made /app/\n"
    )
    assert start(image=image.id).shell().run("cat /app/made").output == "made\n"


def test_a_stand_in_is_used_and_named(engine, build, start):
    engine.alias(Alias("foreign/image:1", "envwheel/base:bookworm"))
    image = build("FROM docker.io/foreign/image:1\nRUN echo made >/made\n")
    assert image.aliases == (("foreign/image:1", "envwheel/base:bookworm"),)
    assert image.base_id == engine.image("envwheel/base:bookworm").id
    assert engine.image("foreign/image:1").aliases == image.aliases
    assert build("FROM envwheel/base:bookworm\nRUN echo own >/made\n").aliases == ()
    with pytest.raises(BuildFailed, match="nowhere/nothing:1"):
        engine.alias(Alias("foreign/other:1", "nowhere/nothing:1"))


@pytest.mark.parametrize(
    ("dockerfile", "words"),
    [
        ("FROM nowhere/nothing:1\n", "nowhere/nothing:1"),
        ("FROM envwheel/base:bookworm\nRUN echo told; exit 4\n", "returned a non-zero code: 4"),
        ("FROM envwheel/base:bookworm\nBANG\n", "BANG"),
        ("RUN true\n", "FROM"),
        ("", "FROM"),
        ("FROM envwheel/base:bookworm\nADD http://127.0.0.1/x /x\n", "ADD"),
        ("FROM envwheel/base:bookworm\nARG U=http://127.0.0.1/x\nADD $U /x\n", "ADD"),
        ("FROM envwheel/base:bookworm\nCOPY ../../etc/passwd /x\n", ""),
    ],
)
def test_builds_that_fail_say_why(build, dockerfile, words):
    with pytest.raises(BuildFailed) as failed:
        build(dockerfile, network=False)
    assert words in str(failed.value)


def test_the_log_of_a_failed_build_is_kept(build):
    with pytest.raises(BuildFailed) as failed:
        build("FROM envwheel/base:bookworm\nRUN echo the last words; exit 4\n", network=False)
    assert "the last words" in failed.value.log_tail


def test_every_file_of_every_layer_is_seen(engine, build):
    image = build(
        "FROM envwheel/base:bookworm\nRUN echo secret >/app/gone; echo old >/app/f; mkdir /app/d; echo x >/app/d/x\n"
        "RUN rm /app/gone; echo new >/app/f; rm -r /app/d; mkdir /app/d; ln -s /etc/passwd /app/l\n"
    )
    seen = {(file.path, file.layer): (file.visible, file.read()) for file in engine.image_files(image)}
    assert seen == {
        ("/app/gone", 0): (False, b"secret\n"),
        ("/app/f", 0): (False, b"old\n"),
        ("/app/d/x", 0): (False, b"x\n"),
        ("/app/f", 1): (True, b"new\n"),
    }


def test_an_image_that_is_gone_is_our_failure(start):
    with pytest.raises(InfraError):
        start(image="sha256:" + "0" * 64)


def test_a_user_that_is_not_there_is_the_boxes_failure(start):
    with pytest.raises(BoxGone, match="nosuch"):
        start(user="nosuch").shell()


@pytest.mark.needs("network")
def test_no_network_unless_asked(start):
    devices = "cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' \\n'"
    assert start().shell().run(devices).output == "lo"
    assert "eth0" in start(network=True).shell().run(devices).output


@pytest.mark.parametrize("network", [False, True])
@pytest.mark.parametrize("name", ["localhost", "studio"])
def test_a_box_serves_itself_by_name(engine, start, network, name):
    if network and "network" in engine.lacks:
        pytest.skip("boxes have no network on this engine")
    shell = start(network=network, hostname="studio").shell()
    served = f"import socket; s = socket.create_server(('{name}', 0)); socket.create_connection(s.getsockname())"
    assert shell.run(f'python3 -c "{served}"').exit_code == 0
