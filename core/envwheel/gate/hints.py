"""Does instruction or fixture hold the solving command or the answer? Suspects are tried: only a reward of 1 is a leak.

- A command in the instruction, a script in the image that the instruction does not name, or what a shell's history
  says was done, is run as the solver.
- A block of the instruction, or a file that the instruction does not name, that says what the reference produces is
  written to the artifact.
- A comment in a file to be repaired that states the repaired line is taken at its word.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace

from envwheel.gate.answers import gives_away, numbers
from envwheel.gate.lab import Batch, Lab
from envwheel.gate.options import Fault
from envwheel.gate.payloads import kind_of
from envwheel.gate.remarks import comments, notes, repaired_by
from envwheel.gate.shown import ANSWER, Shown
from envwheel.gate.texts import read_text
from envwheel.gate.wrong_artifacts import Result, same
from envwheel.sandbox.base import Entry, LayerFile, Tree
from envwheel.trial import ScriptWork, inline

FIRST_NUMBER = 400
MOST_COMMANDS = 4
LONG_LINE = 12
"""Characters from which an equal line is no chance."""
LARGEST_TEXT = 256 << 10
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_INDENTED = re.compile(r"(?:^|\n)[ \t]*\n((?:(?: {4}|\t)[^\n]*\n?)+)")
_WRITES = re.compile(r">|\b(?:tee|cp|mv|ln|sed|awk|touch|mkdir|chmod|tar|git|make|install|patch|dd|sort|unzip)\b|-o\b")
_HISTORY = re.compile(r"/\.(?:(?:bash|zsh|ash|sh|fish)_)?history$")
_BACKUP = re.compile(r"~$|\.(?:sw[a-p]|bak|orig|old|save|rej|patch|diff)$|/#[^/]*#$")
_THING = "answer|solution|result|output|total|sum|count|value|password|key|flag|content"
_NOTE = re.compile(r"/\.|readme|note|todo|history|hint|\.md$", re.IGNORECASE)
_TOTAL = re.compile(rf"\b(?:{_THING}|expected)\b", re.IGNORECASE)
_PYTHON_HISTORY = re.compile(r"/\.python_history$")
_OPENS = re.compile(r"open\(.*['\"][wa]|\bwrite_|\bdump\(")
_SHELL = ("bash", "sh", "shell", "console", "zsh")
_TOLD = re.compile(
    r"\banswer|\bsolution\b|for reference|\bspoiler|\bhint\b|expected (?:output|result|content|file)|this does it"
    r"|correct (?:output|result|content)|result is\b|(?:total|sum|count|value|password|key|flag) is\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|when|unless|either|otherwise|or|else)\b", re.IGNORECASE)
_SEARCH = re.compile(
    r"\b(?:find|search|locate|copy|copies|move|rename|restore|recover|extract|unpack|link|largest|newest|oldest|latest"
    r"|backup|duplicate|git|commit|branch|revert|somewhere|one of)\b",
    re.IGNORECASE,
)
"""Where the answer is a file that lies about, finding it is the work."""
_TALKING = re.compile(r"should|bug|fix|todo|instead|correct|wrong|hint|right", re.IGNORECASE)
"""Names of files that talk about the answer."""
_EXAMPLE = re.compile(r"example|e\.g\.|for instance|looks? like|such as|like this|\bform(?:at)?\b", re.IGNORECASE)
_RESULT = re.compile(
    r"\b(?:answer|result|expected|solution|output|you (?:should|will) (?:get|see|have)|gives?)\b", re.IGNORECASE
)
_MENTIONED = re.compile(r"^[ \t]*(?:#|//|--|;)[^\n]*$", re.MULTILINE)
"""Lines of a data file that are comments."""
_VARIABLE = re.compile(r"^\s*ENV\s+(.+)$", re.IGNORECASE | re.MULTILINE)


def check(lab: Lab, batch: Batch, files: Iterable[LayerFile]) -> list[Fault]:
    """The first hint that earns a reward of 1."""
    files = [file for file in files if file.size <= LARGEST_TEXT]
    shown = shown_by(lab)
    suspects = [*commands(lab), *_scripts(lab, shown, files), *_histories(lab, files)]
    works = [ScriptWork("attack", f"hint_{number}", (inline(script),)) for number, (_, script) in enumerate(suspects)]
    tried = [batch.run(work, FIRST_NUMBER + number, reuse="now") for number, work in enumerate(works)]
    for (what, _), future in zip(suspects, tried, strict=True):
        if lab.holds(future.result().record):
            return [Fault("leak_answer", f"{what} solves the task when it is run")]
    if not lab.task.config.separate or not lab.options.need_solution or not _worth_learning(lab, shown, files):
        return []
    lab.learn(batch)
    result = Result(lab.reference or Tree(), lab.untouched or Tree(), shown.instruction, {})
    known = _known(lab)
    for what, tree in (
        *_told(result, shown),
        *_spelled(result, shown, files, _variables(lab), known),
        *_unnamed(result, shown, files),
        *_commented(result, shown, files),
    ):
        if lab.holds(batch.grade("attack", "hint", tree).result().record):
            return [Fault("leak_answer", what)]
    return []


def shown_by(lab: Lab) -> Shown:
    """What the instruction names, relative to the working directory."""
    return Shown(lab.task.environment.instruction, lab.task.config.workdir or lab.images.work.workdir or "/")


def commands(lab: Lab) -> list[tuple[str, str]]:
    """Commands of the instruction that could be the solution: (what, bash), likeliest first."""
    text, solution = lab.task.environment.instruction, _lines(_solution(lab))
    paths = lab.task.config.artifact_paths
    found: dict[str, int] = {}
    blocks = [(match[3], match[2].lower() in _SHELL) for match in _FENCE.finditer(text)]
    blocks += [(match[1], False) for match in _INDENTED.finditer(text)]
    blocks += [(match[1], False) for match in _INLINE.finditer(text) if " " in match[1]]
    blocks += [("\n".join(line for line in text.splitlines() if _stripped(line) in solution), False)]
    for block, is_shell in blocks:
        script = "\n".join(re.sub(r"^\s*[$>] ", "", line) for line in _dedented(block))
        shared = sum(_stripped(line) in solution for line in script.splitlines())
        writes = _WRITES.search(script) and any(path in script for path in paths)
        if script.strip() and (shared or is_shell or writes):
            found[script] = max(found.get(script, 0), shared)
    best = sorted(found, key=lambda script: -found[script])[:MOST_COMMANDS]
    return [(f"the instruction's `{_short(script)}`", script) for script in best]


def _scripts(lab: Lab, shown: Shown, files: Iterable[LayerFile]) -> Iterator[tuple[str, str]]:
    """Scripts in the image that nobody speaks of and that share lines with the solution."""
    solution = _lines(_solution(lab))
    for file in files:
        if not file.visible or shown.covers(file.path) or not solution:
            continue
        data = file.read()
        is_python = file.path.endswith(".py") or b"python" in data[:40]
        if not (is_python or file.path.endswith((".sh", ".bash")) or data.startswith(b"#!")):
            continue
        if solution & _lines(data.decode("utf-8", "replace")):
            program = "python3" if is_python else "bash"
            yield f"{file.path}, which the instruction does not name,", f"{program} {shlex.quote(file.path)}"


def _histories(lab: Lab, files: Iterable[LayerFile]) -> Iterator[tuple[str, str]]:
    """What shells of the image remember, as far as it concerns the artifacts and the solver may read it."""
    solution = _lines(_solution(lab))
    names = [path.rpartition("/")[2] for path in lab.task.config.artifact_paths]
    for file in files:
        if file.visible and _PYTHON_HISTORY.search(file.path) and any(name in _decoded(file) for name in names):
            at = shlex.quote(file.path)
            yield f"the history in {file.path}", f"[ -r {at} ] || exit 1\npython3 {at}"
        if not file.visible or not _HISTORY.search(file.path):
            continue
        # zsh puts the time before the command.
        lines = [re.sub(r"^: \d+:\d+;", "", line) for line in _decoded(file).splitlines()]
        done = {
            line
            for line in lines
            if _stripped(line) in solution
            or ((_WRITES.search(line) or _OPENS.search(line)) and any(name in line for name in names))
        }
        if done:
            script = "\n".join(line for line in lines if line in done or re.match(r"cd\b", line))
            yield f"the history in {file.path}", f"[ -r {shlex.quote(file.path)} ] || exit 1\n{script}"


def _worth_learning(lab: Lab, shown: Shown, files: Iterable[LayerFile]) -> bool:
    """Whether anything speaks for running the reference now: a telling word, a variable, a number that no input has, a
    file that nobody speaks of, a comment in data or in a box where something is to be repaired."""
    if _TOLD.search(shown.instruction) or _variables(lab) or numbers(shown.instruction) - _known(lab):
        return True
    visible = [file for file in files if file.visible]
    artifacts = lab.task.config.artifact_paths
    in_place = any(file.path == path or file.path.startswith(path + "/") for file in visible for path in artifacts)
    return (
        any(not shown.covers(file.path) or (in_place and any(comments(_decoded(file)))) for file in visible)
        or (in_place and bool(_FENCE.search(shown.instruction) or _INLINE.search(shown.instruction)))
        or any(_EXAMPLE.search(_before(shown.instruction, match)) for match in _FENCE.finditer(shown.instruction))
        or any(_MENTIONED.search(_decoded(file)) for file in visible if not kind_of(file.path))
    )


def _variables(lab: Lab) -> str:
    """What the Dockerfile puts into every process's environment."""
    folder = lab.task.work_context
    text = (folder / "Dockerfile").read_text("utf-8", "replace") if folder else ""
    values = "\n\n".join(match[1] for match in _VARIABLE.finditer(text.replace("\\\n", " ")))
    return values + "\n" + values.replace('\\"', '"') if values else ""


def _known(lab: Lab) -> frozenset[str]:
    """Numbers of the inputs, comments aside: they are no results."""
    folder = lab.task.work_context
    paths = sorted(folder.rglob("*")) if folder else []
    texts = [read_text(path) for path in paths if path.name != "Dockerfile"]
    return frozenset(number for text in texts for number in numbers(_MENTIONED.sub("", text)))


def _before(text: str, match: re.Match[str]) -> str:
    """The two lines before a block."""
    return "\n".join(text[: match.start()].strip().splitlines()[-2:])


def _told(result: Result, shown: Shown) -> Iterator[tuple[str, Tree]]:
    """What the reference produces stands in the instruction, said to be the answer."""
    results = {path: entry for path, entry in result.produced.items() if result.counts(path)}
    if len(results) != 1:
        return
    ((path, entry),) = results.items()
    text = shown.instruction
    for match in _FENCE.finditer(text):
        before = _before(text, match)
        if same(match[3].encode(), entry.data) and (_TOLD.search(before) or _EXAMPLE.search(before)):
            yield f"the instruction holds the content of {path}", _put(result, path, match[3].encode())
    answer = entry.data.decode("utf-8", "replace").strip()
    for line in text.splitlines():
        if 0 < len(answer) <= 200 and tells(line, answer):
            yield f"the instruction tells the content of {path}: `{_short(line)}`", _put(result, path, entry.data)


def tells(line: str, answer: str) -> bool:
    """Whether a sentence says outright that something is `answer`; "`yes` if ..., else `no`" does not."""
    said = rf"(?:{_THING})\b[^.:=]{{0,30}}?(?:\bis\b|\bbe\b|=|:)\s*[`\"'*]*{re.escape(answer)}[`\"'*]*(?!\w)"
    return bool(re.search(said, line, re.IGNORECASE)) and not _CONDITION.search(line)


def _unnamed(result: Result, shown: Shown, files: Iterable[LayerFile]) -> Iterator[tuple[str, Tree]]:
    """A file that the instruction does not name says what the reference produces."""
    results = {path: entry for path, entry in result.produced.items() if result.counts(path)}
    searched = _SEARCH.search(shown.instruction)
    for file in files:
        if not file.visible or shown.covers(file.path) or file.path in result.reference.entries:
            continue
        data = file.read()
        telling = ANSWER.search(file.path) or (not searched and ("/." in file.path or _TALKING.search(file.path)))
        for path, entry in results.items():
            core = entry.data.strip()
            held = same(data, entry.data) and (telling or not searched)
            held = held or bool(telling and len(core) >= 16 and core in data)
            held = held or bool(_BACKUP.search(file.path) and _has_new_lines(result, path, data))
            if held and len(core) >= 8 and len(results) == 1:
                yield (
                    f"{file.path}, which the instruction does not name, holds the content of {path}",
                    _put(result, path, entry.data),
                )


def _has_new_lines(result: Result, path: str, data: bytes) -> bool:
    """Whether a copy, as editors leave them, has every line that the reference changed in a file."""
    before = result.untouched.entries.get(path)
    new = set(result.reference.entries[path].data.splitlines()) - set(before.data.splitlines() if before else ())
    return before is not None and len(b"".join(new)) >= LONG_LINE and all(line.strip() in data for line in new)


def _spelled(
    result: Result, shown: Shown, files: Iterable[LayerFile], variables: str, known: frozenset[str]
) -> Iterator[tuple[str, Tree]]:
    """The only result, in another spelling, in what the solver is told or comes upon."""
    results = {path: entry for path, entry in result.produced.items() if result.counts(path)}
    if len(results) != 1:
        return
    ((path, entry),) = results.items()
    if kind_of(path, entry.data, entry.mode) or b"\0" in entry.data or path in result.untouched.entries:
        return
    alone = len(entry.data.split()) == 1
    for part in re.split(r"\n\s*\n", _FENCE.sub("", shown.instruction)):
        if (
            (alone or _RESULT.search(part))
            and numbers(entry.data.decode("utf-8", "replace")) - known
            and gives_away(part, entry.data, known)
        ):
            yield f"the instruction tells the content of {path}: `{_short(part)}`", _put(result, path, entry.data)
    if variables and gives_away(variables, entry.data, known):
        yield f"a variable of the image tells the content of {path}", _put(result, path, entry.data)
    searched = _SEARCH.search(shown.instruction)
    for file in files:
        if not file.visible or file.path in result.reference.entries or kind_of(file.path):
            continue
        text = _decoded(file)
        if shown.covers(file.path):
            text = "\n".join(match[0] for match in _MENTIONED.finditer(text))
            telling = alone and _TOTAL.search(text)
        else:
            text = f"{file.path.replace('_', ' ')}\n\n{text}"
            telling = ANSWER.search(file.path) or (not searched and _NOTE.search(file.path))
        # What stands there as it is may be an input; `_unnamed` looks at that.
        plainly = not (alone and numbers(_text(entry))) and entry.data.strip() in file.read()
        if not telling or plainly:
            continue
        if text and gives_away(text, entry.data, known):
            yield f"{file.path} tells the content of {path}", _put(result, path, entry.data)


def _commented(result: Result, shown: Shown, files: Iterable[LayerFile]) -> Iterator[tuple[str, Tree]]:
    """Remarks that state repaired lines: the changes whose lines they state are made, and no others."""
    said = [(file.path, remark) for file in files if file.visible for remark in _remarks(shown, file)]
    for path, entry in result.produced.items():
        before = result.untouched.entries.get(path)
        if before is None or b"\0" in entry.data + before.data:
            continue
        remarks = [remark for _, remark in said]
        repaired, source = repaired_by(remarks, _text(before), _text(entry), shown.instruction)
        if repaired is not None:
            place = next((f"a comment in {where}" for where, remark in said if remark == source), "the instruction")
            yield f"{place} states the fix: `{_short(source)}`", _put(result, path, repaired.encode())


def _remarks(shown: Shown, file: LayerFile) -> Iterator[str]:
    text = _decoded(file)
    yield from comments(text)
    if not kind_of(file.path) and not shown.covers(file.path):
        yield from notes(text)


def _put(result: Result, path: str, data: bytes) -> Tree:
    entry = result.reference.entries[path]
    return Tree({**result.untouched.entries, **_above(result, path), path: replace(entry, data=data)})


def _above(result: Result, path: str) -> dict[str, Entry]:
    """The folders over `path` in the reference's artifacts."""
    return {name: e for name, e in result.reference.entries.items() if e.kind == "dir" and path.startswith(name + "/")}


def _solution(lab: Lab) -> str:
    return lab.task.solution.read_text("utf-8", "replace") if lab.task.solution else ""


def _lines(text: str) -> frozenset[str]:
    return frozenset(line for line in map(_stripped, text.splitlines()) if len(line) >= LONG_LINE and line[0] != "#")


def _stripped(line: str) -> str:
    return line.strip().removeprefix("$ ")


def _dedented(block: str) -> list[str]:
    lines = block.strip("\n").splitlines()
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    return [line[min(indents, default=0) :] for line in lines]


def _decoded(file: LayerFile) -> str:
    data = file.read()
    return "" if b"\0" in data else data.decode("utf-8", "replace")


def _text(entry: Entry) -> str:
    return entry.data.decode("utf-8", "replace")


def _short(text: str) -> str:
    first = " ".join(text.split())
    return first if len(first) <= 60 else first[:57] + "..."
