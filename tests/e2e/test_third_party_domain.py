"""The domain of docs/writing-a-domain.md, built as a wheel, installed into a fresh venv, and used; and a broken one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

REPO = Path(__file__).parents[2]
PAGE = REPO / "docs" / "writing-a-domain.md"
BROKEN = {
    "pyproject.toml": """
        [build-system]
        requires = ["hatchling>=1.25"]
        build-backend = "hatchling.build"
        [project]
        name = "envwheel-shaky"
        version = "0.3"
        dependencies = ["envwheel>=0.1,<0.2"]
        [project.entry-points."envwheel.domains"]
        shaky = "envwheel_shaky"
        [tool.hatch.build.targets.wheel]
        packages = ["envwheel_shaky"]
        """,
    "envwheel_shaky/__init__.py": "import a_library_that_nobody_has\n",
}
GENERATE = """
import sys
from pathlib import Path
from envwheel.domains import Domains
from envwheel.environment.draft import write

domains = Domains.load(["logbook"])
(family,) = domains.families("logbook")
draft = domains.draft("logbook", family, 1, 7)
write(draft, Path(sys.argv[1]), domains=["logbook"], kit=domains.kit("logbook"), proposer="procedural")
"""
LOOK = """
import sys
from pathlib import Path
from envwheel.domains import Domains
from envwheel.environment.folder import read

domains = Domains.load(["logbook"])
environment = read(Path(sys.argv[1])).environment
print(environment.name, *environment.domains, *environment.skills, environment.level)
print(*[one.id for hook in ("attacks", "mutants", "alternatives") for one in domains.for_all(hook, environment)])
"""


def example_files() -> dict[str, str]:
    """The files of the page's example: a bold path, then a fenced block."""
    files = dict(re.findall(r"^\*\*`([^`]+)`\*\*\n\n```\w+\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL))
    return {**files, "src/envwheel_logbook/__init__.py": ""}


class Installation:
    """A venv of its own that also sees the packages of the interpreter under test."""

    def __init__(self, root: Path) -> None:
        self.root = root
        venv.create(root / "venv", with_pip=False, symlinks=True)
        self.python = root / "venv" / "bin" / "python"
        site = Path(sysconfig.get_path("purelib", vars={"base": str(root / "venv")}))
        hosts = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), str(REPO / "core")}
        (site / "host.pth").write_text("\n".join(sorted(hosts)) + "\n")

    def install(self, name: str, files: dict[str, str]) -> None:
        """Write the source tree, build its wheel and install it, all without a network."""
        source, wheels = self.root / name, self.root / f"{name}-wheels"
        for path, text in files.items():
            (source / path).parent.mkdir(parents=True, exist_ok=True)
            lines = text.splitlines()
            (source / path).write_text(
                "\n".join(line.removeprefix(" " * 8) for line in lines) + "\n" if "toml" in path else text
            )
        build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--skip-dependency-check"]
        subprocess.run([*build, "-o", str(wheels), str(source)], check=True, capture_output=True)
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "--no-deps", "--no-index"]
        subprocess.run([*pip, *map(str, wheels.iterdir())], check=True, capture_output=True)

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        """The interpreter of the venv, in an empty folder."""
        return subprocess.run([str(self.python), *args], capture_output=True, text=True, cwd=self.root, timeout=300)

    def envwheel(self, *args: str) -> subprocess.CompletedProcess[str]:
        """The command line of the venv."""
        return self.run("-m", "envwheel.cli", *args)


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    made = Installation(tmp_path_factory.mktemp("third-party"))
    made.install("logbook", example_files())
    made.install("shaky", BROKEN)
    return made


@pytest.fixture(scope="module")
def folder(installation: Installation) -> Path:
    path = installation.root / "count-lines-1-7"
    ran = installation.run("-c", GENERATE, str(path))
    assert ran.returncode == 0, ran.stderr
    return path


def test_it_is_listed_without_being_imported(installation):
    ran = installation.envwheel("domains", "--json")
    rows = {row["name"]: row for row in map(json.loads, ran.stdout.splitlines())}
    assert ran.returncode == 0, ran.stderr
    assert rows["logbook"]["version"] == "1.0.0"
    assert rows["logbook"]["distribution"] == "envwheel-logbook"
    assert rows["shaky"]["state"] == "not checked"


def test_a_check_of_all_finds_the_broken_one_alone(installation):
    ran = installation.envwheel("domains", "--check", "--json")
    states = {row["name"]: row for row in map(json.loads, ran.stdout.splitlines())}
    assert ran.returncode == 2
    assert states["logbook"]["state"] == "ready"
    assert states["shaky"]["state"] == "broken"
    assert "a_library_that_nobody_has" in states["shaky"]["detail"]


def test_it_keeps_the_contract(installation):
    ran = installation.envwheel("plugin", "check", "logbook", "--json")
    results = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [one for one in results if one["outcome"] != "ok"] == [], ran.stderr
    assert ran.returncode == 0
    assert len(results) > 20


def test_its_drafts_become_environments_and_its_scripts_are_asked_for(installation, folder):
    ran = installation.run("-c", LOOK, str(folder))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == ["count-lines-1-7 logbook counting 1", "guess-zero off-by-one with-awk"]


def test_a_broken_domain_costs_one_line_when_named_and_nothing_otherwise(installation, folder):
    named = installation.envwheel("check", str(folder), "--domain", "shaky")
    assert named.returncode == 2
    (line,) = named.stderr.splitlines()
    assert "Domain 'shaky' (envwheel-shaky 0.3) cannot be used" in line
    assert "No module named 'a_library_that_nobody_has'" in line
    checked = installation.envwheel("plugin", "check", "shaky")
    assert checked.returncode == 1
    assert "Traceback" not in checked.stdout + checked.stderr
    assert installation.envwheel("plugin", "check", "not-there").returncode == 2
    assert installation.envwheel("--help").returncode == 0


def test_the_gate_admits_what_it_builds(installation, folder):
    ran = installation.envwheel("check", str(folder), "--domain", "logbook", "--repeat", "1", "--json")
    verdict = json.loads(ran.stdout.splitlines()[-1])
    assert (verdict["verdict"], verdict["code"] or "") == ("ok", ""), verdict
    steps = {step["step"]: step for step in verdict["steps"]}
    assert {steps[name]["outcome"] for name in ("reference", "attack", "mutants")} == {"ok"}
