"""`envwheel show PATH`: an environment with its origin and evidence, or a rollout step by step.

With `--render`, pictures of the documents instead: `envwheel show ENV ROLLOUT.json --render`. Those of an environment
of a run lie in the run, and its report.html points at them.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from rich.console import Console

HEAD = 24
"""Lines of an instruction that are shown."""
LONG = 4000
"""Characters of a message or an output that are shown, unless --full."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument(
        "path", type=Path, nargs="+", metavar="PATH", help="an environment's folder, or a rollout's .json or .jsonl"
    )
    parser.add_argument(
        "--render",
        type=Path,
        nargs="?",
        const=True,
        metavar="DIR",
        help="write PNG pages of an environment's documents, its reference's and those of the rollouts named with it; "
        "without DIR into pages/NAME of its run, or else of the working directory",
    )
    parser.add_argument("--engine", help="for --render: auto, docker, namespace")
    parser.add_argument("--full", action="store_true", help="cut nothing")
    parser.add_argument("--json", action="store_true", help="one JSON object a path")


def run(args: argparse.Namespace) -> int:
    """Print each of the paths, or write pictures of them."""
    from rich.console import Console

    if args.render is not None:
        return _render(args)
    console = Console(highlight=False)
    for path in args.path:
        if path.is_dir():
            _environment(path, console, args)
        else:
            _rollout(path, console, args)
    return 0


def _render(args: argparse.Namespace) -> int:
    """Pictures of each environment, and of the rollouts among the paths in the one environment that is named."""
    from contextlib import closing

    from envwheel import run_page
    from envwheel.config import Config, override
    from envwheel.domains import Domains
    from envwheel.environment import folder as folders
    from envwheel.errors import UsageError
    from envwheel.pictures import write
    from envwheel.rollout import read_steps
    from envwheel.start import ready_engine
    from envwheel.store import run_of

    tasks = [folders.read(path, need_solution=False) for path in args.path if path.is_dir()]
    named = [path for path in args.path if not path.is_dir()]
    if not tasks or (named and len(tasks) > 1):
        raise UsageError("--render takes environments' folders, or one folder with rollouts of that environment.")
    for path in named:
        _refuse_other_rollout(path, tasks[0].name)
    rollouts = {path.stem: read_steps(path.with_suffix(".jsonl")) for path in named}
    domains = Domains.among({id for task in tasks for id in task.environment.domains})
    with closing(ready_engine(override(Config(), {"engine.name": args.engine}), domains)) as engine:
        for task in tasks:
            folder = _folder(args.render, task.path, alone=len(tasks) == 1)
            folder.mkdir(parents=True, exist_ok=True)
            pages = write(engine, domains, task, rollouts, folder)
            if args.json:
                print(json.dumps({"path": str(task.path), "pages": [str(page) for page in pages]}))
            else:
                print(f"{task.name}: {len(pages)} pages, {folder / 'index.html'}")
    if args.render is True:
        for run in {run for task in tasks if (run := run_of(task.path))}:
            run_page.renew(run)
    return 0


def _folder(named: Path | Literal[True], environment: Path, *, alone: bool) -> Path:
    """Where pictures of `environment` go: into its run or the working directory where no folder is named."""
    from envwheel.pictures import PAGES
    from envwheel.store import run_of

    if named is True:
        return (run_of(environment) or Path()) / PAGES / environment.name
    return named if alone else named / environment.name


def _refuse_other_rollout(path: Path, environment: str) -> None:
    """Raise UsageError where `path` is no rollout whose documents can be made once more in `environment`."""
    from envwheel.errors import UsageError
    from envwheel.rollout import read_summary

    if not path.with_suffix(".jsonl").is_file():
        raise UsageError(f"{path}: a rollout has its steps in a .jsonl beside it; there is none.")
    summary = read_summary(path.with_suffix(".json")) if path.with_suffix(".json").is_file() else None
    if summary is not None and summary.environment != environment:
        raise UsageError(f"{path}: this is a rollout of {summary.environment}, not of {environment}.")
    if summary is not None and summary.simulated:
        raise UsageError(f"{path}: its solver is simulated, and leaves what the reference leaves, or nothing.")


def _environment(path: Path, console: Console, args: argparse.Namespace) -> None:
    from envwheel.console import safe
    from envwheel.environment import folder as folders

    task = folders.read(path, need_solution=False)
    evidence = _evidence(path / "evidence.json")
    ours = task.environment.task.get("metadata", {}).get("envwheel", {})
    if args.json:
        head = {"path": str(path), "name": task.name, "instruction": task.environment.instruction}
        print(json.dumps({**head, "tree_sha256": task.tree_sha256, "provenance": ours, "evidence": evidence}))
        return
    console.rule(safe(task.name))
    lines = task.environment.instruction.strip().splitlines()
    console.print(safe("\n".join(lines if args.full else lines[:HEAD])))
    if len(lines) > HEAD and not args.full:
        console.print(f"[dim]({len(lines) - HEAD} more lines; --full shows them)")
    console.print()
    for key, value in ours.items():
        console.print(f"[dim]{safe(key)}:[/] {safe(_text(value))}", soft_wrap=True)
    console.print(f"[dim]tree:[/] {task.tree_sha256}", soft_wrap=True)
    if not evidence:
        console.print(
            f"No evidence: it has not passed the gate of a run. `envwheel check {safe(str(path))}` judges it."
        )
        return
    if evidence.get("tree_sha256") != task.tree_sha256:
        console.print("[red]The evidence belongs to another content: the folder was changed afterwards.")
    _print_evidence(evidence, console)


def _print_evidence(evidence: Mapping[str, Any], console: Console) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from envwheel.console import safe

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("step", "outcome", "code", "trials and rewards"):
        table.add_column(name)
    for step in evidence.get("steps", ()):
        counted = Counter(f"{trial['id']} {_reward(trial)}" for trial in step.get("trials", ()))
        trials = [one if n == 1 else f"{one} ({n} times)" for one, n in counted.items()]
        table.add_row(
            *(safe(_text(step.get(key) or "")) for key in ("step", "outcome", "code")), safe(", ".join(trials))
        )
    console.print(table)
    if calibration := evidence.get("calibration"):
        low, high = calibration["interval"]
        simulated = " (simulated)" if calibration["simulated"] else ""
        console.print(
            f"calibration: {safe(calibration['solver'])}{simulated} passed {calibration['passes']} of "
            f"{calibration['scored']} trials (95 % interval {low:.2f} to {high:.2f})",
            soft_wrap=True,
        )
        console.print("[dim]rollouts: " + safe(", ".join(calibration["rollouts"])), soft_wrap=True)


def _rollout(path: Path, console: Console, args: argparse.Namespace) -> None:
    from envwheel.console import safe
    from envwheel.errors import UsageError
    from envwheel.rollout import read_steps, read_summary

    if not path.is_file():
        raise UsageError(f"There is nothing at {path}. Name an environment's folder, or a rollout's .json or .jsonl.")
    summary = read_summary(path.with_suffix(".json")) if path.with_suffix(".json").is_file() else None
    steps = read_steps(path.with_suffix(".jsonl"))
    if args.json:
        ended = summary and {"outcome": summary.outcome, "reward": summary.reward, "passed": summary.passed}
        print(json.dumps({"path": str(path), "summary": ended, "steps": steps}))
        return
    console.rule(safe(path.stem))
    for step in steps:
        _print_step(step, console, full=args.full)
    if summary is None:
        console.print("[yellow]The trial has not ended, or was cut short.")
        return
    simulated = " (simulated)" if summary.simulated else ""
    console.print(
        f"[bold]{summary.outcome}[/] reward {summary.reward}, passed {summary.passed} {safe(summary.reason)}\n"
        f"[dim]{safe(summary.solver)}{simulated} on {safe(summary.environment)}: {summary.turns} turns, "
        f"{summary.usage.input_tokens} + {summary.usage.output_tokens} tokens, {summary.seconds:.1f} s"
    )
    for check in summary.checks:
        mark = "[green]holds[/]" if check.passed else "[red]fails[/]"
        console.print(f"  {mark} {safe(check.id)} {safe(check.message)}")


def _print_step(step: Mapping[str, Any], console: Console, *, full: bool) -> None:
    from envwheel.console import safe

    def cut(text: str) -> str:
        return safe(text if full or len(text) <= LONG else text[:LONG] + f"\n({len(text) - LONG} more characters)")

    console.print(f"[bold cyan]{step.get('step', '?')} {safe(str(step.get('source', '')))}[/]")
    if message := str(step.get("message") or "").strip():
        console.print(cut(message))
    for call in step.get("tool_calls") or ():
        arguments = call.get("arguments") or {}
        console.print(f"[bold]$ {cut(str(arguments.get('command', arguments)))}[/]")
    for seen in step.get("observations") or ():
        console.print(f"[dim]{cut(str(seen.get('content', '')).rstrip())}[/]")


def _evidence(path: Path) -> dict[str, Any]:
    from envwheel.errors import UsageError

    if not path.is_file():
        return {}
    try:
        data = json.loads(path.read_bytes())
        if not isinstance(data, dict):
            raise ValueError("not an object")
    except ValueError as error:
        raise UsageError(f"{path}: no evidence: {error}. `envwheel check` judges the folder anew.") from None
    return data


def _reward(trial: Mapping[str, Any]) -> str:
    return str(trial.get("outcome")) if trial.get("reward") is None else f"{trial['reward']:g}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
