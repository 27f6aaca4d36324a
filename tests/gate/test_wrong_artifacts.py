"""Wrong artifacts: what is made, and above all what is not (a mutant that is right would reject a good environment)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envwheel.gate.wrong_artifacts import (
    Result,
    Wrong,
    changed,
    constant,
    is_data,
    one_off,
    reversed_lines,
    same,
    wrong_artifacts,
)
from envwheel.sandbox.base import Entry, Tree


def tree(files: dict[str, str | bytes]) -> Tree:
    return Tree(
        {path: Entry("file", 0o644, data if isinstance(data, bytes) else data.encode()) for path, data in files.items()}
    )


def wrongs(
    reference: dict[str, str | bytes],
    untouched: dict[str, str | bytes] | None = None,
    instruction: str = "",
    inputs: dict[str, bytes] | None = None,
    fixed: frozenset[str] | None = None,
) -> dict[str, Wrong]:
    result = Result(tree(reference), tree(untouched or {}), instruction, inputs or {}, fixed)
    return {wrong.id: wrong for wrong in wrong_artifacts(result)}


def content(wrong: Wrong, path: str) -> str:
    return wrong.tree.entries[path].data.decode()


def test_a_table_gets_every_kind() -> None:
    table = "name,units\nbolt,12\ncog,7\nnut,30\n"
    found = wrongs({"/app/t.csv": table}, None, "sorted by name", {"in.csv": b"name,units\nx,1\n"})
    whole = {"emptied", "truncated", "constant", "input_copied"}
    assert set(found) == whole | {"one_value_off", "order_reversed", "entry_missing", "values_exchanged"}
    assert content(found["constant"], "/app/t.csv") == "name,units\n0,0\n0,0\n0,0\n"
    assert content(found["order_reversed"], "/app/t.csv") == "name,units\nnut,30\ncog,7\nbolt,12\n"
    assert content(found["input_copied"], "/app/t.csv") == "name,units\nx,1\n"
    assert content(found["one_value_off"], "/app/t.csv") != table


def test_json_keeps_its_keys_and_loses_its_values() -> None:
    value = {"total": 68, "by": {"a": "x"}, "list": [1.5, True, None]}
    found = wrongs({"/app/r.json": json.dumps(value)})
    assert json.loads(content(found["constant"], "/app/r.json")) == {
        "total": 0,
        "by": {"a": ""},
        "list": [0.0, False, None],
    }


def test_what_was_not_changed_by_content_is_not_mutated() -> None:
    assert wrongs({"/app/run.sh": "echo 1\n"}, {"/app/run.sh": "echo 1\n"}) == {}


def test_an_artifact_that_is_meant_to_be_empty_has_no_wrong_form_but_a_constant() -> None:
    assert set(wrongs({"/app/done": ""})) == {"constant"}


def test_white_space_is_no_difference() -> None:
    found = wrongs({"/app/n.txt": "4\n"})
    assert "truncated" not in {id for id, w in found.items() if content(w, "/app/n.txt").strip() == "4"}
    assert wrongs({"/app/z.txt": "0"}).keys().isdisjoint({"constant"})


def test_the_order_is_left_alone_where_it_is_free() -> None:
    table = {"/app/t.csv": "n\n1\n2\n3\n"}
    assert "order_reversed" not in wrongs(table)
    assert "order_reversed" not in wrongs(table, None, "Sorted input is fine; the lines may come in any order.")
    assert "order_reversed" not in wrongs(table, None, "sorted; key order does not matter")
    assert "order_reversed" not in wrongs({"/app/t.csv": "n\n1\n1\n"}, None, "sorted")
    assert "order_reversed" not in wrongs({"/app/jobs.cron": "1 * * * *\n2 * * * *\n"}, None, "sorted")


def test_programs_and_settings_get_no_single_values_changed() -> None:
    assert "one_value_off" not in wrongs({"/app/a.py": "x = 12\n"})
    service = {"/app/s/start.sh": "#!/bin/sh\nrun\n", "/app/s/config.json": '{"port": 80}'}
    assert "one_value_off" not in wrongs(service)


def test_a_value_that_differs_from_trial_to_trial_is_left_alone() -> None:
    report = {"/app/r.json": '{"at": 1234}'}
    assert "one_value_off" in wrongs(report, fixed=frozenset({"/app/r.json"}))
    assert "one_value_off" not in wrongs(report, fixed=frozenset())


@pytest.mark.parametrize("text", ["2024-01-05", "v1.2.3", "10:30", "a1", "", "x"])
def test_dates_times_versions_and_names_are_no_numbers(text: str) -> None:
    assert one_off("/app/x.txt", text.encode()) is None


def test_json_keys_are_no_values() -> None:
    assert one_off("/app/x.json", b'{"12": "34"}') is None
    assert one_off("/app/x.json", b'{"12": 34}') == b'{"12": 84}'
    assert one_off("/app/x.json", b"{broken 5") is None


@given(st.integers(0, 10**6))
@settings(max_examples=60)
def test_a_number_that_is_off_is_far_off(number: int) -> None:
    off = int(one_off("/app/x.txt", str(number).encode()) or b"0")
    assert abs(off - number) >= 0.3 * max(1, number)


def test_the_last_result_goes_missing_but_no_by_product() -> None:
    found = wrongs({"/app/o/a.txt": "a1", "/app/o/b.txt": "b2", "/app/o/.git/index": "i", "/app/o/x.pyc": "p"})
    assert "/app/o/b.txt" not in found["last_missing"].tree.entries
    noted = wrongs({"/app/o/a.txt": "a1", "/app/o/README.md": "about"})
    assert list(noted["last_missing"].tree.entries) == ["/app/o/README.md"]
    named = wrongs({"/app/o/a.txt": "a1", "/app/o/b.txt": "b2"}, None, "write `a.txt`")
    assert "/app/o/a.txt" not in named["last_missing"].tree.entries
    assert "last_missing" not in wrongs({"/app/o/x.log": "line"})


def test_an_input_that_says_the_same_is_no_wrong_copy() -> None:
    same_lines = {"in.txt": b"b\na\n"}
    assert "input_copied" not in wrongs({"/app/o.txt": "a\nb\n"}, None, "", same_lines)


def test_a_program_is_cut_in_its_code_and_not_in_the_comments_after_it():
    program = "import sys\nprint(len(sys.argv))\n" + "# A long word about it, and about its author.\n" * 9
    assert content(wrongs({"/app/o.py": program})["truncated"], "/app/o.py") == "import sys\n"


def test_a_program_prints_its_input_and_is_no_copy_of_another():
    found = wrongs({"/app/o.py": "print(1)\n"}, None, "", {"in.py": b"print(2)\n"})
    assert "stdin.read" in content(found["input_copied"], "/app/o.py")
    assert "input_copied" not in wrongs({"/app/Makefile": "all:\n\ttrue\n"}, None, "", {})


def test_the_untouched_state_is_no_mutant() -> None:
    found = wrongs({"/app/t.txt": "new words\n"}, {"/app/t.txt": ""})
    assert "emptied" not in found


@given(st.dictionaries(st.sampled_from(["/a/x.json", "/a/y.csv", "/a/z.txt", "/a/p.py"]), st.binary(max_size=60)))
@settings(max_examples=150)
def test_every_mutant_differs_and_nothing_raises(files: dict[str, bytes]) -> None:
    reference = tree(files)
    for wrong in wrong_artifacts(Result(reference, Tree(), "sorted", {"in.txt": b"1\n2\n"})):
        assert any(
            path not in wrong.tree.entries or not same(wrong.tree.entries[path].data, entry.data)
            for path, entry in reference.entries.items()
        )


def test_the_rows_of_a_markdown_table_are_data() -> None:
    page = b"# A\n\n| a | b |\n|---|--:|\n| x | 12 |\n| y | 40 |\n| z | 5 |\n\nTotal 99\n"
    assert is_data("/app/a.md", page)
    assert not is_data("/app/a.md", b"# A\n\nTotal 99\n")
    assert one_off("/app/a.md", page) == page.replace(b"40", b"90")
    back = reversed_lines("/app/a.md", page)
    assert back is not None
    assert back.split() == page.replace(b"x | 12", b"?").replace(b"z | 5", b"x | 12").replace(b"?", b"z | 5").split()


def test_where_only_links_and_modes_are_asked_for_nothing_is_replaced() -> None:
    before = tree({"/app/a.sh": "#!/bin/sh\necho 1\n"})
    after = Tree({"/app/a.sh": replace(before.entries["/app/a.sh"], mode=0o755)})
    result = Result(after, before, "", {}, None)
    assert changed(result, constant) is None
    assert wrong_artifacts(result) == []
