"""`envwheel check PATH...`: the gate on environments and pools.

Several environments are judged at the same time; each verdict is printed (and kept for `--resume`) as it is there. Exit
codes: 0 all ok, 1 some rejected, 2 our side failed or the request was wrong, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envwheel.errors import EnvwheelError, SetupError, UsageError
from envwheel.lists import commas

if TYPE_CHECKING:
    from envwheel.domains import Domains
    from envwheel.gate.finished import Finished
    from envwheel.gate.ladder import GateOptions, Verdict
    from envwheel.gate.live import Progress
    from envwheel.gate.novelty import Novelty
    from envwheel.sandbox.base import Engine

MANY = 1000
"""Environments whose comparison takes so long that a person is told."""
NAMED = 3
"""So many paths stand in a report's title."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Arguments of `check`."""
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="an environment, or a folder of them")
    parser.add_argument("--explain", metavar="CODE", help="what a code means, an example, the mend; judges nothing")
    parser.add_argument("--only", metavar="STEPS", help="steps to judge, with commas: schema,lint,build,empty,...")
    parser.add_argument("--repeat", type=int, metavar="N", help="plain trials of reference and untouched state")
    parser.add_argument("--jobs", type=int, metavar="N", help="trials at the same time (default: one for each CPU)")
    parser.add_argument("--engine", default="auto", metavar="E", help="what runs the boxes (default: auto)")
    parser.add_argument("--domain", action="append", default=[], metavar="ID", help="a domain that judges too")
    parser.add_argument("--all", action="store_true", help="go on after a fault and tell every one")
    parser.add_argument("--resume", action="store_true", help="skip what an earlier check with these options finished")
    parser.add_argument("--against", type=Path, metavar="FILE", help="compare with an evidence.json")
    parser.add_argument(
        "--no-solution", action="store_true", help="judge folders without solution/: no reference, no mutants"
    )
    parser.add_argument("--duplicates", action="store_true", help="reject near copies among the environments named")
    parser.add_argument(
        "--against-texts",
        action="append",
        default=[],
        type=Path,
        metavar="PATH",
        help="reject what shares long runs of words with a benchmark's texts",
    )
    parser.add_argument(
        "--image", action="append", default=[], metavar="NAME=REFERENCE", help="what stands for a foreign image"
    )
    parser.add_argument("--images", type=Path, metavar="FILE", help="the same from a TOML file, with packages to add")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="write each verdict's evidence to DIR/NAME.evidence.json"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="a row for each verdict")
    parser.add_argument("--html", type=Path, metavar="FILE", help="a report for a browser, one file")


def run(args: argparse.Namespace) -> int:
    """Judge everything that `args` names."""
    if args.explain is not None:
        from envwheel.gate.codes import explain

        print(explain(args.explain), end="")
        return 0
    if not args.paths:
        raise UsageError("name an environment, or a folder of them: `envwheel check PATH...`.")
    from envwheel.domains import Domains
    from envwheel.environment.folder import find
    from envwheel.gate import evidence
    from envwheel.gate.finished import Finished
    from envwheel.gate.report import refuse_unwritable
    from envwheel.sandbox.aliases import use

    options, paths = _options(args), find(args.paths)
    refuse_unwritable(args.csv, args.html)
    against = evidence.load(args.against) if args.against else None
    if against is not None and len(paths) != 1:
        raise UsageError(f"--against compares one environment, and {len(paths)} are named.")
    domains = Domains.load(args.domain) if args.domain else Domains.none()
    novelty = _novelty(args, paths)
    engine = _open(args.engine, options)
    try:
        if engine:
            use(engine, options.aliases)
            make_images(engine, domains, paths)
        finished = Finished(options, engine.name if engine else "", domains.versions)
        check = Check(paths, options, engine, domains, finished, args, novelty)
        return check.run() if against is None else check.compare(against)
    finally:
        if engine:
            engine.close()


def _options(args: argparse.Namespace) -> GateOptions:
    from envwheel.gate.options import STEPS, GateOptions
    from envwheel.sandbox.aliases import table

    only = tuple(commas(args.only)) if args.only is not None else None
    unknown = [step for step in only or () if step not in STEPS]
    if unknown or only == ():
        raise UsageError(f"--only: there is no step '{', '.join(unknown)}'. Steps: {', '.join(STEPS)}.")
    for name in ("repeat", "jobs"):
        value = getattr(args, name)
        if value is not None and value < 1:
            raise UsageError(f"--{name} must be at least 1, got {value}.")
    jobs = args.jobs or len(os.sched_getaffinity(0))
    aliases = table(args.image, args.images)
    return GateOptions(only, args.repeat, args.all, not args.no_solution, jobs, aliases=aliases)


def _novelty(args: argparse.Namespace, paths: list[Path]) -> Novelty | None:
    """What the step `duplicate` knows, where it was asked for."""
    if not (args.duplicates or args.against_texts):
        return None
    from envwheel.console import console
    from envwheel.gate.novelty import Novelty

    if len(paths) > MANY:
        console().print(f"Comparing the texts of {len(paths)} environments.")
    novelty = Novelty(duplicates=args.duplicates, benchmarks=args.against_texts)
    for path in paths:
        novelty.look(path)
    return novelty


def _open(name: str, options: GateOptions) -> Engine | None:
    """The engine, where a step needs one."""
    if options.only is not None and not set(options.only) - {"schema", "lint"}:
        return None
    from envwheel.sandbox.engines import open_engine

    return open_engine(name)


def make_images(engine: Engine, domains: Domains, paths: Sequence[Path]) -> None:
    """Make what environments at `paths` may start from: images of `domains`, and of those that they say they are of.

    Raises SetupError, InfraError, BuildFailed.
    """
    from envwheel.environment.folder import domains_of
    from envwheel.prepare import base_images

    named = {id for path in paths for id in domains_of(path)}
    base_images(engine, type(domains).among({*domains.ids, *named}))


def title(paths: Sequence[Path]) -> str:
    """The call in a line; a pool is often given by a pattern, which is thousands of words."""
    more = f" and {len(paths) - NAMED} more" if len(paths) > NAMED else ""
    return " ".join(["envwheel check", *map(str, paths[:NAMED])]) + more


class Check:
    """One call of the command."""

    def __init__(
        self,
        paths: list[Path],
        options: GateOptions,
        engine: Engine | None,
        domains: Domains,
        finished: Finished,
        args: argparse.Namespace,
        novelty: Novelty | None = None,
    ) -> None:
        self.paths, self.options, self.engine, self.domains = paths, options, engine, domains
        self.finished, self.args, self.novelty = finished, args, novelty
        self.known = finished.load() if args.resume else {}
        self.trials = ThreadPoolExecutor(options.jobs, thread_name_prefix="trial")
        self.stop = threading.Event()
        self.results: dict[Path, Mapping[str, Any]] = {}

    def run(self) -> int:
        """Judge, report, and say how it went as an exit code."""
        from envwheel.gate.live import Progress

        judges = ThreadPoolExecutor(2 * self.options.jobs, thread_name_prefix="judge")
        with Progress(len(self.paths), self.args.json) as progress, judges:
            futures = {judges.submit(self._judge, path, progress): path for path in self.paths}
            self._collect(futures, progress)
        self.trials.shutdown()
        results = [self.results[path] for path in self.paths if path in self.results]
        self._report(results)
        if self.stop.is_set():
            return 130
        words = {result["verdict"] for result in results}
        return 2 if "infra" in words else 1 if "rejected" in words else 0

    def compare(self, against: Mapping[str, Any]) -> int:
        """Judge one environment and tell what differs from `against`."""
        from envwheel.gate.evidence import differences
        from envwheel.gate.live import Progress
        from envwheel.gate.report import as_json, one_line

        with Progress(1, self.args.json) as progress:
            verdict = self._verdict(self.paths[0], progress)
        self.trials.shutdown()
        found, result = differences(against, verdict.evidence()), as_json(verdict)
        if self.args.json:
            print(json.dumps(result), flush=True)
        self._report([result])
        for line in found or ["all is as the evidence says"]:
            progress.say(one_line(line))
        return 2 if verdict.verdict == "infra" else 1 if found else 0

    def _report(self, results: list[Mapping[str, Any]]) -> None:
        """All verdicts in the forms that were asked for."""
        from envwheel.gate import html, report

        if not self.args.json:
            report.print_table(results)
        if self.args.csv:
            report.write_csv(self.args.csv, results)
        if self.args.html:
            html.write(self.args.html, results, title(self.args.paths))

    def _collect(self, futures: Mapping[Future[Mapping[str, Any] | None], Path], progress: Progress) -> None:
        """Take verdicts as they come. The first Ctrl-C lets what runs end, the second does not."""
        left = set(futures)
        while left:
            try:
                done, left = wait(left, timeout=0.5, return_when=FIRST_COMPLETED)
            except KeyboardInterrupt:
                if self.stop.is_set():
                    self._now()
                self.stop.set()
                progress.say("Interrupted: what is being judged is finished first. Ctrl-C again ends it now.")
                continue
            for future in done:
                self._take(futures[future], future, progress)

    def _take(self, path: Path, future: Future[Mapping[str, Any] | None], progress: Progress) -> None:
        try:
            result = future.result()
        except SetupError:
            self.stop.set()
            raise
        if result is None:
            return
        self.results[path] = result
        progress.done(path, result)
        if self.args.json:
            print(json.dumps(result), flush=True)

    def _now(self) -> None:
        """End at once: threads that wait for a box cannot be ended otherwise."""
        if self.engine:
            self.engine.close()
        os._exit(130)

    def _judge(self, path: Path, progress: Progress) -> Mapping[str, Any] | None:
        """The verdict on `path` as JSON, new or known; None when there is no time left for it."""
        from envwheel.gate.report import as_json

        if self.stop.is_set():
            return None
        key = self.finished.key(path, self.novelty.faults(path) if self.novelty else None)
        if key in self.known and self._has_evidence(path):
            return {**self.known[key], "path": str(path), "name": path.resolve().name}
        verdict = self._verdict(path, progress)
        result = as_json(verdict)
        if self.args.out:
            self._write_evidence(verdict)
        self.finished.add(key, result)
        return result

    def _verdict(self, path: Path, progress: Progress) -> Verdict:
        from envwheel.gate.ladder import judge

        name = path.resolve().name
        verdict = judge(
            path,
            self.engine,
            self.domains,
            options=self.options,
            on_step=lambda step, outcome: progress.step(path, name, step),
            pool=self.trials,
            known=self.novelty.faults if self.novelty else None,
        )
        for warning in verdict.warnings:
            progress.say(f"{name}: {warning}")
        return verdict

    def _evidence_file(self, path: Path) -> Path:
        """Named as the folder at `path`; with the folders above it where several pools have one of that name."""
        alike = [other for other in self.paths if other.name == path.name]
        name = path.resolve().name if len(alike) == 1 else "-".join(path.absolute().parts[1:])
        return self.args.out / f"{name}.evidence.json"

    def _has_evidence(self, path: Path) -> bool:
        """Whether what was finished left the evidence of this folder where it is asked for now."""
        from envwheel.environment.hash import tree_sha256
        from envwheel.gate import evidence

        if not self.args.out:
            return True
        try:
            return evidence.load(self._evidence_file(path)).get("tree_sha256") == tree_sha256(path)
        except UsageError:
            return False

    def _write_evidence(self, verdict: Verdict) -> None:
        try:
            self.args.out.mkdir(parents=True, exist_ok=True)
            text = json.dumps(verdict.evidence(), indent=1)
            self._evidence_file(verdict.path).write_text(text + "\n", "utf-8")
        except OSError as error:
            raise EnvwheelError(f"--out: {error.filename} cannot be written: {error.strerror}.") from error
