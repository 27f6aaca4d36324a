"""One version, one list of domains, one public surface; nothing of the machine it was written on."""

from __future__ import annotations

import ast
import os
import re
import runpy
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from envwheel.listing import IN_REPO
from envwheel.version import __version__

REPO = Path(__file__).parents[1]
PYPROJECTS = sorted((REPO / "plugins").glob("*/pyproject.toml"))


@pytest.mark.parametrize("path", PYPROJECTS, ids=lambda path: path.parent.name)
def test_a_domain_has_the_version_of_the_core_and_asks_for_its_range(path):
    project = tomllib.loads(path.read_text())["project"]
    major, minor = map(int, __version__.split(".")[:2])
    assert project["version"] == __version__
    assert f"envwheel>={major}.{minor},<{major}.{minor + 1}" in project["dependencies"]


def test_the_lists_of_domains_agree():
    extras = runpy.run_path(str(REPO / "hatch_build.py"))["DOMAINS"]
    folders = {path.parent.name.replace("_", "-") for path in PYPROJECTS}
    assert set(extras) == set(IN_REPO) == folders


def test_the_changelog_knows_the_version():
    assert __version__ in (REPO / "CHANGELOG.md").read_text()


def test_the_api_is_what_its_page_lists():
    tree = ast.parse((REPO / "core" / "envwheel" / "api" / "__init__.py").read_text())
    names = {node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    page = (REPO / "docs" / "writing-a-domain.md").read_text().partition("## All names of `envwheel.api`")[2]
    documented = re.findall(r"`(\w+)`", page.partition("A new field")[0])
    assert sorted(documented) == sorted(name for name in names if not name.startswith("_"))


def tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=REPO,
        capture_output=True,
        check=True,
    )
    paths = [REPO / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


@pytest.mark.skipif(not (REPO / ".git").exists(), reason="an unpacked source distribution has no list of its files")
def test_the_tree_names_no_path_of_this_machine_and_no_package_registry():
    hosts = ["pypi." + "org", "python" + "hosted.org", "registry.npmjs" + ".org"]
    hosts += re.findall(r"https?://(?:[^/@]*@)?([^/:]+)", os.environ.get("PIP_INDEX_URL", ""))
    forbidden = [f"{REPO}/", f"{REPO.parent}/shared", sys.prefix, *hosts]
    found = [
        (str(path.relative_to(REPO)), word)
        for path in tracked()
        for word in forbidden
        if word.encode() in path.read_bytes()
    ]
    assert found == []


def build(kind: str, out: Path, **extra: str) -> Path:
    command = [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--skip-dependency-check", "-o", str(out)]
    subprocess.run([*command, str(REPO)], check=True, capture_output=True, env={**os.environ, **extra})
    (made,) = out.iterdir()
    return made


@pytest.mark.slow
def test_a_release_names_published_distributions_only(tmp_path):
    with zipfile.ZipFile(build("wheel", tmp_path / "wheel", ENVWHEEL_RELEASE="1")) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = wheel.read(name).decode()
        inside = wheel.namelist()
    assert "file:" not in metadata
    for domain in IN_REPO:
        assert re.search(rf"Requires-Dist: envwheel-{domain}=={re.escape(__version__)}; extra == '{domain}'", metadata)
    assert "envwheel/environment/kit/grade.py" in inside
    assert "envwheel/docs/gate.md" in inside
    with tarfile.open(build("sdist", tmp_path / "sdist", ENVWHEEL_RELEASE="1")) as sdist:
        (info,) = [member for member in sdist.getmembers() if member.name.count("/") == 1 and "PKG-INFO" in member.name]
        opened = sdist.extractfile(info)
        assert opened is not None
        assert b"file:" not in opened.read()


@pytest.mark.slow
def test_a_checkout_names_its_own_folders(tmp_path):
    release = dict.fromkeys(("ENVWHEEL_RELEASE",), "")
    with zipfile.ZipFile(build("wheel", tmp_path, **release)) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        assert f"envwheel-swe @ {(REPO / 'plugins' / 'swe').as_uri()}" in wheel.read(name).decode()
