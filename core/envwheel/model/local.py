"""A language model in this process, without a key: llama.cpp by way of `xllamacpp` (extra `[local]`, no torch).

By default it is SmolLM2-135M-Instruct (weights.py), small enough for two cores; `path` names any other GGUF file with a
chat template. Calls run side by side in `slots`. Every answer brings its prompt's token ids, its own, and the
log-probabilities with which they were drawn: after temperature, so what an importance ratio needs.

Settings: path, name, slots, context (tokens of one conversation), threads, timeout_s.
"""

from __future__ import annotations

import json
import math
import os
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from envwheel.errors import ConfigError, ContextOverflow, ModelTimeout, ModelUnavailable, SetupError
from envwheel.model import wire
from envwheel.model.base import Completion, Message, ModelUsage, Sampling, Tool
from envwheel.model.settings import known, number
from envwheel.model.weights import weights


def open_model(settings: Mapping[str, Any]) -> LocalModel:
    """Load the model. Raises SetupError (package or weights missing) and ConfigError."""
    known(settings, "argument path name slots context threads timeout_s")
    try:
        import xllamacpp
    except ImportError:
        raise SetupError(
            "The package `xllamacpp` is not installed. Install it with: pip install 'envwheel[local]'"
        ) from None
    given = settings.get("argument") or settings.get("path")
    path = Path(str(given)).expanduser() if given else weights()
    if not path.is_file():
        raise ConfigError(f"local: there is no file {path}. `path` names a GGUF file.")
    slots, context = int(number(settings, "slots", 4)) or 1, int(number(settings, "context", 4096)) or 4096
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_parallel, params.n_ctx = slots, slots * context
    params.verbosity = -1
    for cpu in (params.cpuparams, params.cpuparams_batch):
        # A thread that spins for its siblings starves them on a busy machine.
        cpu.n_threads, cpu.poll = int(number(settings, "threads", 0)) or _threads(), 0
    try:
        server = xllamacpp.Server(params)
    except Exception as error:
        raise SetupError(
            f"local: llama.cpp cannot load {path} ({error}). Is it a GGUF file, and is it whole?"
        ) from None
    name = str(settings.get("name") or path.name.partition(".")[0])
    return LocalModel(name, server, number(settings, "timeout_s", 600))


def _threads() -> int:
    """All cores but one, which the boxes need; more than eight bring nothing to a small model."""
    return max(1, min(8, len(os.sched_getaffinity(0)) - 1))


class LocalModel:
    """A model that llama.cpp runs in this process. Thread-safe."""

    supports_tools = False

    def __init__(self, name: str, server: Any, timeout_s: float) -> None:
        self.name = name
        self._server: Any = server
        self.address: str = server.listening_address
        """Where llama.cpp's own server listens, on this machine only; below /v1 it speaks OpenAI's format."""
        self._timeout_s = timeout_s
        self._calls, self._changed = 0, threading.Condition()
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def complete(self, messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling) -> Completion:
        """One answer; `sampling.top_p` None means no truncation of the distribution."""
        with self._changed:
            if self._server is None:
                raise ModelUnavailable(f"{self.name}: it was closed")
            self._calls += 1
        try:
            return self._answer(messages, sampling)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelUnavailable(f"{self.name}: llama.cpp gave an odd answer ({error!r})") from None
        finally:
            with self._changed:
                self._calls -= 1
                self._changed.notify_all()

    def close(self) -> None:
        """Free the model, after the calls under way; it cannot be used afterwards."""
        with self._changed:
            server, self._server = self._server, None
            # llama.cpp would wait for ever for an answer that nobody computes any more.
            self._changed.wait_for(lambda: self._calls == 0)
        del server

    def _answer(self, messages: Sequence[Message], sampling: Sampling) -> Completion:
        wait = min(self._timeout_s, sampling.timeout_s or self._timeout_s)
        chat = [{"role": message.role, "content": wire.encodable(message.content)} for message in messages]
        prompt = self._post("apply-template", {"messages": chat}, wait)["prompt"]
        ids = self._post("tokenize", {"content": prompt, "add_special": True, "parse_special": True}, wait)["tokens"]
        body = {
            "prompt": ids,
            "n_predict": sampling.max_tokens,
            "temperature": sampling.temperature,
            "top_p": 1.0 if sampling.top_p is None else sampling.top_p,
            "top_k": 0,
            "min_p": 0.0,
            "seed": -1 if sampling.seed is None else sampling.seed % (1 << 32),
            "stop": list(sampling.stop),
            "return_tokens": True,
            "n_probs": 1,
            "post_sampling_probs": True,
        }
        return self._completion(ids, self._post("completion", body, wait))

    def _completion(self, prompt_ids: Sequence[int], data: Mapping[str, Any]) -> Completion:
        # The tokens of a stop text are drawn and counted, but llama.cpp gives no probabilities for them.
        drawn = data["completion_probabilities"]
        cached = int(data["timings"].get("cache_n", 0))
        # An embedded model has no price a token: nothing is paid.
        usage = ModelUsage(len(prompt_ids), int(data["tokens_predicted"]), cached, dollars=0.0)
        return Completion(
            text=data["content"],
            usage=usage,
            finish_reason="length" if data["stop_type"] == "limit" else "stop",
            model=self.name,
            prompt_token_ids=tuple(prompt_ids),
            completion_token_ids=tuple(int(token["id"]) for token in drawn),
            logprobs=tuple(math.log(max(token["prob"], 1e-30)) for token in drawn),
        )

    def _post(self, path: str, body: Mapping[str, Any], wait_s: float) -> dict[str, Any]:
        """Ask the server in this process. Over its socket, since only there a call can be given up."""
        request = urllib.request.Request(
            f"{self.address}/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        try:
            with self._opener.open(request, timeout=wait_s) as response:
                answer: dict[str, Any] = json.load(response)
                return answer
        except urllib.error.HTTPError as error:
            said = error.read().decode("utf-8", "replace")
            if "exceed_context_size" in said:
                raise ContextOverflow(f"{self.name}: the conversation is longer than `context` allows") from None
            raise ModelUnavailable(f"{self.name}: {said[:300]}") from None
        except TimeoutError:
            raise ModelTimeout(f"{self.name}: no answer within {wait_s:.0f} s") from None
        except (OSError, ValueError) as error:
            if isinstance(getattr(error, "reason", None), TimeoutError):
                raise ModelTimeout(f"{self.name}: no answer within {wait_s:.0f} s") from None
            raise ModelUnavailable(f"{self.name}: llama.cpp gave no answer ({error})") from None
