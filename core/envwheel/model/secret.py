"""Keys: read from the environment, and taken out of everything that an endpoint or a program says.

A key is sent to its endpoint and goes nowhere else. Endpoints do repeat it, in error texts and now and then in an
answer, so both pass through `Secrets` before anybody else sees them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from envwheel.errors import ConfigError, SetupError
from envwheel.model.base import Completion, ToolCall

SHORTEST = 8
"""Characters from which on a value is a key; "EMPTY", "none" and the like, for endpoints without keys, are words."""
_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)$", re.I)
_LONG = 16
"""Of variables that only look like keys by their names, values that are shorter may be words too."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """Texts that must not appear anywhere."""

    values: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Secrets({len(self.values)})"

    def hide(self, text: str) -> str:
        """`text` with `***` in place of each secret."""
        for value in self.values:
            if len(value) >= SHORTEST and value in text:
                text = text.replace(value, "***")
        return text

    def hidden(self, answer: Completion) -> Completion:
        """`answer` without secrets, in its text and in the arguments of its calls. Token ids are left as they are."""
        if not self.values:
            return answer
        calls = tuple(
            ToolCall(self.hide(c.id), self.hide(c.name), self._inside(c.arguments), self.hide(c.malformed))
            for c in answer.tool_calls
        )
        return replace(
            answer,
            text=self.hide(answer.text),
            tool_calls=calls,
            finish_reason=self.hide(answer.finish_reason),
            model=self.hide(answer.model),
        )

    def _inside(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, Mapping):
            return {self.hide(str(key)): self._inside(one) for key, one in value.items()}
        return [self._inside(one) for one in value] if isinstance(value, list) else value


def read_key(settings: Mapping[str, Any], default: str) -> str:
    """The key in the variable that `api_key_env` names; an empty name means that the endpoint needs none.

    Raises ConfigError when the settings themselves hold a key, SetupError when the variable holds none.
    """
    if "api_key" in settings:
        raise ConfigError("model: keys come from the environment only. Name the variable in api_key_env.")
    where = default.replace("_API_KEY", "_BASE_URL")  # what the SDKs fall back on
    url = urlsplit(str(settings.get("base_url") or os.environ.get(where) or ""))
    if url.username or url.password:
        raise ConfigError(
            f"model: base_url (or {where}) holds a password. Keys come from the environment only; see api_key_env."
        )
    variable = str(settings.get("api_key_env", default))
    if not variable:
        return ""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise SetupError(
            f"No key: the environment variable {variable} is not set. Set it with: export {variable}=... "
            '(another name: api_key_env; an endpoint without keys: api_key_env = "")'
        )
    if not (key.isascii() and key.isprintable()):
        raise SetupError(f"The environment variable {variable} holds characters that no key has. Set it anew.")
    return key


def in_environment(environ: Mapping[str, str]) -> Secrets:
    """What looks like a key among variables that a program inherits: by the variable's name, and long enough."""
    found = {value for name, value in environ.items() if _NAMES.search(name) and len(value) >= _LONG}
    return Secrets(tuple(sorted(found, key=len, reverse=True)))
