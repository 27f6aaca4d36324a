"""Looking at artifacts that are links, devices, huge, deep or odd."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from checker import KIT, grade


def ask(folder: Path, expression: str) -> str:
    done = grade(folder, f"print({expression})")
    assert done.exit_code == 0, done.err
    return done.out.strip()


def test_plain_files_only(open_folder: Path) -> None:
    app = open_folder / "app"
    (app / "folder").mkdir(parents=True)
    (app / "good").write_text("hé")
    (app / "empty").write_text("")
    (app / "nul").write_bytes(b"a\0b")
    (app / "latin").write_bytes(b"\xe9")
    (app / "big").write_bytes(bytes(2000))
    (app / "link").symlink_to("good")
    (app / "way").symlink_to("../app")
    os.mkfifo(app / "fifo")
    done = grade(
        open_folder,
        """
        for name in ("good", "empty", "nul", "latin", "big", "link", "way/good", "fifo", "folder", "none", "n\\0"):
            path = "{folder}/app/" + name
            print(name[:5], grade.plain_file(path, 1000), grade.read_text(path, 1000) is not None)
        """,
    )
    told = {line.split()[0]: line.split()[1:] for line in done.out.splitlines()}
    assert told["good"] == told["empty"] == ["True", "True"]
    assert told["nul"] == told["latin"] == ["True", "False"]
    assert all(told[name] == ["False", "False"] for name in ("big", "link", "way/g", "fifo", "folde", "none")), told


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "[" * 61 + "]" * 61, '{"a": NaN}', "[1e999", "", '{"a": 1}x', "9" * 5000],
    ids=["deep and open", "deep", "NaN", "open", "empty", "junk", "digits"],
)
def test_odd_json_is_no_json(open_folder: Path, text: str) -> None:
    (open_folder / "x.json").write_text(text)
    assert ask(open_folder, 'grade.load_json("{folder}/x.json")') == "None"


def test_good_json_is_read(open_folder: Path) -> None:
    value = {"a": [1, {"b": None}, "é"], "c": 1.5}
    (open_folder / "x.json").write_text(json.dumps(value))
    assert ask(open_folder, f'grade.load_json("{{folder}}/x.json") == {value!r}') == "True"


def test_plain_trees(open_folder: Path) -> None:
    tree = open_folder / "tree"
    (tree / "sub").mkdir(parents=True)
    (tree / "sub" / "file").write_text("x" * 100)
    (open_folder / "linked").mkdir()
    (open_folder / "linked" / "link").symlink_to("../tree")
    done = grade(
        open_folder,
        """
        tree, linked = "{folder}/tree", "{folder}/linked"
        print(grade.plain_tree(tree), grade.plain_tree(tree, limit=99), grade.plain_tree(tree, members=1))
        print(grade.plain_tree(tree + "/sub/file"), grade.plain_tree(tree + "/none"))
        print(grade.plain_tree(linked), grade.plain_tree(linked, links=True), grade.plain_tree(linked + "/link"))
        print(grade.link_target(linked + "/link"), grade.link_target(tree))
        """,
    )
    assert done.out.splitlines() == ["True False False", "False False", "False True False", "../tree None"], done.err


def test_a_tree_that_is_nested_too_deeply_is_not_plain(open_folder: Path) -> None:
    deep = "import os\nfor _ in range(1100): os.mkdir('d'); os.chdir('d')"
    subprocess.run([sys.executable, "-c", deep], cwd=open_folder, check=True)
    try:
        assert ask(open_folder, 'grade.plain_tree("{folder}/d")') == "False"
    finally:
        subprocess.run(["rm", "-rf", str(open_folder / "d")], check=True)


def test_modes_and_owners_are_those_of_the_thing_itself(open_folder: Path) -> None:
    (open_folder / "file").write_text("")
    (open_folder / "file").chmod(0o640)
    (open_folder / "link").symlink_to("file")
    assert ask(open_folder, 'oct(grade.mode("{folder}/file")), grade.mode("{folder}/none")') == "0o640 None"
    assert ask(open_folder, 'grade.owner("{folder}/file")') == f"({os.geteuid()}, {os.getegid()})"
    assert ask(open_folder, 'oct(grade.mode("{folder}/link"))') == "0o777"


def test_random_numbers_depend_on_the_seed_only(open_folder: Path) -> None:
    first = ask(open_folder, 'grade.rng("a", 1).random(), grade.rng("a", 2).random()')
    assert first == ask(open_folder, 'grade.rng("a", 1).random(), grade.rng("a", 2).random()')
    assert len(set(first.split())) == 2


def test_a_database_reaches_no_other_file_and_has_a_time_limit(open_folder: Path) -> None:
    with sqlite3.connect(open_folder / "shop.db") as connection:
        connection.execute("create table t (n)")
        connection.execute("insert into t values (7)")
    connection.close()
    before = (open_folder / "shop.db").read_bytes()
    done = grade(
        open_folder,
        """
        import sqlite3

        db = grade.sqlite("{folder}/shop.db", timeout=1)
        print(db.execute("select n from t").fetchall(), db.execute("delete from t").rowcount)
        for sql in (
            "attach '{folder}/other.db' as o",
            "vacuum into '{folder}/other.db'",
            "with recursive r(n) as (select 1 union all select n + 1 from r) select count(*) from r",
        ):
            try:
                db.execute(sql).fetchall()
                print("ran")
            except sqlite3.DatabaseError as error:
                print(error)
        try:
            grade.sqlite("{folder}/none.db")
        except grade.Failed:
            print("failed")
        """,
    )
    lines = done.out.splitlines()
    assert lines[0] == "[(7,)] 1", done.err
    assert "not authorized" in lines[1]
    assert lines[2] != "ran"
    assert lines[3:] == ["interrupted", "failed"]
    assert (open_folder / "shop.db").read_bytes() == before
    assert not (open_folder / "other.db").exists()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_git_answers_without_running_the_hooks_and_monitors_of_a_repository(open_folder: Path) -> None:
    repo, mark = open_folder / "repo", open_folder / "ran"
    hostile = repo / "evil.sh"
    identity = {"GIT_CONFIG_GLOBAL": "/dev/null", "HOME": str(open_folder), "PATH": os.environ["PATH"]}

    def git(*args: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *args], cwd=repo, check=True, env=identity)

    repo.mkdir()
    hostile.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hostile.chmod(0o755)
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "first")
    git("config", "core.fsmonitor", str(hostile))
    (repo / ".git" / "hooks" / "post-checkout").write_text(f"#!/bin/sh\ntouch {mark}\n")
    (repo / ".git" / "hooks" / "post-checkout").chmod(0o755)
    open_folder.chmod(0o777)
    done = grade(
        open_folder,
        """
        copy = grade.copy_tree("{folder}/repo", links=True)
        print(grade.git(copy, "status", "--porcelain"))
        print(grade.git(copy, "checkout", "-q", "-b", "other").code)
        print(grade.git("{folder}/repo", "log", "--format=%s").out)
        """,
    )
    assert done.out.splitlines() == ["Ran(code=0, out=b'', err=b'')", "0", "b'first\\n'"], done.err
    assert not mark.exists()


def test_the_kit_needs_only_the_standard_library_and_an_old_python() -> None:
    import ast

    own = {path.stem for path in KIT.glob("*.py")}
    for path in KIT.glob("*.py"):
        text = path.read_text()
        assert text.count("\n") < 250, path.name
        for node in ast.walk(ast.parse(text, feature_version=(3, 9))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                assert name.split(".")[0] in sys.stdlib_module_names | own, f"{path.name} imports {name}"


def test_a_verifier_that_only_looks_at_files_does_not_wait_for_modules_that_run_programs() -> None:
    look = f"import sys; sys.path.insert(0, {str(KIT)!r}); import grade; grade.plain_file('/x'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-S", "-B", "-c", look], capture_output=True, text=True, check=True)
    assert not {"grade_run", "hashlib", "shutil", "subprocess", "tempfile", "typing"} & set(done.stdout.split())


def test_all_that_is_promised_is_there() -> None:
    code = "import grade; print([name for name in grade.__all__ if not hasattr(grade, name)])"
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(KIT)}, capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
