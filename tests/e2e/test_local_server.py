"""Our client of chat completions against llama.cpp's own server with the embedded model: the same troubles, really."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from envwheel.agent import AgentReport, AgentSettings, run_agent
from envwheel.errors import ContextOverflow, ModelTimeout, ModelUnavailable
from envwheel.model.base import Message, Model, Sampling
from envwheel.model.registry import open_model
from envwheel.sandbox.base import BoxSpec
from envwheel.sandbox.fake import BASE, FakeEngine

pytestmark = pytest.mark.e2e

SERVER = """
import sys
from envwheel.model.registry import open_model
model = open_model("local", {"slots": 2, "context": 512})
print(model.address, flush=True)
sys.stdin.read()
"""
HI = [Message("user", "hi")]


@pytest.fixture(scope="module")
def server() -> Iterator[Model]:
    pytest.importorskip("xllamacpp")
    model = open_model("local", {"slots": 4, "context": 512})
    yield model
    model.close()


def client(address: str, **settings: Any) -> Model:
    """The client, without retries."""
    table = {"base_url": f"{address}/v1", "api_key_env": "", "tools": False, "retries": 0}
    return open_model("openai:smol", table | settings)


def test_many_at_once_with_usage_and_ids(server: Any) -> None:
    model = client(server.address, logprobs=True)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda seed: model.complete(HI, [], Sampling(max_tokens=8, seed=seed)), range(8)))
    assert all(answer.usage.output_tokens == len(answer.completion_token_ids) <= 8 for answer in answers)
    assert all(len(answer.logprobs) == len(answer.completion_token_ids) for answer in answers)
    assert all(answer.usage.dollars is None for answer in answers)
    assert any(answer.usage.cached_tokens > 0 for answer in answers)


def test_a_cut_answer_an_empty_one_and_one_that_comes_too_late(server: Any) -> None:
    assert client(server.address).complete(HI, [], Sampling(max_tokens=3)).finish_reason == "length"
    empty = client(server.address, extra_body={"grammar": 'root ::= ""'}).complete(HI, [], Sampling())
    assert (empty.text, empty.tool_calls) == ("", ())
    endless = client(server.address, extra_body={"ignore_eos": True})
    with pytest.raises(ModelTimeout):
        endless.complete(HI, [], Sampling(max_tokens=300, timeout_s=0.3))
    odd = client(server.address, extra_body={"grammar": "no grammar at all"})
    with pytest.raises(ModelUnavailable):
        odd.complete(HI, [], Sampling())


def test_a_conversation_that_overflows_goes_on_without_old_outputs(server: Any) -> None:
    with pytest.raises(ContextOverflow):
        client(server.address).complete([Message("user", "word " * 3000)], [], Sampling())
    steps: list[Any] = []
    report = work(client(server.address, extra_body={"grammar": 'root ::= "```bash\\nprint-much\\n```"'}), steps)
    assert (report.reason, report.turns) == ("turns", 6)
    assert report.usage.input_tokens > 512


def work(model: Model, steps: list[Any]) -> AgentReport:
    """Six turns in a fake box whose command prints 100 tokens and more."""
    boxes = FakeEngine()
    boxes.program("print-much", lambda run: "some words of output\n" * 25)
    settings = AgentSettings(system="Work.", turns=6, sampling=Sampling(max_tokens=32))
    with boxes.start(BoxSpec(BASE, "work")) as box:
        return run_agent(model, box.shell(), "Go.", settings=settings, timeout_s=300.0, on_step=steps.append)


def test_a_server_that_is_killed_in_the_middle_of_an_answer() -> None:
    pytest.importorskip("xllamacpp")
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        model = client(process.stdout.readline().strip(), extra_body={"ignore_eos": True})
        assert model.complete(HI, [], Sampling(max_tokens=2)).finish_reason == "length"
        threading.Timer(0.3, process.kill).start()
        with pytest.raises(ModelUnavailable):
            model.complete(HI, [], Sampling(max_tokens=400))
    with pytest.raises(ModelUnavailable, match="no connection"):
        model.complete(HI, [], Sampling(max_tokens=2))
