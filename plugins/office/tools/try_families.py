"""Tries families without boxes: builds, solves, judges, and judges wrong and other right solutions, in this process.

    python plugins/office/tools/try_families.py [FAMILY ...] [--levels 0 3] [--seeds 0 1] [--keep DIR] [--right-only]

Scripts run in a temporary folder with this interpreter; LibreOffice is not asked. What it prints is what did not hold.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from judging import judge_folder

from envwheel.api import Draft
from envwheel_office import registry
from envwheel_office.family import OfficeFamily, script


def lay(files: dict[str, bytes | str], at: Path) -> None:
    """Write a file map."""
    for name, content in files.items():
        path = at / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def play(text: str, app: Path) -> str:
    """Run bash as if /app were `app`; what went wrong, or ""."""
    text = re.sub(r"/app\b", str(app), text).replace("/usr/bin/python3", sys.executable)
    done = subprocess.run(["bash", "-c", text], cwd=app, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"exit {done.returncode}: {done.stderr[-800:]}"


class Trial:
    """One environment laid out in a folder."""

    def __init__(self, draft: Draft, root: Path) -> None:
        self.draft, self.app, self.tests = draft, root / "app", root / "tests"
        lay(dict(draft.tests), self.tests)

    def fresh(self) -> None:
        """The untouched state."""
        shutil.rmtree(self.app, ignore_errors=True)
        self.app.mkdir(parents=True)
        lay(dict(self.draft.files), self.app)

    def judged(self) -> tuple[float, dict[str, tuple[float, str]]]:
        """The reward, and by check its score and reason."""
        return judge_folder(self.app, self.tests)


def tried(family: OfficeFamily, level: int, seed: int, root: Path, solve_only: bool, right_only: bool) -> list[str]:
    """What did not hold of one environment."""
    recipe, draft = family.make(level, seed), family.build(level, seed)
    trial, said = Trial(draft, root), []
    trial.fresh()
    if not solve_only and trial.judged()[0] > 0:
        said.append(f"untouched: {trial.judged()}")
    broken = play(str(draft.solution["solve.sh"]), trial.app)
    if broken:
        return [f"reference: {broken}"]
    missing = [name for name in recipe.artifacts if not (trial.app / name).exists()]
    if missing:
        return [f"reference wrote no {missing}"]
    if not solve_only:
        said += unjust("reference", trial)
    shutil.copytree(trial.app, root / "solved", dirs_exist_ok=True)
    for item in () if right_only else recipe.wrongs:
        shutil.rmtree(trial.app)
        shutil.copytree(root / "solved", trial.app)
        broken = play(script(item.script), trial.app)
        if broken:
            said.append(f"wrong {item.id}: {broken}")
        elif not solve_only:
            said += survived(item.id, item.kills, trial)
    for other in recipe.alternatives:
        trial.fresh()
        broken = play(script(other.script), trial.app)
        if broken:
            said.append(f"alternative {other.id}: {broken}")
        elif not solve_only:
            said += unjust(f"alternative {other.id}", trial)
        shutil.copytree(trial.app, root / f"other-{other.id}", dirs_exist_ok=True)
    return said


def unjust(name: str, trial: Trial) -> list[str]:
    """What a right solution lost."""
    reward, scores = trial.judged()
    lost = {id: score for id, score in scores.items() if score[0] < 1 - 1e-9}
    return [f"{name}: {reward} {lost}"] if reward < 1 - 1e-9 or lost else []


def survived(id: str, kills: tuple[str, ...], trial: Trial) -> list[str]:
    """Which checks did not see a wrong solution that they should."""
    reward, scores = trial.judged()
    blind = [check for check in kills if scores.get(check, (0.0, ""))[0] >= 1 - 1e-9]
    if not blind and reward < 1 - 1e-9:
        return []
    return [f"wrong {id}: {reward}; full: {blind}; not: { {k: v for k, v in scores.items() if v[0] < 1 - 1e-9} }"]


def main() -> int:
    """Exit code 1 when something did not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*")
    parser.add_argument("--levels", nargs="*", type=int)
    parser.add_argument("--seeds", nargs="*", type=int, default=[0])
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--solve-only", action="store_true", help="scripts only, nothing is judged")
    parser.add_argument("--right-only", action="store_true", help="no wrong solutions")
    given = parser.parse_args()
    bad = 0
    for family in registry.families():
        if given.families and family.id not in given.families:
            continue
        for level in given.levels or family.levels:
            for seed in given.seeds:
                began = time.monotonic()
                with tempfile.TemporaryDirectory() as folder:
                    root = given.keep / f"{family.id}-{level}-{seed}" if given.keep else Path(folder)
                    try:
                        said = tried(family, level, seed, root, given.solve_only, given.right_only)
                    except ValueError as error:
                        said = [f"{type(error).__name__}: {error}"]
                bad += bool(said)
                print(f"{family.id} {level} {seed}: {'ok' if not said else ''} {time.monotonic() - began:.1f} s")
                for line in said:
                    print("   ", line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
