"""Files in a model's answer: any honest layout is read, no text breaks the reader, no path leaves the folder."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from envwheel.propose.files_in_text import MOST_FILES, read, write

NAMES = st.from_regex(r"[a-z][a-z0-9_.-]{0,8}", fullmatch=True).filter(lambda name: name.strip(".") != "")
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
LINES = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=20)


def is_content(lines: list[str]) -> bool:
    """Neither markers nor a file that is one fence: those mean something."""
    return not any(line.startswith(("===", "\ufeff")) or line.lstrip().startswith(("```", "~~~")) for line in lines)


TEXTS = st.lists(LINES, max_size=6).filter(is_content).map(lambda lines: "".join(f"{line}\n" for line in lines))
FILES = st.dictionaries(PATHS, TEXTS, min_size=1, max_size=5).filter(
    lambda files: not any(a != b and b.startswith(f"{a}/") for a in files for b in files)
)


@given(FILES, LINES, LINES)
def test_what_is_written_is_read_again(files: dict[str, str], before: str, after: str) -> None:
    assume(is_content([before]) and is_content([after]))
    files = {"task.toml": "", **files}  # one common folder would be taken off
    assert read(f"{before}\n{write(files)}\n{after}").files == files


@given(FILES)
def test_windows_newlines_mean_nothing(files: dict[str, str]) -> None:
    assert read(write(files).replace("\n", "\r\n")) == read(write(files))


MARKS = st.sampled_from(["=== FILE: ", "===", "=== END ===", " ===", "```", "~~~", "# ", "`", "file ", "'", "*"])
PARTS = st.sampled_from(["task.toml", "tests/check.py", "environment/", "bash", "../", "/", "\\", "a", "\u00e9"])
ODD = st.sampled_from(["\n", "\n", "\r\n", " ", "\x00", "\ud800", "\x1b", "\u2028"])
SCRAPS = MARKS | PARTS | ODD


@settings(max_examples=400)
@given(st.lists(SCRAPS | st.text(max_size=8), max_size=40).map("".join), st.booleans())
def test_no_text_breaks_it_and_no_path_leaves_the_folder(text: str, cut: bool) -> None:
    found = read(text, cut=cut)
    assert found.files or found.faults
    for path, content in found.files.items():
        assert not path.startswith("/")
        assert {"", ".", ".."}.isdisjoint(path.split("/"))
        assert path.isprintable()
        assert not content or content.endswith("\n")


ANSWER = """Here is the environment.

=== FILE: task.toml ===
schema_version = "1.4"
=== END ===

=== FILE: instruction.md ===
Run this:

```bash
make
```

### tests/check.py
```python
1
```
=== END ===
=== FILE: solution/solve.sh ===
cat > /app/README.md <<'MD'
```python
x
```
=====
MD
=== END ===
I hope that this helps!
"""


def test_fences_and_headings_in_a_file_are_its_content() -> None:
    files = read(ANSWER).files
    assert list(files) == ["task.toml", "instruction.md", "solution/solve.sh"]
    assert files["instruction.md"].count("```") == 4
    assert files["solution/solve.sh"].endswith("```\n=====\nMD\n")


def test_a_file_without_its_end_goes_on_to_the_next() -> None:
    found = read(ANSWER.replace("=== END ===\n", ""))
    assert found.files["task.toml"] == 'schema_version = "1.4"\n\n'
    assert found.files["solution/solve.sh"].endswith("MD\nI hope that this helps!\n")
    assert found.faults == ()


def test_an_answer_that_was_cut_loses_its_last_file() -> None:
    found = read(ANSWER.rpartition("=== END ===")[0], cut=True)
    assert list(found.files) == ["task.toml", "instruction.md"]
    assert "cut off in solution/solve.sh" in found.faults[0]


@pytest.mark.parametrize(
    "marker",
    [
        "=== FILE: tests/test.sh ===",
        "=== file: `tests/test.sh`",
        "=====FILE tests/test.sh=====",
        "=== FILE: ./tests/test.sh",
    ],
)
def test_markers_as_models_write_them(marker: str) -> None:
    assert read(f"{marker}\necho\n=== END OF FILE ===\n").files == {"tests/test.sh": "echo\n"}


def test_a_fence_around_a_whole_file_is_taken_off() -> None:
    text = "=== FILE: solution/solve.sh ===\n```bash\necho '```'\n```\n=== END ===\n"
    assert read(text).files == {"solution/solve.sh": "echo '```'\n"}
    open_ended = "=== FILE: solution/solve.sh ===\n```bash\necho\n```\nDone.\n"
    assert read(open_ended).files == {"solution/solve.sh": "echo\n"}


def test_a_fence_in_markdown_stays_unless_it_says_markdown() -> None:
    text = "=== FILE: instruction.md ===\n```{}\nrun\n```\n=== END ===\n"
    assert read(text.format("bash")).files["instruction.md"] == "```bash\nrun\n```\n"
    assert read(text.format("markdown")).files["instruction.md"] == "run\n"


FENCED = """\
### `task.toml`

```toml
a = 1
```

```python tests/check.py
'''
```bash
x
```
'''
```

**solution/solve.sh**:
~~~bash
make
~~~

```dockerfile
# environment/Dockerfile
FROM x
```

```
neither here nor there
```
"""


def test_fenced_blocks_that_name_their_file_are_taken_where_there_are_no_markers() -> None:
    assert read(FENCED).files == {
        "task.toml": "a = 1\n",
        "tests/check.py": "'''\n```bash\nx\n```\n'''\n",
        "solution/solve.sh": "make\n",
        "environment/Dockerfile": "FROM x\n",
    }


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x", "tests/../../x", "a//b", "a\\b", "tests/", "x" * 300, "a\x00b"]
)
def test_a_path_that_leads_away_is_left_out_and_told(path: str) -> None:
    found = read(write({path: "x", "tests/test.sh": "y"}))
    assert list(found.files) == ["tests/test.sh"]
    assert "left out" in found.faults[0]


def test_a_file_twice_is_the_last_one() -> None:
    found = read(write({"task.toml": "a = 1"}) + write({"task.toml": "a = 2"}))
    assert found.files == {"task.toml": "a = 2\n"}
    assert "more than once" in found.faults[0]


def test_a_file_below_a_file_is_left_out() -> None:
    found = read(write({"tests/a": "x", "tests/a/b": "y"}))
    assert list(found.files) == ["tests/a"]
    assert "cannot both be files" in found.faults[0]


def test_the_folder_of_the_environment_is_taken_off_all_paths() -> None:
    files = {"my-task/task.toml": "a = 1", "my-task/tests/test.sh": "echo"}
    assert list(read(write(files)).files) == ["task.toml", "tests/test.sh"]


@pytest.mark.parametrize("text", ["", "I cannot do that.", "```\nls\n```", "=== END ===", "=== FILE: ==="])
def test_an_answer_without_a_file_says_so(text: str) -> None:
    found = read(text)
    assert found.files == {}
    assert "there is no file in the answer" in found.faults


def test_of_too_many_files_the_first_are_taken() -> None:
    found = read("".join(write({f"tests/{number}": "x"}) for number in range(MOST_FILES + 1)))
    assert len(found.files) == MOST_FILES
    assert "there are 501 files" in found.faults[0]


@pytest.mark.parametrize("line", ["~" * 200_000 + "`", "# a" + " " * 200_000 + "b", "a/" * 100_000, "=" * 200_000])
def test_long_lines_are_content_and_cost_no_time(line: str) -> None:
    assert read(f"{line}\n```\n{line}\n```\n{write({'task.toml': line})}").files == {"task.toml": f"{line}\n"}
    assert read(f"{line}\n```\n{line}\n```").files == {}
