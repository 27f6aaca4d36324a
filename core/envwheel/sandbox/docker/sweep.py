"""Removes boxes and images of processes that are gone, by label and tag only, never by name or age alone.

A box is swept when its owner has ended, or is out of sight and the box's lifetime is over; a built image when no living
process holds a tag on it. Base images stay.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from envwheel.sandbox import owner as owners
from envwheel.sandbox.base import Swept
from envwheel.sandbox.builds import LABEL
from envwheel.sandbox.docker.build import REPOSITORY, remove_dangling
from envwheel.sandbox.docker.daemon import Daemon
from envwheel.sandbox.owner import Owner

OWNER, ENGINE, EXPIRES = "envwheel.owner", "envwheel.engine", "envwheel.expires"
FOREIGN_IMAGE_S = 24 * 3600
"""An image held by a process of another host, whose life cannot be seen, is kept this long."""


def labels(owner: Owner, engine: str, expires: float) -> dict[str, str]:
    """The labels of a box: the process that holds it, its engine in that process, when it is over."""
    return {OWNER: str(owner), ENGINE: engine, EXPIRES: str(int(expires) + 60)}


def remove_boxes(daemon: Daemon, label: str, wanted: Callable[[Mapping[str, str]], bool] = lambda labels: True) -> int:
    """Remove the boxes with `label` whose labels are `wanted`; how many there were. Raises InfraError."""
    boxes = daemon.call("list boxes", lambda api: api.containers(all=True, filters={"label": label})) or []
    return sum(_remove_box(daemon, box["Id"]) for box in boxes if wanted(box["Labels"]))


def sweep(daemon: Daemon, *, everything: bool = False, only: Owner | None = None) -> Swept:
    """Remove what is left over; `everything` of ours, or all that `only` held. Raises InfraError."""
    swept = remove_boxes(daemon, OWNER, lambda labels: everything or _over(labels, only))
    images = daemon.call("list images", lambda api: api.images(name=REPOSITORY)) or []
    before = {image["Id"] for image in images}
    for image in images:
        for tag in image.get("RepoTags") or []:
            if everything or _tag_over(tag, image["Created"], only):
                daemon.call("remove an image", lambda api: api.remove_image(tag), ignore=(404, 409))  # noqa: B023
    after = {image["Id"] for image in daemon.call("list images", lambda api: api.images(name=REPOSITORY)) or []}
    return Swept(boxes=swept, images=len(before - after) + _sweep_dangling(daemon, everything, only))


def _over(box_labels: Mapping[str, str], only: Owner | None) -> bool:
    holder = owners.parse(box_labels.get(OWNER, ""))
    if only is not None:
        return holder == only
    return owners.over(holder, box_labels.get(EXPIRES, ""))


def _tag_over(tag: str, created: float, only: Owner | None) -> bool:
    holder = owners.parse(tag.partition(":")[2].partition("-")[2])
    if only is not None:
        return holder == only
    if holder is None:
        return False
    return not holder.alive() if holder.here else time.time() - created > FOREIGN_IMAGE_S


def _remove_box(daemon: Daemon, box_id: str) -> bool:
    done: Any = daemon.call(
        "remove a box", lambda api: api.remove_container(box_id, force=True, v=True) or True, ignore=(404, 409)
    )
    return bool(done)


def _sweep_dangling(daemon: Daemon, everything: bool, only: Owner | None) -> int:
    filters = {"dangling": True, "label": LABEL}
    found = daemon.call("list images", lambda api: api.images(filters=filters)) or []
    holders = {(image.get("Labels") or {}).get(OWNER, "") for image in found}
    removed = 0
    for text in holders:
        holder = owners.parse(text)
        dead = holder is not None and holder.here and not holder.alive()
        if everything or dead or (only is not None and holder == only):
            removed += remove_dangling(daemon, {LABEL: "", OWNER: text})
    return removed
