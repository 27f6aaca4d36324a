"""The codes of the gate, and the page of docs/gate.md that explains each (`envwheel check --explain CODE`).

The page ships inside the package; in a checkout it is read from docs/.
"""

from __future__ import annotations

import difflib
import re
from importlib import resources
from pathlib import Path

from envwheel.errors import SetupError, UsageError

CODES: dict[str, tuple[str, ...]] = {
    "schema": ("schema", "unsafe_path"),
    "lint": ("leak_tests", "leak_answer"),
    "build": ("build",),
    "empty": ("empty_passes", "no_reward"),
    "reference": ("reference_fails", "flaky", "needs_network", "head_room"),
    "attack": ("forgeable",),
    "mutants": ("weak_verifier", "too_strict"),
    "duplicate": ("duplicate", "contaminated"),
    "band": ("too_easy", "too_hard", "undecided", "design_flaw"),
}
"""Step -> the codes with which it rejects. A domain's `inspect` brings codes of its own."""
CAUSES = ("daemon", "disk", "timeout", "memory", "network", "host", "model")
"""The codes of a verdict `infra`; one page, `infra`, explains them."""
_CHECKOUT = Path(__file__).parents[3] / "docs" / "gate.md"


def explain(code: str) -> str:
    """The section of docs/gate.md about `code`. Raises UsageError, with all codes, for one that there is not."""
    wanted = "infra" if code in CAUSES else code
    known = [one for codes in CODES.values() for one in codes]
    if wanted not in (*known, "infra"):
        near = difflib.get_close_matches(code, [*known, *CAUSES], 1)
        guess = f" Did you mean '{near[0]}'?" if near else ""
        raise UsageError(
            f"--explain: there is no code '{code}'.{guess} Codes: {', '.join(known)}; "
            f"of `infra`: {', '.join(CAUSES)}. Others are a domain's own."
        )
    return section(page(), wanted)


def page() -> str:
    """The text of docs/gate.md. Raises SetupError when it was not installed."""
    for place in (resources.files("envwheel") / "docs" / "gate.md", _CHECKOUT):
        if place.is_file():
            return place.read_text("utf-8")
    raise SetupError("docs/gate.md is not there: the installation is not complete. Install envwheel again.")


def section(text: str, code: str) -> str:
    """What stands under the heading of `code` in `text`, the heading included; "" when there is none."""
    found = re.search(rf"^#### `{re.escape(code)}`.*?(?=^#{{1,4}} |\Z)", text, re.MULTILINE | re.DOTALL)
    return found[0].strip() + "\n" if found else ""
