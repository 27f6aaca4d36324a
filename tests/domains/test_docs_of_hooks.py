"""docs/writing-a-domain.md lists the hooks that there are, with their arguments."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from envwheel import hookspecs

PAGE = Path(__file__).parents[2] / "docs" / "writing-a-domain.md"


def test_the_table_of_hooks_is_the_list_of_hooks():
    documented = re.findall(r"^\| `(\w+\([^)]*\))` \|", PAGE.read_text(), re.MULTILINE)
    specs = [value for value in vars(hookspecs).values() if hasattr(value, "envwheel_spec")]
    signatures = [f"{one.__name__}({', '.join(inspect.signature(one).parameters)})" for one in specs]
    assert documented == signatures


def test_every_hook_states_its_promise():
    for name, value in vars(hookspecs).items():
        if hasattr(value, "envwheel_spec"):
            assert len(value.__doc__ or "") > 20, name
