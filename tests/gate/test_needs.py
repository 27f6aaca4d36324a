"""A task that needs what an engine lacks: our side's failure, in one line, before anything is built."""

from __future__ import annotations

from typing import Any

import pytest

from envwheel.domains import Domains
from envwheel.environment.folder import read
from envwheel.errors import HostLacks
from envwheel.gate.lab import with_retries
from envwheel.gate.ladder import GateOptions, judge
from envwheel.needs import refuse
from envwheel.sandbox.fake import FakeEngine

USERS = FakeEngine(lacks=frozenset({"users"}))


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"tests/run.py": "import os\nos.setresuid(65534, 65534, 65534)\n"}, "tests/run.py"),
        ({"tests/kit/grade_reap.py": "NOBODY = 65534\n"}, "tests/kit/grade_reap.py"),
        ({"solution/solve.sh": "chown daemon /app/out.txt\n"}, "solution/solve.sh"),
    ],
)
def test_scripts_that_have_to_do_with_other_users_need_users(write_task: Any, files: dict[str, str], why: str) -> None:
    with pytest.raises(HostLacks, match=why):
        refuse(USERS, read(write_task(files)))


def test_an_agent_that_is_not_root_needs_users(write_task: Any) -> None:
    task = write_task()
    toml = (task / "task.toml").read_text().replace("timeout_sec = 100.0", 'timeout_sec = 100.0\nuser = "agent"')
    (task / "task.toml").write_text(toml)
    with pytest.raises(HostLacks, match=r"\[agent\] user is agent"):
        refuse(USERS, read(task))


def test_an_image_that_is_not_roots_needs_users(write_task: Any) -> None:
    with pytest.raises(HostLacks, match="USER of its image is daemon"):
        refuse(USERS, read(write_task()), "daemon")


def test_a_task_of_root_and_plain_scripts_needs_nothing(write_task: Any) -> None:
    refuse(FakeEngine(lacks=frozenset({"users", "limits", "network"})), read(write_task()), "root")


@pytest.mark.parametrize("lack", ["users", "limits", "network"])
def test_a_task_can_say_what_it_needs(write_task: Any, lack: str) -> None:
    task = read(write_task(more=f'[metadata.envwheel]\nneeds = ["{lack}"]\n'))
    refuse(FakeEngine(), task)
    with pytest.raises(HostLacks, match=f"it needs {lack}"):
        refuse(FakeEngine(lacks=frozenset({lack})), task)


def test_a_task_with_a_network_needs_network(write_task: Any) -> None:
    with pytest.raises(HostLacks, match="asks for a network"):
        refuse(FakeEngine(lacks=frozenset({"network"})), read(write_task(more='network_mode = "public"\n')))


def test_a_refusal_is_infra_in_one_line(write_task: Any, play: Any) -> None:
    task = write_task({"tests/run.sh": "setpriv --reuid=1 true\n"})
    options = GateOptions(back_off_s=(0.0, 0.0, 0.0))
    verdict = judge(task, play(lacks=frozenset({"users"})).engine, Domains.none(), options=options)
    assert (verdict.verdict, verdict.code, verdict.stage) == ("infra", "host", "build")
    assert "this engine lacks other users than root" in verdict.message
    assert "\n" not in verdict.message


def test_without_a_network_a_reference_that_fails_is_not_tried_with_one(write_task: Any, play: Any) -> None:
    game = play(solve=lambda run: run.write("/app/out.txt", "41\n"), lacks=frozenset({"network"}))
    verdict = judge(write_task(), game.engine, Domains.none())
    assert (verdict.verdict, verdict.code, verdict.skipped) == ("rejected", "reference_fails", ("network",))


def test_a_lack_is_not_tried_again() -> None:
    tries: list[int] = []

    def build() -> None:
        tries.append(1)
        raise HostLacks("no")

    with pytest.raises(HostLacks):
        with_retries(build, (0.0, 0.0, 0.0))
    assert len(tries) == 1
