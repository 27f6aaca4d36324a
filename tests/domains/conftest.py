"""Distributions that exist only on a temporary search path: metadata and one module each."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

_NUMBER = itertools.count()

GOOD = """
from envwheel.api import Domain, hookimpl

@hookimpl
def describe():
    return Domain("{id}", "A title", "One line.", 1, {{"reading": "Reading"}})
"""


class Plant:
    """Writes distributions; each module has a name of its own, because imports are kept for the whole process."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(
        self, id: str, source: str = GOOD, *, dist: str = "", version: str = "1.0", requires: str = "envwheel>=0.1,<0.2"
    ) -> str:
        """Plant the domain `id`; `{id}` in `source` is replaced. Gives the module's name."""
        module = f"planted_{next(_NUMBER)}"
        text = source.format(id=id) if source is GOOD else GOOD.format(id=id) + textwrap.dedent(source)
        (self.root / f"{module}.py").write_text(text)
        self.metadata(dist or f"some-{id}", f"[envwheel.domains]\n{id} = {module}\n", version, requires)
        return module

    def metadata(
        self, dist: str, entry_points: str, version: str = "1.0", requires: str = "envwheel>=0.1,<0.2"
    ) -> None:
        """Plant a distribution without code."""
        folder = self.root / f"{dist.replace('-', '_')}-{version}.dist-info"
        folder.mkdir()
        lines = ["Metadata-Version: 2.1", f"Name: {dist}", f"Version: {version}"]
        lines += [f"Requires-Dist: {requires}"] if requires else []
        (folder / "METADATA").write_text("\n".join(lines) + "\n")
        (folder / "entry_points.txt").write_text(entry_points)


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plant:
    """A planter whose distributions this test's process, and its children, see."""
    root = tmp_path / "site"
    root.mkdir()
    monkeypatch.syspath_prepend(str(root))
    return Plant(root)


@pytest.fixture
def message() -> Callable[[Callable[[], object]], str]:
    """The text of the EnvwheelError that a call raises."""
    from envwheel.errors import EnvwheelError

    def text(call: Callable[[], object]) -> str:
        with pytest.raises(EnvwheelError) as caught:
            call()
        return str(caught.value)

    return text
