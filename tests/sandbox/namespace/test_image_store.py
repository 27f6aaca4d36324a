"""The folders of the namespace engine's images: who holds one, what a sweep takes, what buildah left to read."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

import pytest

from envwheel.errors import BuildFailed, InfraError
from envwheel.sandbox import owner
from envwheel.sandbox.namespace.build import failure
from envwheel.sandbox.namespace.image_store import ImageStore, seal

DEAD = owner.Owner(owner.this_host(), 2**22 - 3, 7)


def made(folder: Path, number: str, parent: str = "", base: object = None, **config: object):
    """What buildah leaves of a build of one layer, sealed."""
    store, image_id = folder / "store", number * 64
    layer = f"layer{number}"
    (store / "overlay" / layer / "diff").mkdir(parents=True)
    (store / "overlay-layers").mkdir()
    (store / "overlay-layers/layers.json").write_text(json.dumps([{"id": layer, "parent": parent}]))
    (store / "overlay-images" / image_id).mkdir(parents=True)
    (store / "overlay-images/images.json").write_text(json.dumps([{"id": image_id, "layer": layer}]))
    name = base64.b64encode(f"sha256:{image_id}".encode()).decode()
    (store / "overlay-images" / image_id / f"={name}").write_text(json.dumps({"config": config}))
    return seal(folder, image_id, base, "key")


def test_an_image_names_its_layers_where_they_lie(tmp_path):
    store = ImageStore(tmp_path)
    base = made(store.folder_of("envwheel/base:x") / "key", "a", Env=["A=b=c", "EMPTY="], WorkingDir="/app")
    store.set_base("envwheel/base:x", "key")
    above = made(store.built / "k", "b", "layera", base, User="agent")
    assert [Path(layer).parent.name for layer in above.layers] == ["layerb", "layera"]
    assert all(os.path.isdir(layer) for layer in above.layers)
    assert (above.user, above.base_id, base.env) == ("agent", base.id, {"A": "b=c", "EMPTY": ""})
    assert store.base("envwheel/base:x") == base == store.find(base.id)
    assert store.base("envwheel/base:x", "another") is None
    assert store.find("b" * 64) == above
    assert store.find("c" * 64) is None


def test_the_last_holder_removes_an_image(tmp_path):
    store, me = ImageStore(tmp_path), owner.current()
    made(store.built / "k", "a")
    store.hold("k", me)
    store.hold("k", DEAD)
    assert not store.release("k", me)
    assert store.release("k", DEAD)
    assert not (store.built / "k").exists()


def test_a_sweep_takes_what_nobody_alive_holds(tmp_path):
    store = ImageStore(tmp_path)
    for key, holder in (("mine", owner.current()), ("dead", DEAD), ("half", None)):
        made(store.built / key, key[0] if key != "half" else "f")
        if holder:
            store.hold(key, holder)
    (store.built / "half/image.json").unlink()
    with store.locked("dead"):
        assert store.sweep() == 0
    assert store.sweep() == 1
    assert [path.name for path in store.built.iterdir()] == ["mine"]
    assert store.sweep(only=DEAD) == 0
    assert store.sweep(everything=True) == 1


def test_a_store_that_cannot_be_read_is_our_failure(tmp_path):
    (tmp_path / "k").mkdir()
    with pytest.raises(InfraError, match="cannot be read"):
        seal(tmp_path / "k", "a" * 64, None, "key")


@pytest.mark.parametrize(
    ("log", "kind", "words"),
    [
        ('x\nError: building at STEP "RUN x": while running runtime: exit status 4', BuildFailed, "non-zero code: 4"),
        ('Error: building at STEP "RUN x": no space left on device', BuildFailed, "no space"),
        ("Error: writing layer: no space left on device", InfraError, "full"),
        ("Killed", BuildFailed, "Killed"),
        ("", BuildFailed, "does not build"),
    ],
)
def test_whose_fault_a_failed_build_is(log, kind, words):
    told = failure(log)
    assert type(told) is kind
    assert words in str(told)
