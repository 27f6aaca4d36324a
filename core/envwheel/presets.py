"""How an agent is led, from a table of settings: a preset, and what is set on top of it.

    [solver.agent]
    preset = "tiny"          # for models that know little more than one command
    turns = 1

Settings: preset, system, few_shot (pairs of texts), fenced, turns, tokens, dollars, command_s, output_chars,
temperature, top_p, max_tokens, stop.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envwheel.agent import AgentSettings
from envwheel.errors import ConfigError
from envwheel.model.base import Sampling
from envwheel.model.settings import known, number

KEYS = "preset system few_shot fenced turns tokens dollars command_s output_chars temperature top_p max_tokens stop"


def _block(command: str) -> str:
    return f"```bash\n{command}\n```"


TINY = AgentSettings(
    system="You are a Linux shell expert. Answer with one bash command in a fenced block.",
    few_shot=(
        ("Make a new folder photos.", _block("mkdir photos")),
        ("Set the mode of /app/key.pem to 400.", _block("chmod 400 /app/key.pem")),
        ("Create a symbolic link to /app/v3 named /app/latest.", _block("ln -s /app/v3 /app/latest")),
        ("Copy the file plan.txt to plan.bak.", _block("cp plan.txt plan.bak")),
        ("Write the word ok to status.txt.", _block("echo ok > status.txt")),
        ("Write the last 5 lines of big.log to tail.txt.", _block("tail -n 5 big.log > tail.txt")),
    ),
    # No stop text: the tokens that make it up would come without their probabilities.
    sampling=Sampling(temperature=0.7, max_tokens=48),
    turns=1,
    command_s=20.0,  # for want of another turn, a command that waits for input is a lost attempt
    fenced=True,
)
"""For the embedded model: worked examples, one command, and that is the attempt."""

PROPOSER = AgentSettings(
    system="""\
You work alone, as root, in a Linux box; nobody answers questions. $network
You have $turns turns and $seconds seconds in all; the gate's time does not count.

/workspace/draft      the environment that you write. It begins as a skeleton; what lies there at the end is handed in
/workspace/reference  format.md: the format, file by file; gate.md: what the gate refuses and how each fault is mended;
                      kit/: what tests/kit/ will hold (it is put there for you); try: rehearses the draft in this box,
                      in seconds, as often as you like (`/workspace/reference/try`)
/workspace/digest     how the solver for whom you build has fared so far; begin with README.md
/workspace/examples   environments of this domain that were admitted
/workspace/harness    your own notes and scripts; what you change there now is not kept

Tools besides `bash`: `validate` lets the gate judge the draft as it stands, in fresh boxes, and tells you each fault
with what was printed and how to mend it ($validations times at most); `submit` hands the draft in and ends your work.

Write the whole environment early, then improve it: when turns, tokens, money or time run out, the draft is judged as it
is. Rehearse before you validate, mend what the findings say, validate again, and submit once the gate holds.""",
    sampling=Sampling(max_tokens=8192),
    turns=60,
    command_s=300.0,
)
"""For the model that proposes in a box of its own."""

PRESETS = {"": AgentSettings(), "tiny": TINY, "proposer": PROPOSER}


def agent_settings(table: Mapping[str, Any], preset: str = "") -> AgentSettings:
    """The settings in `table` on top of its own `preset`, else of `preset`. Raises ConfigError."""
    known(table, KEYS, "agent")
    name = table.get("preset", preset)
    if name not in PRESETS:
        raise ConfigError(f"agent: preset: there is no preset {name!r}. Presets: {', '.join(filter(None, PRESETS))}.")
    base = PRESETS[name]
    sampling = Sampling(
        temperature=number(table, "temperature", base.sampling.temperature, "agent"),
        top_p=_optional(table, "top_p", base.sampling.top_p),
        max_tokens=int(number(table, "max_tokens", base.sampling.max_tokens, "agent")),
        stop=tuple(_texts(table, "stop", base.sampling.stop)),
    )
    tokens = _optional(table, "tokens", base.tokens)
    return AgentSettings(
        system=str(table.get("system", base.system)),
        few_shot=_pairs(table.get("few_shot", base.few_shot)),
        sampling=sampling,
        turns=int(number(table, "turns", base.turns, "agent")),
        tokens=None if tokens is None else int(tokens),
        dollars=_optional(table, "dollars", base.dollars),
        command_s=number(table, "command_s", base.command_s, "agent"),
        output_chars=int(number(table, "output_chars", base.output_chars, "agent")),
        fenced=bool(table.get("fenced", base.fenced)),
    )


def _optional(table: Mapping[str, Any], name: str, default: float | None) -> float | None:
    return default if table.get(name) is None else number(table, name, 0.0, "agent")


def _texts(table: Mapping[str, Any], name: str, default: tuple[str, ...]) -> list[str]:
    values = table.get(name, default)
    if isinstance(values, str) or not all(isinstance(value, str) for value in values):
        raise ConfigError(f"agent: {name}: expected a list of texts, got {values!r}.")
    return list(values)


def _pairs(values: Any) -> tuple[tuple[str, str], ...]:
    try:
        pairs = tuple((user, assistant) for user, assistant in values)
    except (TypeError, ValueError):
        pairs = ((None, None),)
    if not all(isinstance(text, str) for pair in pairs for text in pair):
        raise ConfigError(f'agent: few_shot: expected pairs of texts, such as [["task", "answer"]], got {values!r}.')
    return pairs
