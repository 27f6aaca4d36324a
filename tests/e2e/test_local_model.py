"""The embedded model, really fetched and really run."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from envwheel.errors import ContextOverflow, ModelUnavailable
from envwheel.model.base import Completion, Message, Model, Sampling
from envwheel.model.registry import open_model
from envwheel.presets import TINY

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    pytest.importorskip("xllamacpp")
    model = open_model("local", {"slots": 4, "context": 1024})
    yield model
    model.close()


def conversation(task: str) -> list[Message]:
    shots = [
        Message(role, text) for pair in TINY.few_shot for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    return [Message("system", TINY.system), *shots, Message("user", task)]  # type: ignore[list-item]


def test_many_at_once_with_ids_and_logprobs(model: Model) -> None:
    def one(seed: int) -> Completion:
        return model.complete(conversation("Make run.sh executable."), [], Sampling(0.7, max_tokens=24, seed=seed))

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(one, range(8)))
    assert sum("chmod" in answer.text for answer in answers) >= 2
    assert len({answer.text for answer in answers}) > 1
    for answer in answers:
        assert answer.usage.output_tokens == len(answer.completion_token_ids) == len(answer.logprobs) <= 24
        assert answer.usage.input_tokens == len(answer.prompt_token_ids) > 100
        assert all(logprob <= 0 for logprob in answer.logprobs)
        assert answer.model == "SmolLM2-135M-Instruct"


def test_overflow(model: Model) -> None:
    with pytest.raises(ContextOverflow):
        model.complete([Message("user", "word " * 3000)], [], Sampling())


def test_closing_frees_the_model() -> None:
    pytest.importorskip("xllamacpp")
    model = open_model("local", {"slots": 1, "context": 512})
    model.complete([Message("user", "hi")], [], Sampling(max_tokens=2))
    model.close()
    with pytest.raises(ModelUnavailable):
        model.complete([Message("user", "hi")], [], Sampling(max_tokens=2))
