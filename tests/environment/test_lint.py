"""Lint without an engine: leaks, suspects and signs, and the cases that look alike and are none."""

from __future__ import annotations

from pathlib import Path

import pytest
from folders import make

from envwheel.environment.dockerfile import copies
from envwheel.environment.folder import read
from envwheel.environment.lint import LintReport, lint
from envwheel.environment.signs import chance, downloads

CHECKER = "import json\nprint(json.load(open('/app/out.txt')) == 42, 'is what is wanted here')\n"
TEST_SH = "#!/bin/bash\n/usr/bin/python3 -I -B /tests/check.py  # long enough to be seen\n"
EXPECTED = '{"total": 1234567, "customers": ["ida", "jon"]}\n'
LONG = "awk -F, '{ n[$1] += $2 } END { for (k in n) print k, n[k] }' /app/input.txt > /app/out.txt"


def report(folder: Path, changes: dict[str, str | None]) -> LintReport:
    return lint(read(make(folder / "t", changes)))


def errors(found: LintReport) -> list[tuple[str, str]]:
    return [(finding.rule, finding.path) for finding in found.findings if finding.severity == "error"]


def with_copy(source: str, target: str = "/opt/") -> str:
    return f"FROM envwheel/base:bookworm\nWORKDIR /app\nCOPY {source} {target}\n"


def test_a_clean_environment_has_nothing(tmp_path: Path) -> None:
    assert report(tmp_path, {}) == LintReport((), (), ())


@pytest.mark.parametrize("source", ["tests/", "tests", ".", "tests/check.py", "te*ts", "--chown=agent:agent tests/"])
def test_the_checker_in_the_image_is_a_leak(tmp_path: Path, source: str) -> None:
    changes = {"tests/test.sh": TEST_SH, "tests/check.py": CHECKER, "environment/tests/check.py": CHECKER + "\n\n"}
    found = report(tmp_path, {**changes, "environment/Dockerfile": with_copy(source)})
    assert errors(found) == [("leak_tests", "environment/tests/check.py")]


def test_the_expected_file_under_another_name_is_a_leak(tmp_path: Path) -> None:
    changes = {"tests/expected.json": EXPECTED, "environment/cache/a.bak": EXPECTED}
    found = report(tmp_path, {**changes, "environment/Dockerfile": with_copy("cache/")})
    assert errors(found) == [("leak_tests", "environment/cache/a.bak")]


def test_a_text_that_the_solution_writes_is_a_leak(tmp_path: Path) -> None:
    solve = f"#!/bin/bash\ncat > /app/out.json <<'JSON'\n{EXPECTED}JSON\n"
    changes = {"solution/solve.sh": solve, "environment/x.json": EXPECTED}
    found = report(tmp_path, {**changes, "environment/Dockerfile": with_copy("x.json")})
    assert errors(found) == [("leak_tests", "environment/x.json")]


def test_a_link_to_the_tests_is_a_leak(tmp_path: Path) -> None:
    folder = make(tmp_path / "t")
    (folder / "environment" / "data").symlink_to("../tests")
    assert errors(lint(read(folder))) == [("leak_tests", "environment/data")]


@pytest.mark.parametrize(
    "changes",
    [
        {"tests/orders.csv": EXPECTED, "environment/orders.csv": EXPECTED},
        {"tests/expected.txt": "42\n", "environment/n.txt": "42\n"},
        {
            "tests/expected.json": EXPECTED,
            "environment/unused.json": EXPECTED,
            "environment/Dockerfile": with_copy("x"),
        },
        {
            "tests/test.sh": TEST_SH,
            "environment/tests/test_own.py": "def test_it():\n    assert True, 'its own tests'\n",
        },
        {"tests/kit/grade.py": CHECKER, "environment/grade.py": CHECKER},
    ],
    ids=["a copy of an input", "tiny", "not copied", "tests of the project", "the kit"],
)
def test_what_looks_like_a_leak_and_is_none(tmp_path: Path, changes: dict[str, str | None]) -> None:
    assert errors(report(tmp_path, {"environment/Dockerfile": with_copy("."), **changes})) == []


def test_a_folder_called_tests_is_a_warning(tmp_path: Path) -> None:
    found = report(tmp_path, {"environment/Dockerfile": with_copy("tests/"), "environment/tests/a.py": "x = 1\n"})
    assert [(finding.rule, finding.severity) for finding in found.findings] == [("leak_tests", "warning")]


@pytest.mark.parametrize(
    "text",
    [
        f"Count.\n\n```\n{LONG}\n```\n",
        f"Count.\n\n```bash\n$ {LONG}\n```\n",
        f"Count.\n\n    {LONG}\n",
        f"Count, for example with `{LONG}`.\n",
    ],
    ids=["fence", "prompt", "indented", "span"],
)
def test_the_solving_command_in_the_instruction_is_to_be_tried(tmp_path: Path, text: str) -> None:
    found = report(tmp_path, {"instruction.md": text, "solution/solve.sh": f"#!/bin/bash\nset -e\n{LONG}\n"})
    assert [(suspect.kind, suspect.text.strip()) for suspect in found.suspects] == [("command", LONG)]
    assert found.findings == ()


def test_the_expected_content_in_the_instruction_is_to_be_tried(tmp_path: Path) -> None:
    solve = f"#!/bin/bash\ncat > /app/out.txt <<'E'\n{EXPECTED}E\n"
    found = report(tmp_path, {"instruction.md": f"Like this:\n\n  {EXPECTED}\n", "solution/solve.sh": solve})
    assert ("answer", EXPECTED) in [(suspect.kind, suspect.text) for suspect in found.suspects]


def test_a_comment_beside_the_bug_that_states_the_fix_is_to_be_tried(tmp_path: Path) -> None:
    buggy = "def add(a, b):\n    # should be: return a + b  \n    return a - b\n"
    solve = "#!/bin/bash\ncat > /app/add.py <<'P'\ndef add(a, b):\n    return a + b\nP\n"
    changes = {"environment/add.py": buggy, "environment/Dockerfile": with_copy("add.py", "add.py")}
    found = report(tmp_path, {**changes, "solution/solve.sh": solve})
    assert [suspect.path for suspect in found.suspects] == ["environment/add.py"] * 2
    assert found.suspects[0].text == "sed -i '3c\\    return a + b' /app/add.py\n"


def test_a_script_in_the_environment_that_solves_it_is_to_be_tried(tmp_path: Path) -> None:
    changes = {"environment/fix.sh": f"#!/bin/sh\n{LONG}\n", "environment/Dockerfile": with_copy("fix.sh")}
    found = report(tmp_path, {**changes, "solution/solve.sh": f"#!/bin/bash\n{LONG}\n"})
    assert [suspect.text for suspect in found.suspects] == [f"#!/bin/sh\n{LONG}\n"]


@pytest.mark.parametrize(
    ("name", "text", "signs"),
    [
        ("a.py", "random.shuffle(x)", ["unseeded random numbers"]),
        ("a.py", "rng = random.Random()", ["unseeded random numbers"]),
        ("a.py", "rng = random.Random(3)\nrng.shuffle(x)", []),
        ("a.py", "random.seed(3)\nrandom.shuffle(x)", []),
        ("a.py", "now = datetime.now()", ["the clock"]),
        ("a.py", "end = time.monotonic() + 5", []),
        ("a.py", "import threading", ["concurrency"]),
        ("a.py", "for name in os.listdir(top):", ["an unordered listing"]),
        ("a.py", "for name in sorted(os.listdir(top)):", []),
        ("a.py", "for pid in os.listdir('/proc'):", []),
        ("a.py", "# random.shuffle(x)", []),
        ("a.sh", "n=$RANDOM", ["unseeded random numbers"]),
        ("a.sh", "today=$(date +%F)", ["the clock"]),
        ("a.sh", "update /app/x", []),
        ("a.sh", "server &\nwait", ["concurrency"]),
        ("a.sh", "a && b 2>&1", []),
        ("a.sh", "find /app -type f", ["an unordered listing"]),
        ("a.sh", "find /app -type f | sort", []),
    ],
)
def test_signs_of_chance(name: str, text: str, signs: list[str]) -> None:
    assert list(chance(name, text)) == signs


@pytest.mark.parametrize(
    ("line", "fetches"),
    [
        ("apt-get update -qq && apt-get install -y jq", True),
        ("python3 -m pip install pytest==8", True),
        ("pip3 install -q x", True),
        ("curl -LsSf https://example.org/install.sh | sh", True),
        ("wget http://example.org/x", True),
        ("curl -s http://127.0.0.1:8080/health", False),
        ("curl -s http://localhost:8080/https://x", False),
        ("uvx --with pytest==8 pytest /tests", True),
        ("npm ci", True),
        ("git clone https://example.org/x", True),
        ("# apt-get install jq", False),
        ("make install", False),
        ("git clone /app/repo copy", False),
        ('urlopen("http://127.0.0.1:1/x")', False),
        ('urlopen("https://example.org/x")', True),
    ],
)
def test_downloads(line: str, fetches: bool) -> None:
    assert bool(downloads(line)) == fetches


def test_a_download_in_the_tests_is_a_warning_and_in_the_solution_nothing(tmp_path: Path) -> None:
    found = report(tmp_path, {"tests/test.sh": "apt-get install -y jq\n", "solution/solve.sh": "pip install x\n"})
    assert [(f.rule, f.path, f.severity) for f in found.findings] == [("needs_network", "tests/test.sh", "warning")]


def test_where_copies_land() -> None:
    text = (
        "FROM a AS one\nCOPY secret /x\nFROM b\nWORKDIR /app\n# COPY no /no\nCOPY a.txt \\\n  b.txt ./in/\n"
        'COPY ["with space.txt", "/q/"]\nCOPY --from=one /x /y\nADD src .\nCOPY *.md doc/\n'
    )
    found = copies(text)
    assert [copy.line.split()[0] for copy in found] == ["COPY", "COPY", "ADD", "COPY"]
    places = {
        name: next((place for copy in found if (place := copy.place(name))), None)
        for name in ("a.txt", "b.txt", "with space.txt", "src/deep/x", "README.md", "sub/README.md", "secret", "no")
    }
    assert places == {
        "a.txt": "/app/in/a.txt",
        "b.txt": "/app/in/b.txt",
        "with space.txt": "/q/with space.txt",
        "src/deep/x": "/app/deep/x",
        "README.md": "/app/doc/README.md",
        "sub/README.md": None,
        "secret": None,
        "no": None,
    }
