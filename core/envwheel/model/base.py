"""What a model is: messages and tools in, text and tool calls out, with the tokens that training needs.

`openai.py`, `anthropic.py`, `command.py`, `local.py` and `scripted.py` are the implementations; others come through the
entry point group `envwheel.models` (`open_model(settings) -> Model`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool; `arguments` is what the model wrote, parsed. Malformed JSON leaves {} and `malformed` text."""

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    malformed: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message; a "tool" message answers the call `tool_call_id`."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as the model is told; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling settings; None leaves the endpoint's default.

    `timeout_s` is how long the caller can wait, retries included.
    """

    temperature: float = 1.0
    top_p: float | None = None
    max_tokens: int = 2048
    seed: int | None = None
    stop: tuple[str, ...] = ()
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """Tokens and dollars of one or more calls.

    `cached_tokens`, a part of `input_tokens`, were read from a cache. `dollars` is None when no price is known (never 0
    by guess).
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    dollars: float | None = None

    def __add__(self, other: ModelUsage) -> ModelUsage:
        known = self.dollars is not None and other.dollars is not None
        return ModelUsage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.dollars + other.dollars if known else None,  # type: ignore[operator]
        )


NO_USAGE = ModelUsage(dollars=0.0)
"""The neutral element of `+`: nothing was called, so nothing was paid."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer. Token ids and natural log-probabilities (one a completion token) where the endpoint gives them.

    `lost_s` seconds went by in tries that failed and in waiting for the next one: not the model's time.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: ModelUsage = NO_USAGE
    finish_reason: str = "stop"
    model: str = ""
    prompt_token_ids: tuple[int, ...] | None = None
    completion_token_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    lost_s: float = 0.0


class Model(Protocol):
    """A language model behind some interface. Thread-safe."""

    name: str
    supports_tools: bool

    def complete(self, messages: Sequence[Message], tools: Sequence[Tool], sampling: Sampling) -> Completion:
        """One answer to `messages`. Raises ModelUnavailable, ModelTimeout, ContextOverflow, ModelRefused."""

    def close(self) -> None:
        """Free what the model holds."""
