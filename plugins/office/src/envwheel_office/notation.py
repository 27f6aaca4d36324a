"""The JSON Schema of the check language in few words, for the brief: one line a record, made from the schema itself.

    Where: cell?: text, name?: text, label?: text, sheet?: text (narrows a label to a sheet), side: right|below = right

`?` may be left out or null, `=` tells the default, `[...]` is a list, `{...}` a mapping by text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envwheel_office.kit.officekit.language import schema

WORDS = {"string": "text", "number": "number", "integer": "whole number", "boolean": "true|false", "null": "null"}
SCALAR = {"text", "number", "whole number", "true|false"}


def language() -> str:
    """All records: what every check has, the checks by kind, then the records that they are made of."""
    definitions: Mapping[str, Any] = schema()["$defs"]
    checks = {name: one for name, one in definitions.items() if "kind" in one["properties"]}
    common = dict(next(iter(checks.values()))["properties"])
    shared = {
        name: one for name, one in common.items() if all(c["properties"].get(name) == one for c in checks.values())
    }
    lines = [f"every check: {_fields(shared, {'id', 'why', 'file'})}", ""]
    for one in checks.values():
        own = {name: field for name, field in one["properties"].items() if name not in (*shared, "kind")}
        kind = one["properties"]["kind"]["const"]
        lines += [f"{kind}: {_fields(own, set(one.get('required', ())))}", f"    {_sentence(one)}"]
    lines.append("")
    for name, one in definitions.items():
        if name not in checks:
            lines += [f"{name}: {_fields(one['properties'], set(one.get('required', ())))}", f"    {_sentence(one)}"]
    return "\n".join(lines) + "\n"


def _sentence(record: Mapping[str, Any]) -> str:
    return " ".join(str(record.get("description", "")).split())


def _fields(fields: Mapping[str, Any], required: set[str]) -> str:
    return ", ".join(_field(name, one, name in required) for name, one in fields.items())


def _field(name: str, field: Mapping[str, Any], required: bool) -> str:
    default = field.get("default")
    optional = "" if required or default not in (None, [], {}) else "?"
    given = f" = {_plain(default)}" if not required and default not in (None, [], {}) else ""
    note = f" ({' '.join(field['description'].split())})" if "description" in field else ""
    return f"{name}{optional}: {_type(field)}{given}{note}"


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _type(field: Mapping[str, Any]) -> str:
    if "$ref" in field:
        return str(field["$ref"].rpartition("/")[2])
    if "enum" in field:
        return "|".join(map(str, field["enum"]))
    if "const" in field:
        return str(field["const"])
    if "oneOf" in field:
        return "check"
    if "anyOf" in field:
        kinds = [kind for kind in map(_type, field["anyOf"]) if kind != "null"]
        return "value" if set(kinds) >= SCALAR else "|".join(kinds)
    if field.get("type") == "array":
        inner = field.get("prefixItems")
        return f"[{', '.join(map(_type, inner)) if inner else _type(field.get('items', {}))}]"
    if field.get("type") == "object":
        return f"{{{_type(field.get('additionalProperties', {}))}}}"
    return WORDS.get(str(field.get("type")), "anything")


if __name__ == "__main__":
    print(language(), end="")
