"""Python packages of a base image: pins, the folder in the cache, the build's context, what stands when pip fails."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from envwheel.api import BaseImage
from envwheel.errors import SetupError
from envwheel.sandbox import wheels
from envwheel.sandbox.base import Image
from envwheel.sandbox.builds import Request
from envwheel.sandbox.context import pack_context
from envwheel.sandbox.images import Images

DOCKERFILE = "FROM scratch\nCOPY wheels /usr/local/lib/python3.11/dist-packages\n"


def wheel(folder: Path, name: str = "smallthing", tag: str = "py3-none-any") -> list[str]:
    """A wheel with one module and one program in `folder`; the options of pip that find it."""
    info = f"{name}-1.0.dist-info"
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / f"{name}-1.0-{tag}.whl", "w") as archive:
        archive.writestr(f"{name}.py", "VALUE = 7\n\n\ndef main():\n    print(VALUE)\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: {tag}\n")
        archive.writestr(f"{info}/entry_points.txt", f"[console_scripts]\n{name} = {name}:main\n")
        archive.writestr(f"{info}/RECORD", "")
    return ["--no-index", "--find-links", str(folder)]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_packages_are_unpacked_without_programs_of_this_machine(tmp_path):
    folder = wheels.packages(["smallthing==1.0"], wheel(tmp_path / "links"))
    assert (folder / "smallthing.py").read_text().startswith("VALUE = 7")
    assert not (folder / "bin").exists()
    assert not list(folder.rglob("*.pyc"))


def test_what_is_in_the_cache_is_not_fetched_again(tmp_path):
    options = wheel(tmp_path / "links")
    first = wheels.packages(["smallthing==1.0"], options)
    (tmp_path / "links" / "smallthing-1.0-py3-none-any.whl").unlink()
    assert wheels.packages(["smallthing==1.0"], options) == first


def test_wheels_are_those_of_the_image_not_of_this_python(tmp_path):
    options = wheel(tmp_path / "links", tag=f"cp311-cp311-manylinux_2_28_{wheels.machine()}")
    assert (wheels.packages(["smallthing==1.0"], options) / "smallthing.py").is_file()
    wheel(tmp_path / "links", "newthing", f"cp311-cp311-manylinux_2_99_{wheels.machine()}")
    with pytest.raises(SetupError):
        wheels.packages(["newthing==1.0"], options)


def test_what_cannot_be_fetched_is_one_line_that_says_what_to_do(tmp_path):
    options = wheel(tmp_path / "links")
    with pytest.raises(SetupError, match=r"could not be fetched: .*absent.* pip download absent==1.0"):
        wheels.packages(["absent==1.0"], options)
    assert not list((tmp_path / "cache" / "envwheel" / "wheels").glob("*.part"))


@pytest.mark.parametrize("pin", ["openpyxl", "openpyxl>=3", "--index-url=http://x", "a==1; b", "./a.whl", ""])
def test_only_pins_are_taken(pin):
    with pytest.raises(SetupError, match="no pin of a wheel"):
        wheels.packages([pin])


class Shelf:
    """An engine's store that keeps what it was told to build."""

    def __init__(self) -> None:
        self.made: dict[str, Request] = {}

    def local(self, reference, key=None):
        found = self.made.get(reference)
        return Image(f"sha256:{found.key}") if found and key in (None, found.key) else None

    def pull(self, source):
        return "no such host"

    def request(self, context, dockerfile, resolve):
        tar = pack_context(context, dockerfile)
        return Request(tar, str(hash(tar)), ("",))

    def make(self, tag, request):
        self.made[tag] = request

    def take(self, tag, tar, key):
        raise AssertionError("no base is wanted")


def names(request: Request) -> set[str]:
    with tarfile.open(fileobj=io.BytesIO(request.tar)) as archive:
        return set(archive.getnames())


def test_the_context_of_a_build_has_the_packages_and_the_authors_files(tmp_path, monkeypatch):
    for option, value in zip(("PIP_NO_INDEX", "PIP_FIND_LINKS"), ("1", str(tmp_path / "links")), strict=True):
        monkeypatch.setenv(option, value)
    wheel(tmp_path / "links")
    (tmp_path / "context").mkdir()
    (tmp_path / "context" / "own.txt").write_text("x")
    shelf = Shelf()
    Images(shelf).ensure(BaseImage("t:1", DOCKERFILE, tmp_path / "context", wheels=("smallthing==1.0",)))
    assert names(shelf.made["t:1"]) >= {"Dockerfile", "own.txt", "wheels.txt", "wheels/smallthing.py"}


def test_an_image_that_is_there_fetches_nothing_and_other_pins_make_it_anew(tmp_path):
    shelf = Shelf()
    base = BaseImage("t:1", DOCKERFILE, wheels=("absent==1.0",))
    with wheels.pinned(base) as context:
        shelf.made["t:1"] = shelf.request(context, DOCKERFILE, str)
    assert Images(shelf).ensure(base).id == f"sha256:{shelf.made['t:1'].key}"
    with pytest.raises(SetupError):
        Images(shelf).ensure(BaseImage("t:1", DOCKERFILE, wheels=("no such pin",)))
