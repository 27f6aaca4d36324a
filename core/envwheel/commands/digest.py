"""`envwheel digest PATH...`: what the rollouts of a run, of Harbor's jobs or of ATIF files say about the solver."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envwheel.errors import UsageError
from envwheel.lists import commas

if TYPE_CHECKING:
    from envwheel.api import Digest
    from envwheel.ledger import AnyRecord
    from envwheel.propose.digest import Seen

EPILOG = """
PATH is one run directory, or any number of job or trial folders of Harbor and of ATIF files. The skills of a foreign
task are those of [metadata.envwheel] in its task.toml where that file is on this machine, or what --skills says.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.epilog = EPILOG
    parser.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="a run, a Harbor job or trial, an ATIF file"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="write the digest that a proposer reads to DIR")
    parser.add_argument("--tokens", type=int, default=20_000, metavar="N", help="how long that may be (default 20000)")
    parser.add_argument(
        "--skills", action="append", default=[], metavar="TASK=SKILL,...", help="what a foreign task trains"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")


def run(args: argparse.Namespace) -> int:
    """Print the rates, how trials fail, and what is wrong with environments that nobody solved."""
    from envwheel.console import console, safe
    from envwheel.propose.reading import write

    if args.tokens < 2000:
        raise UsageError(f"--tokens must be at least 2000, got {args.tokens}.")
    if args.out and args.out.exists() and (not args.out.is_dir() or any(args.out.iterdir())):
        raise UsageError(f"--out: {args.out} is there already. Name a new folder.")
    with tempfile.TemporaryDirectory(prefix="envwheel-digest-") as scratch:
        records, base, skipped = _records(args.paths, Path(scratch), args.skills)
        said = report(records, base)
        if args.out:
            args.out.parent.mkdir(parents=True, exist_ok=True)
            write(args.out.absolute(), records, base, round=said["round"], tokens=args.tokens)
    said["skipped"] = [{"path": str(path), "why": why} for path, why in skipped]
    if args.json:
        print(json.dumps(said))
    else:
        print("\n".join(_lines(said)))
        for path, why in skipped:
            console().print(safe(f"{path}: not read: {why}"), soft_wrap=True)
    return 0


def _records(paths: Sequence[Path], scratch: Path, skills: Sequence[str]) -> tuple[list[AnyRecord], Path, list[Any]]:
    """The records, the folder where their rollouts' paths start, and what was skipped."""
    from envwheel.importers.rollouts import Skipped
    from envwheel.propose.foreign import notes
    from envwheel.store import RunDirectory

    runs = [path for path in paths if RunDirectory.exists(path)]
    if runs and len(paths) > 1:
        raise UsageError(f"{runs[0]} is a run directory: name it alone.")
    if runs:
        return RunDirectory.read(runs[0]), runs[0], []
    records: list[AnyRecord] = []
    skipped = []
    for found in notes(paths, scratch, dict(map(_named, skills))):
        if isinstance(found, Skipped):
            skipped.append((found.path, found.why))
        else:
            records.append(found)
    if not records:
        raise UsageError("\n".join(["There is no rollout that can be read.", *(f"  {p}: {why}" for p, why in skipped)]))
    return records, scratch, skipped


def _named(text: str) -> tuple[str, tuple[str, ...]]:
    task, equals, skills = text.partition("=")
    if not equals or not task or not skills:
        raise UsageError(f"--skills: expected TASK=SKILL,..., got '{text}'.")
    return task, tuple(commas(skills))


def report(records: Sequence[AnyRecord], run: Path) -> dict[str, Any]:
    """What `--json` prints."""
    from envwheel.ledger import ForeignNote, Plan, TrialNote
    from envwheel.propose.digest import digest, seen

    trials = seen(records)
    last = max((record.round for record in records if isinstance(record, Plan)), default=0)
    found = digest(trials, run, round=last + 1)
    foreign = [one for one in records if isinstance(one, ForeignNote)]
    notes = [one.trial for one in foreign] + [one for one in records if isinstance(one, TrialNote)]
    solvers = {one.trial.id: one.solver for one in foreign}
    return {
        "round": found.round,
        "trials": len(notes),
        "outcomes": dict(Counter(note.outcome for note in notes).most_common()),
        "reasons": dict(Counter(note.reason for note in notes if note.outcome != "scored").most_common()),
        "passed": sum(one.passed for one in trials),
        "skills": list(_skills(found)),
        "solvers": _rates((solvers[one.trial.id], one) for one in trials if one.trial.id in solvers),
        "domains": _rates((one.target.domain, one) for one in trials),
        "failures": dict(found.failures),
        "classes": dict(found.classes),
        "unsolved": list(_unsolved(trials)),
    }


def _skills(found: Digest) -> Iterator[dict[str, Any]]:
    for (skill, level), one in sorted(found.skills.items()):
        yield {
            "skill": skill,
            "level": None if level < 0 else level,
            "passed": one.passed,
            "scored": one.scored,
            "interval": [round(one.low, 4), round(one.high, 4)],
            "trend": found.trend[skill].word if skill in found.trend else "",
        }


def _rates(keyed: Iterator[tuple[str, Seen]] | Any) -> dict[str, Any]:
    from envwheel.propose.digest import rates

    found = rates((key, one.passed) for key, one in keyed)
    return {key: {"passed": one.passed, "scored": one.scored} for key, one in sorted(found.items())}


def _unsolved(trials: Sequence[Seen]) -> Iterator[dict[str, Any]]:
    """The environments that nobody solved, and whether the task is at fault."""
    from envwheel.propose.triage import triage

    groups: dict[str, list[Seen]] = {}
    for one in trials:
        groups.setdefault(one.target.candidate, []).append(one)
    for group in groups.values():
        if said := triage(group):
            yield {"environment": group[0].target.name, "trials": len(group), "code": said.code, "why": said.why}


def _lines(said: dict[str, Any]) -> Iterator[str]:
    from envwheel.columns import columns
    from envwheel.console import plain

    outcomes = ", ".join(f"{number} {name}" for name, number in said["outcomes"].items())
    yield f"{said['trials']} trials: {outcomes or 'none'}; {said['passed']} passed"
    if said["reasons"]:
        yield plain("not scored: " + ", ".join(f"{reason} {number}" for reason, number in said["reasons"].items()))
    rows = [
        [
            one["skill"],
            "-" if one["level"] is None else str(one["level"]),
            f"{one['passed']}/{one['scored']}",
            "{:.2f} to {:.2f}".format(*one["interval"]),
            one["trend"],
        ]
        for one in said["skills"]
    ]
    yield ""
    yield columns(("skill", "level", "passed", "95 %", "trend"), rows)
    for title in ("solvers", "domains"):
        if len(said[title]) > 1:
            yield ""
            rows = [[name, f"{one['passed']}/{one['scored']}"] for name, one in said[title].items()]
            yield columns((title, "passed"), rows)
    for title in ("failures", "classes"):
        if said[title]:
            yield ""
            yield columns((title, "trials"), [[name, str(number)] for name, number in said[title].items()])
    if said["unsolved"]:
        yield ""
        rows = [[one["environment"], str(one["trials"]), one["code"], one["why"]] for one in said["unsolved"]]
        yield columns(("nobody solved", "trials", "triage", "why"), rows)
