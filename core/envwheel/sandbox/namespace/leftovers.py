"""Removes what the namespace engine of a process that is gone left behind: control groups with processes, and images.

Files and mounts of a box leave nothing: the kernel frees them with the last process.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from envwheel.sandbox import owner as owners
from envwheel.sandbox import userns
from envwheel.sandbox.base import Swept
from envwheel.sandbox.faketime import cache
from envwheel.sandbox.namespace import groups
from envwheel.sandbox.namespace.image_store import ImageStore
from envwheel.sandbox.owner import Owner


def home() -> Path:
    """Where the engine keeps images and its small files. What was made where root is the only user lies apart."""
    return cache() / ("namespace-root-only" if userns.one_user() else "namespace")


def sweep_leftovers(*, everything: bool = False, only: Owner | None = None) -> Swept:
    """Remove what is left over; `everything` of ours, or all that `only` held."""
    boxes = groups.sweep(everything=everything, only=only)
    images = ImageStore(home()).sweep(everything=everything, only=only)
    places = home() / "places"
    for folder in places.iterdir() if places.is_dir() else ():
        holder = owners.parse(folder.name.partition("+")[0])
        if holder == only if only is not None else holder is None or not holder.alive():
            shutil.rmtree(folder, ignore_errors=True)
    return Swept(boxes=boxes, images=images)
