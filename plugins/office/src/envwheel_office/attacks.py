"""Forgeries of this domain beside the core's battery: documents that look finished to a careless verifier.

Some know more than any solver: they put what the plan expects where nobody sees it (hidden sheets, white text, caches)
or into a package that must be refused (macros, a DOCTYPE, a zip bomb). None does any of the work.
"""

from __future__ import annotations

import json
import shlex
from importlib.resources import files

from envwheel.api import Attack, Environment
from envwheel_office.answers import answers
from envwheel_office.kit.officekit.language import Plan
from envwheel_office.lint import read_plan

COPIES = {
    "copy_input": "an input under the output's name is no work",
    "empty_document": "an empty document of the right name is no work",
    "keyword_stuffing": "the words of the instruction are no answer",
}
HIDDEN = {
    "hidden_sheet": "answers in hidden sheets are not delivered",
    "very_hidden_sheet": "answers in very hidden sheets are not delivered",
    "forged_caches": "cached values under formulas that give something else are not the result",
    "white_text": "white or inkless text is not on the page",
    "vanished_text": "hidden text, or text off the slide, is not in the document",
}
REFUSED = {
    "macro_part": "a package with macros is refused",
    "external_link": "a workbook with a link to another is refused",
    "doctype": "a part with a DOCTYPE is refused",
    "zip_bomb": "a package that inflates without measure is refused",
    "wrong_extension": "a document of another kind under this name is refused",
    "encrypted": "an encrypted document is refused",
    "huge_range": "a used range of a whole sheet is refused",
}
CONSTANTS = {
    "typed_values": "typed results do not follow their inputs",
    "formula_constants": "formulas that hold the result as a constant do not follow their inputs",
}
FIFO = 'for path in {paths}; do [ -d "$path" ] && continue; rm -f "$path"; mkfifo "$path"; done\n'
DEVICE = 'for path in {paths}; do [ -d "$path" ] && continue; rm -f "$path"; ln -s /dev/zero "$path"; done\n'
EXTENSIONS = {
    "hidden_sheet": ".xlsx",
    "very_hidden_sheet": ".xlsx",
    "forged_caches": ".xlsx",
    "external_link": ".xlsx",
    "huge_range": ".xlsx",
    "typed_values": ".xlsx",
    "formula_constants": ".xlsx",
    "white_text": ".docx .pptx .pdf",
    "vanished_text": ".docx .pptx",
    "macro_part": ".docx .pptx .xlsx",
    "doctype": ".docx .pptx .xlsx",
    "zip_bomb": ".docx .pptx .xlsx",
    "wrong_extension": ".docx .pptx .xlsx .pdf",
    "encrypted": ".docx .pptx .xlsx .pdf",
}
"""Attacks that make sense on some kinds of files only."""


def attacks_on(environment: Environment) -> list[Attack]:
    """The attacks that make sense on `environment`; none for one of another domain."""
    if "office" not in environment.domains:
        return []
    plan, _ = read_plan(environment.path)
    paths = " ".join(shlex.quote(path) for path in environment.artifacts)
    found = [
        Attack("fifo_output", "a FIFO under the output's name must not hang the verifier", FIFO.format(paths=paths)),
        Attack("device_output", "a link to a device is no document", DEVICE.format(paths=paths)),
    ]
    if plan is None:
        return found
    expected = answers(plan)
    given = json.dumps(
        {
            "app": "/app",
            "artifacts": list(environment.artifacts),
            "answers": expected,
            "instruction": environment.instruction,
        }
    )
    extensions = {one["file"][one["file"].rfind(".") :].lower() for one in expected}
    program = (files("envwheel_office") / "kit" / "attacks" / "forge.py").read_text("utf-8")
    wanted = {**COPIES, **HIDDEN, **REFUSED, **(CONSTANTS if _follows(plan) else {})}
    found += [
        Attack(id, why, _script(id, program, given))
        for id, why in wanted.items()
        if id not in EXTENSIONS or extensions & set(EXTENSIONS[id].split())
    ]
    return found


def _follows(plan: Plan) -> bool:
    """Whether typed results must score 0: a check that changes inputs is a gate, or has a floor."""
    return any(check.kind == "metamorphic" and check.least > 0 for check in plan.checks)


def _script(id: str, program: str, given: str) -> str:
    """Bash that runs the program; both texts by here-documents, for a command line has its limits."""
    return f"""forge=$(mktemp)
cat > "$forge" <<'END_OF_FORGE'
{program.rstrip()}
END_OF_FORGE
/usr/bin/python3 -I "$forge" {id} <<'END_OF_GIVEN'
{given}
END_OF_GIVEN
rm -f "$forge"
"""
