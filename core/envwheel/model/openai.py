"""Any endpoint that speaks OpenAI's chat completions: the vendor's own, vLLM, SGLang, llama.cpp, routers.

Settings (docs/models.md): model, base_url, api_key_env, tools, timeout_s, retries, prices, logprobs, return_token_ids,
max_tokens_field, omit, extra_body. The key comes from an environment variable and appears nowhere: not in a repr, a
message, a log line or a record.
"""

from __future__ import annotations

import email.utils
import importlib
import json
import os
import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from envwheel.errors import (
    ConfigError,
    ContextOverflow,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
    SetupError,
)
from envwheel.model import wire
from envwheel.model.base import Completion, Message, Sampling, Tool
from envwheel.model.prices import read_price
from envwheel.model.settings import known, number

ANSWER_LIMIT = 64 << 20
"""Bytes of one answer; more is no answer."""
LONGEST_WAIT_S = 120.0
"""The longest pause between two tries, whatever the endpoint asks for."""
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})

_OVERFLOW = re.compile(
    r"context.{0,20}(length|window|size)|maximum context|too many (input )?tokens|(prompt|input).{0,20}too long",
    re.I,
)
_FILTER = re.compile(r"content.?(filter|policy|management)|safety system", re.I)
_TOOLS = re.compile(r"tool|function.?call", re.I)
_KEYS = """model argument base_url api_key_env tools timeout_s retries prices logprobs return_token_ids
max_tokens_field omit extra_body"""


def open_model(settings: Mapping[str, Any]) -> OpenAIModel:
    """The model that `settings` describe. Raises SetupError (package or key missing) and ConfigError."""
    if "api_key" in settings:
        raise ConfigError("model: keys come from the environment only. Name the variable in api_key_env.")
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
    key = _key(settings.get("api_key_env", "OPENAI_API_KEY"))
    client = openai.OpenAI(
        api_key=key or "none",
        base_url=settings.get("base_url") or None,
        max_retries=0,
        timeout=number(settings, "timeout_s", 600),
    )
    return OpenAIModel(str(name), client, settings, key)


def _key(variable: str) -> str:
    """The key in the environment; an empty name means that the endpoint needs none."""
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise SetupError(
            f"No key: the environment variable {variable} is not set. Set it with: export {variable}=... "
            '(another name: api_key_env; an endpoint without keys: api_key_env = "")'
        )
    return key


@dataclass
class _Deadline:
    """When the caller's and our own patience end."""

    clock: Callable[[], float]
    own_s: float
    caller_s: float | None

    def __post_init__(self) -> None:
        self.started = self.clock()

    def left(self) -> float:
        return float("inf") if self.caller_s is None else self.caller_s - (self.clock() - self.started)

    def request_s(self) -> float:
        return max(0.001, min(self.own_s, self.left()))


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
        self.name = name
        self.supports_tools = bool(settings.get("tools", True))
        self._client, self._settings, self._key = client, settings, key
        self._sleep, self._clock = sleep, clock
        self._price = read_price(settings)
        self._timeout_s = number(settings, "timeout_s", 600)
        self._retries = int(number(settings, "retries", 5))

    def __repr__(self) -> str:
        return f"OpenAIModel({self.name!r})"

    def complete(self, messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling) -> Completion:
        """One answer, after as many tries as `retries` and `sampling.timeout_s` allow."""
        body = self._body(messages, tools if self.supports_tools else (), sampling)
        deadline = _Deadline(self._clock, self._timeout_s, sampling.timeout_s)
        trouble = ""
        for attempt in range(self._retries + 1):
            try:
                return wire.completion(self._send(body, deadline), self._price)
            except _Again as again:
                pause, trouble = again.wait_s, str(again)
            except ModelUnavailable as error:
                pause, trouble = None, str(error)
            if pause is None:
                pause = min(2.0**attempt, 30.0) * random.uniform(0.75, 1.25)
            if attempt < self._retries:
                if pause >= deadline.left():
                    break
                self._sleep(min(pause, LONGEST_WAIT_S))
        raise ModelUnavailable(self._clean(f"{self.name}: no usable answer after {attempt + 1} tries: {trouble}"))

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _body(self, messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling) -> dict[str, Any]:
        settings = self._settings
        field = str(settings.get("max_tokens_field", "max_tokens"))
        body = wire.request(self.name, messages, tools, sampling, field)
        if settings.get("logprobs"):
            body["logprobs"] = True
        if settings.get("return_token_ids"):
            body["return_token_ids"] = True
        body |= settings.get("extra_body") or {}
        return {key: value for key, value in body.items() if key not in settings.get("omit", ())}

    def _send(self, body: Mapping[str, Any], deadline: _Deadline) -> Any:
        """One request; raises `_Again` when another may help."""
        import openai

        create = self._client.chat.completions.with_streaming_response.create
        named = {key: body[key] for key in ("model", "messages")}
        rest = {key: value for key, value in body.items() if key not in named}
        try:
            with create(**named, extra_body=rest, timeout=deadline.request_s()) as response:
                return _parse(_read(response, deadline))
        except (openai.APITimeoutError, TimeoutError):
            raise self._late(deadline) from None
        except openai.APIConnectionError as error:
            raise _Again(f"no connection ({_cause(error)})") from None
        except openai.APIStatusError as error:
            raise self._refused(error) from None
        except _http_errors(openai) as error:
            if "Timeout" in type(error).__name__:
                raise self._late(deadline) from None
            raise _Again(f"the connection broke while the answer came ({type(error).__name__})") from None

    def _late(self, deadline: _Deadline) -> Exception:
        if deadline.left() <= 0:
            return ModelTimeout(f"{self.name}: no answer within the {deadline.caller_s:.0f} s that were left")
        return _Again(f"no answer within {self._timeout_s:.0f} s")

    def _refused(self, error: Any) -> Exception:
        """What an HTTP status means: try again, mend the set-up, or this conversation's own trouble."""
        status, text = int(error.status_code), self._clean(_error_text(error))
        said = f"{self.name} at {self._where()}: HTTP {status}: {text}"
        if status in (401, 403):
            variable = self._settings.get("api_key_env", "OPENAI_API_KEY")
            return SetupError(f"{said}. Is the key in {variable or 'api_key_env'} valid for this endpoint?")
        if status == 402 or "insufficient_quota" in text:
            return SetupError(f"{said}. The account behind the key has no credit left.")
        if status in RETRIED:
            return _Again(f"HTTP {status}: {text}", _retry_after(error.response.headers))
        if status == 404:
            return SetupError(
                f"{said}. Is the model's name right, and does base_url end where the API begins (often /v1)?"
            )
        if status == 413 or _OVERFLOW.search(text):
            return ContextOverflow(said)
        if _FILTER.search(text):
            return ModelRefused(said)
        if _TOOLS.search(text) and self.supports_tools:
            return SetupError(
                f"{said}. If the endpoint has no tool calling, set `tools = false` in the model's settings."
            )
        return ModelUnavailable(f"{said} (a parameter that it does not know can be left out with `omit`)")

    def _where(self) -> str:
        url = self._client.base_url
        return f"{url.scheme}://{url.host}{url.path}"

    def _clean(self, text: str) -> str:
        """`text` without the key: endpoints do repeat it."""
        return text.replace(self._key, "***") if self._key else text


class _Again(Exception):
    """A try that failed in a way that may pass; `wait_s` is what the endpoint asked for."""

    def __init__(self, message: str, wait_s: float | None = None) -> None:
        self.wait_s = wait_s
        super().__init__(message)


def _read(response: Any, deadline: _Deadline) -> bytes:
    """The body. Endpoints keep a connection alive with white space, so a read time limit alone would not do."""
    chunks, size = [], 0
    end = deadline.clock() + deadline.request_s()
    for chunk in response.iter_bytes():
        size += len(chunk)
        chunks.append(chunk)
        if size > ANSWER_LIMIT:
            raise _Again(f"the answer is larger than {ANSWER_LIMIT >> 20} MiB")
        if deadline.clock() > end:
            raise TimeoutError
    return b"".join(chunks)


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise _Again(f"the answer is no JSON: {body[:120].decode('utf-8', 'replace')!r}") from None


def _http_errors(openai: Any) -> type[Exception]:
    """The root of request errors of the HTTP library below the SDK: httpx, for later versions httpx2."""
    library = openai.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0]
    return importlib.import_module(library).RequestError


def _cause(error: Exception) -> str:
    return f"{type(error.__cause__).__name__}: {error.__cause__}" if error.__cause__ else str(error)


def _error_text(error: Any) -> str:
    """The endpoint's own words: code and message of an error object, else the beginning of the body."""
    body = error.body
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        inner = inner if isinstance(inner, Mapping) else {"message": inner}
        parts = [str(inner[key]) for key in ("code", "type", "message") if inner.get(key)]
        if parts:
            return ": ".join(parts)[:600]
    return str(error.message)[:600]


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the endpoint asks us to wait: Retry-After as seconds or as a date."""
    value = headers.get("retry-after", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
