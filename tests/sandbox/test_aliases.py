"""Stand-ins for foreign images: what is read, what is refused, what is built and used."""

from __future__ import annotations

from pathlib import Path

import pytest

from envwheel.errors import BuildFailed, UsageError
from envwheel.sandbox.aliases import Alias, load, parse, table, use
from envwheel.sandbox.base import Image
from envwheel.sandbox.fake import BASE, FakeEngine

TEXT = '[alias."python:3.12"]\nimage = "envwheel/base:bookworm"\npackages = ["python3-pip", "g++=4:12.2.0-3"]\n'


def test_a_pair_is_read() -> None:
    assert parse("ubuntu:24.04=envwheel/base:bookworm") == Alias("ubuntu:24.04", "envwheel/base:bookworm")
    assert parse("docker.io/library/ubuntu=b").name == "ubuntu:latest"
    assert parse("ghcr.io/a/b@sha256:0123=b:1").name == "ghcr.io/a/b@sha256:0123"


@pytest.mark.parametrize("text", ["", "ubuntu", "=b", "a=", "a b=c", "a=b c", "a=-x", "a=b;c", "a=b\nRUN x"])
def test_what_is_no_pair_is_one_sentence(text: str) -> None:
    with pytest.raises(UsageError, match="is not NAME=REFERENCE"):
        parse(text)


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "images.toml").write_text(TEXT)
    (alias,) = load(tmp_path / "images.toml")
    assert alias == Alias("python:3.12", "envwheel/base:bookworm", ("python3-pip", "g++=4:12.2.0-3"))
    assert alias.shown == "envwheel/base:bookworm with python3-pip, g++=4:12.2.0-3"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = [", "is not TOML"),
        ("", r"\$.alias"),
        ("[alias]\n", r"\$.alias"),
        ('[alias."a:1"]\nimage = 3\n', r"\$.alias.a:1.image"),
        ('[alias."a:1"]\nimage = "b"\npackage = ["x"]\n', r"\$.alias.a:1.package"),
        ('[alias."a:1"]\nimage = "b"\npackages = ["x; rm -rf /"]\n', r"packages.0"),
        ('[alias."a:1"]\nimage = "b"\npackages = ["x\\nRUN y"]\n', r"packages.0"),
        ('[alias."a:1"]\nimage = "b\\nRUN x"\n', r"image"),
        ('[alias."a b"]\nimage = "b"\n', r"alias.a b"),
    ],
)
def test_what_is_wrong_in_a_file_is_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "images.toml").write_text(text)
    with pytest.raises(UsageError, match=said) as raised:
        load(tmp_path / "images.toml")
    assert "\n" not in str(raised.value)
    with pytest.raises(UsageError, match="cannot be read"):
        load(tmp_path / "nothing.toml")


def test_a_name_stands_for_one_image(tmp_path: Path) -> None:
    (tmp_path / "images.toml").write_text(TEXT)
    assert len(table(["a=b", "a:latest=b"], tmp_path / "images.toml")) == 2
    with pytest.raises(UsageError, match="stands for both"):
        table(["python:3.12=other"], tmp_path / "images.toml")


def test_packages_are_installed_as_root_and_the_user_stays() -> None:
    base = Alias("a:1", "b:1", ("jq",)).base_image(Image("sha256:1", user="agent"))
    assert base.tag.startswith("envwheel/alias:")
    assert base.dockerfile.splitlines()[:2] == ["FROM sha256:1", "USER root"]
    assert "install -y --no-install-recommends jq " in base.dockerfile
    assert base.dockerfile.endswith("\nUSER agent\n")
    assert Alias("a:1", "b:1", ("jq", "make")).base_image(Image("sha256:1")).tag != base.tag


def test_an_image_made_of_a_stand_in_says_so(tmp_path: Path) -> None:
    engine = FakeEngine()
    (tmp_path / "Dockerfile").write_text("FROM ubuntu:24.04\n")
    with pytest.raises(BuildFailed):
        engine.build(tmp_path)
    use(engine, [Alias("ubuntu:24.04", BASE)])
    assert engine.build(tmp_path).aliases == (("ubuntu:24.04", BASE),)
    assert engine.image("docker.io/library/ubuntu:24.04").aliases == (("ubuntu:24.04", BASE),)
    assert engine.image(BASE).aliases == ()


def test_a_stand_in_that_is_not_there_is_told_before_anything_is_judged() -> None:
    with pytest.raises(UsageError, match=r"--image ubuntu:24.04: no/such:1 cannot be used"):
        use(FakeEngine(), [Alias("ubuntu:24.04", "no/such:1")])
