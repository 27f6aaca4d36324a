"""Any endpoint that speaks OpenAI's chat completions: the vendor's own, vLLM, SGLang, llama.cpp, routers.

Settings (docs/models.md): model, base_url, api_key_env, tools, timeout_s, retries, prices, logprobs, return_token_ids,
max_tokens_field, cache_key, omit, extra_body. The key comes from an environment variable and appears nowhere: not in a
repr, a message, a log line or a record.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from envwheel.errors import ConfigError, SetupError
from envwheel.model import wire
from envwheel.model.base import Completion, Message, Sampling, Tool
from envwheel.model.endpoint import Endpoint
from envwheel.model.prices import price_of
from envwheel.model.secret import read_key
from envwheel.model.settings import known, number

KEY_VARIABLE = "OPENAI_API_KEY"
_KEYS = """model argument base_url api_key_env tools timeout_s retries prices logprobs return_token_ids
max_tokens_field cache_key omit extra_body"""


def open_model(settings: Mapping[str, Any]) -> OpenAIModel:
    """The model that `settings` describe. Raises SetupError (package or key missing) and ConfigError."""
    key = read_key(settings, KEY_VARIABLE)
    known(settings, _KEYS)
    name = settings.get("argument") or settings.get("model")
    if not name:
        raise ConfigError("model: which one? Write openai:MODEL, or set `model`.")
    try:
        import openai
    except ImportError:
        raise SetupError(
            "The package `openai` is not installed. Install it with: pip install 'envwheel[openai]'"
        ) from None
    client = openai.OpenAI(
        api_key=key or "none",
        base_url=settings.get("base_url") or None,
        max_retries=0,
        timeout=number(settings, "timeout_s", 600),
    )
    return OpenAIModel(str(name), client, settings, key)


class OpenAIModel:
    """A model behind an endpoint. Thread-safe."""

    def __init__(
        self,
        name: str,
        client: Any,
        settings: Mapping[str, Any],
        key: str = "",
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        import openai

        self.name = name
        self.supports_tools = bool(settings.get("tools", True))
        self._settings = settings
        self._create = client.chat.completions.with_streaming_response.create
        self._price = price_of(settings, name, str(client.base_url))
        self._endpoint = Endpoint(name, openai, client, settings, key, KEY_VARIABLE, sleep=sleep, clock=clock)

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r})"

    def complete(self, messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling) -> Completion:
        """One answer, after as many tries as `retries` and `sampling.timeout_s` allow."""
        body = self._body(messages, tools if self.supports_tools else (), sampling)
        return self._endpoint.ask(
            self._create, body, lambda data: wire.completion(data, self._price), sampling.timeout_s
        )

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.client.close()

    def _body(self, messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling) -> dict[str, Any]:
        settings = self._settings
        field = str(settings.get("max_tokens_field", "max_tokens"))
        body = wire.request(self.name, messages, tools, sampling, field)
        if settings.get("logprobs"):
            body["logprobs"] = True
        if settings.get("return_token_ids"):
            body["return_token_ids"] = True
        if settings.get("cache_key"):
            body["prompt_cache_key"] = _beginning(messages)
        body |= settings.get("extra_body") or {}
        return {key: value for key, value in body.items() if key not in settings.get("omit", ())}


def _beginning(messages: Sequence[Message]) -> str:
    """What the conversations about one environment have in common, as a short name: all up to the first answer."""
    digest = hashlib.sha256()
    for message in messages:
        if message.role == "assistant":
            break
        digest.update(f"{message.role}\0{wire.encodable(message.content)}\0".encode())
    return f"envwheel-{digest.hexdigest()[:24]}"
