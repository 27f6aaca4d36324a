"""A vendor's HTTP endpoint, reached through the vendor's SDK: one request, and what its failure means.

`openai.py` and `anthropic.py` bring the SDK and the format; both SDKs come from one generator and raise the same
errors. The SDK's own retries are off: tries.py has them. The answer is read as it comes, within a time and a size, and
parsed here, since the SDK's typed objects cost more CPU than the whole turn and reject what is slightly wrong.
"""

from __future__ import annotations

import email.utils
import importlib
import json
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from envwheel.errors import ContextOverflow, ModelError, ModelRefused, ModelUnavailable, SetupError
from envwheel.model.base import Completion
from envwheel.model.secret import Secrets
from envwheel.model.settings import number
from envwheel.model.tries import Again, Deadline, answered

ANSWER_LIMIT = 64 << 20
"""Bytes of one answer; more is no answer."""
RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})

_OVERFLOW = re.compile(
    r"context.{0,20}(length|window|size|limit)|maximum context|too many (input )?tokens|(prompt|input).{0,20}too long",
    re.I,
)
_FILTER = re.compile(r"content.?(filter|policy|management)|safety system", re.I)
_BROKE = re.compile(r"insufficient_quota|credit balance", re.I)
_TOOLS = re.compile(r"tool|function.?call", re.I)


class Endpoint:
    """Asks, tries again, and says what went wrong. Thread-safe."""

    def __init__(
        self,
        name: str,
        sdk: Any,
        client: Any,
        settings: Mapping[str, Any],
        key: str,
        key_variable: str,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name, self.client = name, client
        self.secrets = Secrets((key,) if key else ())
        self._sdk, self._settings, self._key_variable = sdk, settings, key_variable
        self._sleep, self._clock = sleep, clock
        self._timeout_s = number(settings, "timeout_s", 600)
        self._retries = int(number(settings, "retries", 5))
        # httpx, for later versions of the SDKs httpx2.
        library = sdk.DefaultHttpxClient.__mro__[1].__module__.partition(".")[0]
        self._broken: type[Exception] = importlib.import_module(library).RequestError

    def ask(
        self,
        create: Callable[..., Any],
        body: Mapping[str, Any],
        read: Callable[[Any], Completion],
        caller_s: float | None,
    ) -> Completion:
        """One answer: `create` is a method of the SDK that streams a response, `read` takes the parsed JSON."""

        def once(deadline: Deadline) -> Completion:
            data = self._send(create, body, deadline)
            try:
                return self.secrets.hidden(read(data))
            except ModelUnavailable as error:  # of an answer in another format: a passing fault of a gateway
                raise Again(str(error)) from None

        try:
            deadline = Deadline(self._timeout_s, caller_s, self._clock)
            return answered(once, deadline, name=self.name, retries=self._retries, sleep=self._sleep)
        except (ModelError, SetupError) as error:
            raise type(error)(self.secrets.hide(str(error))) from None

    def _send(self, create: Callable[..., Any], body: Mapping[str, Any], deadline: Deadline) -> Any:
        sdk = self._sdk
        # What the SDK insists on is named; messages go past its walk through every field of every message.
        named = {key: body[key] for key in ("model", "max_tokens") if key in body} | {"messages": ()}
        try:
            with create(**named, extra_body=body, timeout=deadline.try_s()) as response:
                return _parse(self.secrets.hide(_read(response, deadline).decode("utf-8", "replace")))
        except (sdk.APITimeoutError, TimeoutError):
            raise deadline.late() from None
        except sdk.APIConnectionError as error:
            raise Again(f"no connection ({_cause(error)})") from None
        except sdk.APIStatusError as error:
            raise self._refused(error, body) from None
        except self._broken as error:
            if "Timeout" in type(error).__name__:
                raise deadline.late() from None
            raise Again(f"the connection broke while the answer came ({type(error).__name__})") from None

    def _refused(self, error: Any, body: Mapping[str, Any]) -> Exception:
        """What an HTTP status means: try again, mend the set-up, or this conversation's own trouble."""
        status, text = int(error.status_code), self.secrets.hide(_error_text(error))[:600]
        said = f"{self.name} at {self._where()}: HTTP {status}: {text}"
        if status in (401, 403):
            variable = self._settings.get("api_key_env", self._key_variable)
            return SetupError(f"{said}. Is the key in {variable or 'api_key_env'} valid for this endpoint?")
        if status == 402 or _BROKE.search(text):
            return SetupError(f"{said}. The account behind the key has no credit left.")
        if status in RETRIED:
            return Again(f"HTTP {status}: {text}", _retry_after(error.response.headers))
        if status == 404:
            return SetupError(
                f"{said}. Is the model's name right, and does base_url end where the API begins (often /v1)?"
            )
        if status == 413 or _OVERFLOW.search(text):
            return ContextOverflow(said)
        if _FILTER.search(text):
            return ModelRefused(said)
        # An endpoint without tool calling says so at once; later it is about this conversation's calls.
        begun = any(message["role"] == "assistant" for message in body.get("messages", ()))
        if _TOOLS.search(text) and self._settings.get("tools", True) and not begun:
            return SetupError(
                f"{said}. If the endpoint has no tool calling, set `tools = false` in the model's settings."
            )
        return ModelUnavailable(f"{said} (a parameter that it does not know can be left out with `omit`)")

    def _where(self) -> str:
        url = self.client.base_url
        return f"{url.scheme}://{url.host}{url.path}"


def _read(response: Any, deadline: Deadline) -> bytes:
    """The body. Endpoints keep a connection alive with white space, so a read time limit alone would not do."""
    chunks, size = [], 0
    end = deadline.clock() + deadline.try_s()
    for chunk in response.iter_bytes():
        size += len(chunk)
        chunks.append(chunk)
        if size > ANSWER_LIMIT:
            raise Again(f"the answer is larger than {ANSWER_LIMIT >> 20} MiB")
        if deadline.clock() > end:
            raise TimeoutError
    return b"".join(chunks)


def _parse(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Again(f"the answer is no JSON: {body[:120]!r}") from None


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
            return ": ".join(parts)
    return str(error.message)


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
