"""Who may import whom: nobody imports upwards, domains know `envwheel.api` only, kits know nothing of ours."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPO = Path(__file__).parents[1]
CORE = REPO / "core" / "envwheel"
PLUGINS = sorted((REPO / "plugins").glob("*/src/*"))

LAYERS: list[set[str]] = [
    {"errors", "api", "version", "shape", "console", "lists"},
    {"columns", "hookspecs", "defaults", "listing", "readonly", "rates", "triage", "sandbox", "model"},
    {"ledger"},
    {"standing", "balance", "revisions"},
    {"domains", "environment", "reward", "rollout", "summary", "control"},
    {"child", "grading", "needs", "config", "store", "progress"},
    {"agent", "trial", "index", "health", "prepare", "importers"},
    {"presets", "simulated", "pictures"},
    {"solver"},
    {"attempt", "calibrate"},
    {"propose", "gate"},
    {"feedback", "contract", "parts"},
    {"proposing"},
    {"candidate", "improving"},
    {"recheck"},
    {"flywheel", "start"},
    {"compare", "run_page"},
    {"commands"},
    {"cli"},
]
"""A part of the core (a folder or module directly under envwheel/) imports itself and parts of lower layers only."""

LIGHT_HELP = (
    "pydantic docker yaml rensa openai anthropic genai_prices httpx httpx2 "
    "torch playwright openpyxl pluggy rich importlib.metadata"
)


def imports(path: Path) -> Iterator[str]:
    """Full names of all that a file imports, at any depth of its code."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import; write the full name"
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def unit(path: Path) -> str:
    """The part of the core that a file belongs to: its folder or module directly under envwheel/."""
    return path.relative_to(CORE).parts[0].removesuffix(".py")


def core_files() -> list[Path]:
    return [path for path in sorted(CORE.rglob("*.py")) if "kit" not in path.parts and "scaffold" not in path.parts]


def layer_of(name: str) -> int:
    return next((at for at, names in enumerate(LAYERS) if name in names), -1)


def test_every_module_has_its_layer():
    strangers = sorted({unit(path) for path in core_files()} - {"__init__"} - set().union(*LAYERS))
    assert strangers == [], "name the layer of these in LAYERS"


@pytest.mark.parametrize("path", core_files(), ids=lambda path: str(path.relative_to(CORE)))
def test_the_core_imports_downwards_only(path):
    own = unit(path)
    if layer_of(own) < 0:  # the test above tells
        return
    for name in imports(path):
        parts = name.split(".")
        if parts[0] != "envwheel" or len(parts) < 2 or parts[1] == own or layer_of(parts[1]) < 0:
            continue
        assert layer_of(parts[1]) < layer_of(own), f"{path.relative_to(REPO)} imports {name}, which is not below it"


@pytest.mark.parametrize("path", core_files(), ids=lambda path: str(path.relative_to(CORE)))
def test_the_core_names_no_domain_and_torch_stays_in_training(path):
    for name in imports(path):
        assert not name.startswith("envwheel_"), f"{path.relative_to(REPO)} imports {name}"
        assert name.partition(".")[0] != "torch" or unit(path) == "train", f"{path.relative_to(REPO)} imports {name}"


@pytest.mark.parametrize(("engine", "other"), [("docker", "namespace"), ("namespace", "docker")])
def test_an_engine_does_not_know_the_other(engine, other):
    for path in (CORE / "sandbox" / engine).glob("*.py"):
        for name in imports(path):
            assert not f"{name}.".startswith(f"envwheel.sandbox.{other}."), f"{path.relative_to(REPO)} imports {name}"


@pytest.mark.parametrize("package", PLUGINS, ids=lambda path: path.name)
def test_a_domain_imports_the_api_only(package):
    for path in package.rglob("*.py"):
        if "kit" in path.relative_to(package).parts:
            continue
        for name in imports(path):
            ours = name.split(".")[0] == "envwheel"
            assert not ours or name == "envwheel.api" or name.startswith("envwheel.api."), f"{path} imports {name}"
            assert not name.startswith("envwheel_") or name.split(".")[0] == package.name, f"{path} imports {name}"


def kits() -> list[Path]:
    folders = [CORE / "environment" / "kit", *(package / "kit" for package in PLUGINS)]
    return [folder for folder in folders if folder.is_dir()]


@pytest.mark.parametrize("folder", kits(), ids=lambda path: path.parent.name)
def test_a_kit_needs_nothing_but_the_standard_library_and_its_neighbours(folder):
    beside = {path.stem for kit in kits() for path in kit.glob("*.py")}
    for path in folder.glob("*.py"):
        for name in imports(path):
            assert name.partition(".")[0] in sys.stdlib_module_names | beside, f"{path} imports {name}"


def test_help_is_light():
    code = (
        "import sys; from envwheel.cli import main; main(['--help']); main(['--version'])\n"
        f"print(*[name for name in '{LIGHT_HELP}'.split() if name in sys.modules], sep=',')"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "usage: envwheel COMMAND" in ran.stdout
    assert ran.stdout.splitlines()[-1] == ""


def test_importing_the_core_does_nothing():
    """No file is opened for writing, no environment variable read, nothing printed by importing the command line."""
    ran = subprocess.run([sys.executable, "-c", "import envwheel.cli, envwheel.api"], capture_output=True, check=True)
    assert ran.stdout + ran.stderr == b""
    assert (CORE / "__init__.py").read_text() == ""
