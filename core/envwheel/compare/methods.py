"""The ways of making environments that can be compared, by the names that `envwheel compare --methods` takes.

`terminal`, `prompt_only` and `procedural` are the proposers of a run; `+repair` gives one more completion (or as many
as [proposer] repairs says), each after the gate's findings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from envwheel.config import Config, override
from envwheel.errors import UsageError

REPAIR = "+repair"
NAMES = ("terminal", "prompt_only", f"prompt_only{REPAIR}", "procedural")


@dataclass(frozen=True, slots=True)
class Method:
    """A way of making environments."""

    name: str

    @property
    def kind(self) -> str:
        """The word in [proposer] kind."""
        return self.name.removesuffix(REPAIR)

    @property
    def is_model(self) -> bool:
        """A model proposes."""
        return self.kind != "procedural"

    def config(self, config: Config) -> Config:
        """`config` with this method as its proposer; no harness, which would learn from target to target."""
        repairs = max(1, config.proposer.repairs) if self.name.endswith(REPAIR) else 0
        changes = {"proposer.kind": self.kind, "proposer.repairs": repairs, "proposer.harness": False}
        return override(config, changes)


def methods(names: Sequence[str]) -> tuple[Method, ...]:
    """The methods of these names, in order; the first is held against the others. Raises UsageError."""
    if strangers := [name for name in names if name not in NAMES]:
        raise UsageError(f"--methods: there is no method '{strangers[0]}'. There are: {', '.join(NAMES)}.")
    if not names or len(set(names)) < len(names):
        raise UsageError(f"--methods: name each method once, of {', '.join(NAMES)}, with commas between.")
    return tuple(map(Method, names))
