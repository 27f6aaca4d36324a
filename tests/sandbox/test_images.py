"""Base images by name: whose fault it is when one is not there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from envwheel.api import BaseImage
from envwheel.errors import BuildFailed, InfraError
from envwheel.sandbox.base import Image
from envwheel.sandbox.builds import Request
from envwheel.sandbox.context import pack_context
from envwheel.sandbox.images import BASE, Images


class BarrenShelf:
    """A store that has nothing and in which nothing builds, without a registry."""

    def local(self, reference: str, key: str | None = None) -> Image | None:
        return None

    def pull(self, source: str) -> str:
        return "no such host"

    def request(self, context: Path | None, dockerfile: str, resolve: Callable[[str], str]) -> Request:
        return Request(pack_context(context, dockerfile), "key", ("",))

    def make(self, tag: str, request: Request) -> None:
        raise BuildFailed(f"{tag} does not build.", "fetching\nE: no answer from the archive")

    def take(self, tag: str, tar: Path, key: str) -> None:
        raise AssertionError("no base is wanted")


def test_a_base_of_ours_that_cannot_be_made_is_no_fault_of_who_names_it() -> None:
    images = Images(BarrenShelf())
    with pytest.raises(BuildFailed):
        images.ensure(BaseImage("ours:1", "FROM scratch\n"))
    with pytest.raises(InfraError, match=r"ours:1 cannot be made: .* E: no answer from the archive"):
        images.image("ours:1")


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("envwheel/office:lite", "made by a domain that is not installed, or that nothing here names"),
        ("registry.example.org/tools:7", "--image registry.example.org/tools:7=envwheel/base:bookworm"),
    ],
)
def test_a_base_that_is_nowhere_is_the_fault_of_who_names_it(reference: str, said: str) -> None:
    with pytest.raises(BuildFailed) as caught:
        Images(BarrenShelf()).image(reference)
    assert said in str(caught.value)
    assert BASE in str(caught.value)
