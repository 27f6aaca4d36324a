"""The floor under any gate on Docker: the same trials as bare Engine API calls, standard library only.

Build once a task, then for each trial: create, start, put the solution, run it, put the tests, run them, read the
reward, remove; at last the image is removed. No checks, no limits but memory and CPU, no records: a lower bound, not a
product.
"""

from __future__ import annotations

import http.client
import io
import json
import socket
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SOCKET = "/var/run/docker.sock"
API = "/v1.41"


class _Connection(http.client.HTTPConnection):
    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(SOCKET)


def _call(method: str, path: str, body: object = None, kind: str = "application/json") -> bytes:
    connection = _Connection("localhost")
    data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
    connection.request(method, API + path, data, {"Content-Type": kind} if data is not None else {})
    reply = connection.getresponse()
    content = reply.read()
    connection.close()
    if reply.status >= 400:
        raise RuntimeError(f"{method} {path}: {reply.status} {content[:200]!r}")
    return content


def _tar(folder: Path, prefix: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.add(folder, prefix)
    return buffer.getvalue()


def _execute(box: str, command: str) -> None:
    made = json.loads(_call("POST", f"/containers/{box}/exec", {"Cmd": ["bash", "-c", command], "AttachStdout": True}))
    _call("POST", f"/exec/{made['Id']}/start", {"Detach": False})


def trial(image: str, task: Path, reference: bool) -> float:
    """One trial in one box (shared verifier); returns the reward."""
    host = {"Init": True, "NanoCpus": 10**9, "Memory": 512 << 20, "NetworkMode": "none"}
    box = json.loads(_call("POST", "/containers/create", {"Image": image, "Cmd": ["sleep", "600"], "HostConfig": host}))
    box_id = box["Id"]
    _call("POST", f"/containers/{box_id}/start")
    if reference:
        _call("PUT", f"/containers/{box_id}/archive?path=/", _tar(task / "solution", "solution"), "application/x-tar")
        _execute(box_id, "bash /solution/solve.sh")
    _call("PUT", f"/containers/{box_id}/archive?path=/", _tar(task / "tests", "tests"), "application/x-tar")
    _execute(box_id, "mkdir -p /logs/verifier; rm -f /logs/verifier/reward.*; bash /tests/test.sh")
    reply = _call("GET", f"/containers/{box_id}/archive?path=/logs/verifier/reward.txt")
    with tarfile.open(fileobj=io.BytesIO(reply)) as archive:
        member = archive.extractfile("reward.txt")
        assert member is not None
        reward = float(member.read())
    _call("DELETE", f"/containers/{box_id}?force=1&v=1")
    return reward


def check(task: Path) -> tuple[float, float]:
    """Rewards of the untouched state and of the reference of one task."""
    tag = f"floor-{task.name}"
    _call("POST", f"/build?t={tag}&rm=1&forcerm=1", _tar(task / "environment", "."), "application/x-tar")
    rewards = trial(tag, task, False), trial(tag, task, True)
    _call("DELETE", f"/images/{tag}?force=1")
    return rewards


def run(tasks: list[Path], jobs: int) -> list[tuple[float, float]]:
    """All tasks, `jobs` at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(check, tasks))
