"""Static checks of this domain: what is certain from the files alone, without opening anything of a candidate's to run.

no_plan, bad_plan       tests/checks.json is missing, or is no plan of the language
unnamed_property        a check relies on a name that neither the instruction nor the given files hold
unnamed_artifact        the instruction never says where the work is looked for
unreached_file          a check looks at a file that does not cross over to the verifier
missing_test_file       a check names a file of tests/ that is not there
reference_given         a reference workbook lies among the given files
heavy_check             (warning) one check without a floor decides over more than two fifths of the reward
"""

from __future__ import annotations

import hashlib
import html
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from envwheel.api import Environment, Finding
from envwheel_office.kit.officekit.language import AnyCheck, Plan, Program
from envwheel_office.properties import names, plain, stands

CHECKS = "tests/checks.json"
HEAVY = 0.4
MOST_BYTES, MOST_PARTS = 4 << 20, 400
"""Of one given file, and of the parts of one document: enough for names."""
LOOKS = {
    "bold": r"bold|strong",
    "italic": r"italic|slant",
    "underline": r"underlin",
    "strike": r"strike|struck|cross",
    "fill": r"fill|shad|colou?r|background|highlight|yellow|green|red|blue|gr[ae]y|orange",
    "color": r"colou?r|red|green|blue|gr[ae]y|black|white|orange",
    "align": r"align|cent(er|re)|left|right",
    "wrap": r"wrap",
    "locked": r"lock|protect",
}
"""A look that is asked for -> words of which the instruction must have one."""


def inspect_environment(environment: Environment) -> list[Finding]:
    """Every finding, errors first; nothing for an environment of another domain."""
    if "office" not in environment.domains:
        return []
    found = list(unnamed_artifacts(environment))
    plan, faults = read_plan(environment.path)
    found += faults
    if plan is not None:
        found += [*unnamed_properties(environment, plan), *unreached_files(environment, plan)]
        found += [*test_files(environment, plan), *heavy_checks(plan)]
    return sorted(found, key=lambda finding: finding.severity != "error")


def read_plan(path: Path) -> tuple[Plan | None, list[Finding]]:
    """The plan of the environment at `path`, or what is wrong with it."""
    file = path / CHECKS
    if not file.is_file():
        return None, [Finding("no_plan", "an office environment is judged by a plan; write tests/checks.json", CHECKS)]
    try:
        return Plan.model_validate_json(file.read_bytes()), []
    except ValidationError as error:
        lines = ["$" + "".join(f"[{at!r}]" for at in one["loc"]) + f": {one['msg']}" for one in error.errors()[:4]]
        return None, [Finding("bad_plan", "; ".join(lines)[:900], CHECKS)]


def unnamed_artifacts(environment: Environment) -> Iterator[Finding]:
    """Artifacts that the instruction does not mention. A name relative to /app will do."""
    for artifact in environment.artifacts:
        if artifact.rstrip("/").removeprefix("/app/") not in environment.instruction:
            yield Finding("unnamed_artifact", f"the instruction never names the artifact {artifact}", "instruction.md")


def unnamed_properties(environment: Environment, plan: Plan) -> Iterator[Finding]:
    """Names that only the checks know."""
    told = plain(environment.instruction)
    given: str | None = None
    for check in plan.checks:
        filled = _filled(environment.path, plan, check.file)
        for named in dict.fromkeys(names(check)):
            if stands(named, told) or (named.what == "cells" and named.text in filled):
                continue
            given = given_text(environment.path / "environment") if given is None else given
            if not stands(named, given):
                message = f"check {check.id!r} relies on the {named.what} {named.text!r}, which is named nowhere"
                yield Finding("unnamed_property", f"{message} that the solver can see", "instruction.md")
        yield from _unnamed_looks(check, told)


def _unnamed_looks(check: AnyCheck, told: str) -> Iterator[Finding]:
    look = getattr(check, "look", None)
    for field, words in LOOKS.items():
        if getattr(look, field, None) is not None and not re.search(words, told):
            message = f"check {check.id!r} asks for a look ({field}) of which the instruction says nothing"
            yield Finding("unnamed_property", message, "instruction.md", "warning")


def unreached_files(environment: Environment, plan: Plan) -> Iterator[Finding]:
    """Files of checks that no artifact brings to the verifier."""
    places = [artifact.rstrip("/") for artifact in environment.artifacts]
    for check in plan.checks:
        path = f"/app/{check.file}".rstrip("/")
        if not any(path == place or path.startswith(place + "/") for place in places):
            yield Finding("unreached_file", f"check {check.id!r} looks at {path}, which no artifact brings", CHECKS)


def test_files(environment: Environment, plan: Plan) -> Iterator[Finding]:
    """Files of tests/ that checks name: they are there, and a reference is not among what is given."""
    given = {_hash(path) for path in (environment.path / "environment").rglob("*") if path.is_file()}
    for check in plan.checks:
        for name, secret in _names_of_files(check):
            path = environment.path / "tests" / name
            if ".." in Path(name).parts or not path.is_file():
                yield Finding("missing_test_file", f"check {check.id!r}: there is no tests/{name}", CHECKS)
            elif secret and _hash(path) in given:
                yield Finding("reference_given", f"the reference tests/{name} lies among the given files", name)


def _names_of_files(check: AnyCheck) -> Iterator[tuple[str, bool]]:
    """(file of tests/, whether it holds the answer)."""
    if check.kind == "metamorphic":
        yield check.reference, True
    elif check.kind in ("preserve", "docx_revision"):
        yield check.original, False
    elif isinstance(check, Program):
        for run in check.runs:
            yield from ((name, False) for name in run.inputs.values())
            for inner in run.checks:
                yield from _names_of_files(inner)


def heavy_checks(plan: Plan) -> Iterator[Finding]:
    """Checks that a solver may leave alone and still get most of the reward, or that are nearly all of it."""
    counted = [check for check in plan.checks if not check.gate]
    total = sum(check.weight for check in counted)
    for check in counted:
        if len(counted) > 2 and check.floor == 0 and check.weight / total > HEAVY:
            message = f"check {check.id!r} is {check.weight / total:.0%} of the reward; divide it or give it a floor"
            yield Finding("heavy_check", message, CHECKS, "warning")


def _filled(path: Path, plan: Plan, file: str) -> frozenset[str]:
    """The cells that `file` has from what is given: it lies there already, or a check preserves an original in it."""
    originals = [one.original for one in plan.checks if one.kind == "preserve" and one.file == file]
    places = [path / "environment" / "app" / file, *(path / "tests" / name for name in originals)]
    return frozenset[str]().union(*map(filled_cells, places))


def filled_cells(path: Path) -> frozenset[str]:
    """The cells that a workbook has."""
    if path.is_symlink() or path.suffix != ".xlsx" or not path.is_file():
        return frozenset()
    return frozenset(
        ref for text in _parts(path, "xl/worksheets/") for ref in re.findall(r'<c [^>]*?\br="([A-Z]+\d+)"', text)
    )


def given_text(folder: Path) -> str:
    """What can be read in the given files: their names, texts, and the texts of documents' parts."""
    parts: list[str] = []
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.is_symlink():
            continue
        parts.append(path.relative_to(folder).as_posix())
        if zipfile.is_zipfile(path):
            parts += _document_texts(path)
        else:
            with path.open("rb") as file:
                parts.append(file.read(MOST_BYTES).decode("utf-8", "replace"))
    return plain(" ".join(parts))


def _document_texts(path: Path) -> Iterator[str]:
    """Texts and attribute values of a document's XML parts."""
    for text in _parts(path):
        values = re.findall(r'\b(?:name|displayName|val|w:val)="([^"]*)"', text)
        # Runs of one paragraph belong together, paragraphs and cells do not.
        text = re.sub(r"</(?:w:p|a:p|si|c|t)>", " ", text)
        yield html.unescape(" ".join([re.sub(r"<[^>]*>", "", text), *values]))


def _parts(path: Path, below: str = "") -> Iterator[str]:
    """XML parts of a package as texts; it may be hostile, so no parser and hard limits. A broken one has none."""
    try:
        with zipfile.ZipFile(path) as archive:
            for part in archive.infolist()[:MOST_PARTS]:
                if part.filename.startswith(below) and part.filename.endswith(".xml"):
                    with archive.open(part) as file:
                        yield file.read(MOST_BYTES).decode("utf-8", "replace")
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, EOFError, zlib.error):
        return


def _hash(path: Path) -> str:
    return "" if path.is_symlink() else hashlib.sha256(path.read_bytes()).hexdigest()
