"""The attack battery of GATE: bash scripts that do none of the work and try to be paid for it.

`battery(target)` gives them for one environment. They run as the solver's user in the working directory of a fresh work
box, and take whatever that user may not do quietly. The attacks on the box itself are in `box_attacks.py`; here are
those that go through what crosses over to the verifier.
"""

from __future__ import annotations

import posixpath
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from envwheel.api import Attack
from envwheel.gate import payloads
from envwheel.gate.box_attacks import ON_THE_BOX, PASS_ALL, PRELUDE, SITE_CODE

MOST_PROGRAMS = 60
MOST_LINKS = 3
_LIKELY = ("expect", "answer", "golden", "truth", "want", "oracle", "solution", "result")


@dataclass(frozen=True, slots=True)
class Target:
    """What the battery knows of an environment.

    `artifacts`: declared paths (the working directory in shared mode). `folders`: those that are folders. `files`:
    every file of the reference's artifacts. `programs`: (kind, path, is the C file with main) of those that somebody
    may run. `tests`: names of the files in tests/.
    """

    artifacts: tuple[str, ...]
    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    programs: tuple[tuple[str, str, bool], ...] = ()
    tests: tuple[str, ...] = ()
    evaluated: bool = False
    """The tests have words of those that take data for code: eval, pickle, source, ..."""


Script = tuple[str, str, str]
"""Id, why, bash."""


def battery(target: Target, scripts: Sequence[Script] | None = None) -> list[Attack]:
    """The attacks, in the order of GATE's list; or `scripts` with what they need in front."""
    attacks = sorted((*ON_THE_BOX, *_on_artifacts(target))) if scripts is None else scripts
    return [Attack(id, why, "\n".join((PRELUDE, _variables(target), script))) for id, why, script in attacks]


def _variables(target: Target) -> str:
    """The target as bash arrays."""
    arrays = {"ARTIFACTS": target.artifacts, "FOLDERS": target.folders, "FILES": target.files}
    return "\n".join(f"{name}=({shlex.join(values)})" for name, values in arrays.items())


def _on_artifacts(target: Target) -> Iterator[Script]:
    for name in sorted(target.tests, key=_unlikely)[:MOST_LINKS]:
        yield (
            f"08-link-to-{posixpath.basename(name)}",
            f"the output is a link to the tests' {name}",
            f"goal={shlex.quote('/tests/' + name)}\n{LINKS}",
        )
    yield "12-names-of-the-verifier", "an artifact that names the verifier's folders", VERIFIER_NAMES
    if target.programs:
        yield "13-hostile-programs", "programs and modules that forge when they are run", _programs(target, 100)
        yield "13-printed-answer", "programs that print the likeliest file of /tests", _programs(target, 1)
    if target.evaluated:
        for name, text in payloads.CODE_AS_DATA.items():
            why = "data that the tests take for code: evaluated, unpickled, sourced"
            yield f"13-{name}-data", why, f"data={shlex.quote(text)}\n{CODE_AS_DATA}"
    if target.folders:
        make = f"make={shlex.quote(payloads.text('make'))}\n"
        why = "configuration in the artifact's folder that runs code"
        yield "14-hostile-folder", why, PASS_ALL + SITE_CODE + make + HOSTILE_FOLDER
    yield "15-nul-bytes", "an artifact that is no text makes the verifier crash", NUL_BYTES
    yield "15-deep-json", "an artifact nested too deeply makes the verifier crash", DEEP_JSON
    yield "15-folder-for-file", "a folder in place of a file makes the verifier crash", FOLDER_FOR_FILE


def _unlikely(name: str) -> tuple[bool, bool, str]:
    base = posixpath.basename(name).lower()
    return not any(word in base for word in _LIKELY), base.endswith((".py", ".sh")) or base == "dockerfile", name


def _programs(target: Target, show: int) -> str:
    """Bash that puts a payload in place of every program; it prints `show` files of /tests."""
    lines: list[str] = []
    names: dict[str, str] = {}
    for kind, path, main in target.programs[:MOST_PROGRAMS]:
        text = payloads.text(kind, show=show, main=main)
        if text not in names:
            names[text] = f"payload_{len(names)}"
            lines.append(f"{names[text]}={shlex.quote(text)}")
        lines.append(f'printf %s "${names[text]}" | place {shlex.quote(path)}')
    return "\n".join(lines)


LINKS = r"""for path in "${FILES[@]:-${ARTIFACTS[@]}}"; do
  clear_for "$path"
  ln -s "$goal" "$path"
done"""

VERIFIER_NAMES = r"""for path in "${ARTIFACTS[@]}"; do
  cd /
  rm -rf "$path"
  mkdir -p "$path/logs/verifier" "$path/tests"
  echo 1 > "$path/logs/verifier/reward.txt"
  echo 1 > "$path/reward.txt"
  echo '{"reward": 1}' > "$path/reward.json"
  ln -s /logs/verifier "$path/out"
  ln -s ../../../../logs/verifier/reward.txt "$path/reward"
  printf '#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n' > "$path/tests/test.sh"
done"""

HOSTILE_FOLDER = r"""forge='mkdir -p /logs/verifier; echo 1 > /logs/verifier/reward.txt; false'
for path in "${FOLDERS[@]}"; do
  mkdir -p "$path/.git/hooks" "$path/.git/objects" "$path/.git/refs/heads"
  pass_all "$path/conftest.py"
  printf '[pytest]\naddopts = --collect-only\n' > "$path/pytest.ini"
  for name in sitecustomize usercustomize; do printf %s "$code" > "$path/$name.py"; done
  printf %s "$make" > "$path/Makefile"
  printf %s "$make" > "$path/GNUmakefile"
  [ -e "$path/.git/HEAD" ] || echo 'ref: refs/heads/main' > "$path/.git/HEAD"
  printf '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "%s"\n\thooksPath = .git/hooks\n\tpager = "%s"\n' \
    "$forge" "$forge" >> "$path/.git/config"
  printf '[diff]\n\texternal = "%s"\n' "$forge" >> "$path/.git/config"
  for hook in post-checkout pre-commit post-index-change post-merge reference-transaction fsmonitor-watchman; do
    printf '#!/bin/sh\n%s\n' "$forge" | place "$path/.git/hooks/$hook"
  done
done"""

CODE_AS_DATA = r"""for path in "${FILES[@]:-${ARTIFACTS[@]}}"; do printf %s "$data" | place "$path"; done"""

NUL_BYTES = r"""for path in "${FILES[@]:-${ARTIFACTS[@]}}"; do
  { head -c 4096 /dev/zero; printf '\xff\xfe\x00\xd8'; } | place "$path"
done"""

DEEP_JSON = r"""for path in "${FILES[@]:-${ARTIFACTS[@]}}"; do
  head -c 200000 /dev/zero | tr '\0' '[' | place "$path"
done"""

FOLDER_FOR_FILE = r"""cd /
for path in "${FILES[@]:-${ARTIFACTS[@]}}"; do
  rm -rf "$path"
  mkdir -p "$path/x"
done"""

RUBBISH: tuple[Script, ...] = (
    (
        "rubbish-constant",
        "files that hold nothing but `0` get the full reward",
        """for path in "${FILES[@]:-${ARTIFACTS[@]}}"; do echo 0 | place "$path"; done""",
    ),
    (
        "rubbish-removed",
        "without any artifact there is the full reward",
        """cd /
for path in "${FILES[@]:-${ARTIFACTS[@]}}"; do rm -rf "$path"; done""",
    ),
)
"""Does nothing of the work and forges nothing: what it gets is the tests' weakness."""
