"""Checks of the contract: how the domain is packaged and what importing it costs."""

from __future__ import annotations

import sys
from collections import Counter

from envwheel.child import ChildFailed, ask
from envwheel.contract.subject import Broken, Subject

LIGHT_MODULES = 20
"""A third-party package that brings more modules than this, or compiled code, is too heavy to import at load."""

_MEASURE = r"""
import importlib, json, sys
import envwheel.api
before = set(sys.modules)
importlib.import_module(sys.argv[1])
new = set(sys.modules) - before
compiled = (".so", ".pyd")
files = {name: str(getattr(sys.modules[name], "__file__", None) or "") for name in new}
print("\n" + json.dumps({name: files[name].endswith(compiled) for name in new}))
"""


def one_entry_point(subject: Subject) -> None:
    """exactly one entry point of `envwheel.domains` bears the name"""
    found = subject.listings
    if not found:
        raise Broken(f"no installed distribution has an entry point '{subject.id}' in the group envwheel.domains")
    if found[0].problem:
        raise Broken(found[0].problem)


def core_is_required_with_an_upper_bound(subject: Subject) -> None:
    """the distribution requires a range of envwheel that ends somewhere"""
    for one in subject.listings:
        if not any(mark in one.core for mark in ("<", "==", "~=")):
            asked = f"`envwheel{one.core}`" if one.core else "nothing"
            raise Broken(f"{one.distribution} requires {asked}; write an upper bound, as in `envwheel>=0.1,<0.2`")


def import_is_light(subject: Subject) -> None:
    """importing the plugin brings the standard library, `envwheel.api` and small pure modules only"""
    for one in subject.listings:
        module = one.value.partition(":")[0].strip()
        try:
            compiled: dict[str, bool] = ask(_MEASURE, module)
        except ChildFailed as error:
            raise Broken(f"importing {module} {error}") from error
        inner = sorted(
            name for name in compiled if name.startswith("envwheel.") and not name.startswith("envwheel.api.")
        )
        if inner:
            raise Broken(f"importing {module} imports {', '.join(inner)}; a domain imports envwheel.api only")
        heavy = _heavy(compiled, module.partition(".")[0])
        if heavy:
            raise Broken(f"importing {module} imports {', '.join(heavy)}; import it inside the hook that needs it")


def _heavy(compiled: dict[str, bool], own: str) -> list[str]:
    light = sys.stdlib_module_names | {own, "envwheel"}
    foreign = {name: is_compiled for name, is_compiled in compiled.items() if name.partition(".")[0] not in light}
    count = Counter(name.partition(".")[0] for name in foreign)
    binary = {name.partition(".")[0] for name, is_compiled in foreign.items() if is_compiled}
    return sorted(name for name, modules in count.items() if modules > LIGHT_MODULES or name in binary)
