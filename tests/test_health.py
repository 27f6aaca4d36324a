"""What `envwheel doctor` says: each lack with its fix, and never an exception."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

from envwheel import health
from envwheel.errors import InfraError, SetupError
from envwheel.listing import Listing
from envwheel.model.weights import MEMBER
from envwheel.prepare import prepare
from envwheel.sandbox.fake import FakeEngine
from envwheel.sandbox.images import BASE


def lacking() -> FakeEngine:
    engine = FakeEngine()
    engine.lacks = frozenset({"clock", "something_new"})
    return engine


class Dying(FakeEngine):
    """A fake engine whose daemon ends while it is asked."""

    def describe(self):
        raise InfraError("daemon", "the daemon went away")


def no_engine():
    raise SetupError("No engine works here.")


def test_no_engine_is_missing_with_a_fix():
    (one,) = health.engine_and_images(no_engine)
    assert (one.what, one.state, one.detail) == ("engine", "missing", "No engine works here.")
    assert "apt-get install docker.io" in one.fix


def test_an_engine_that_dies_is_missing():
    (one,) = health.engine_and_images(Dying)
    assert (one.state, one.detail) == ("missing", "the daemon went away")


def test_what_an_engine_lacks_is_a_warning_with_its_meaning():
    first, *lacks = health.engine_and_images(lacking)
    assert (first.what, first.state) == ("engine", "ok")
    assert [(one.state, one.detail) for one in lacks] == [
        ("warn", "the shifted clock of the gate is left out"),
        ("warn", "it lacks something_new"),
    ]
    assert all(one.fix for one in lacks)


def test_images_are_there_or_made_when_first_used():
    there, absent = health.base_images(frozenset({"a:1", "b:2"}), ("a:1", "c:3"), "docker")
    assert (there.state, absent.state) == ("ok", "warn")
    assert absent.what == "image c:3"
    assert absent.fix


def test_the_key_is_never_printed():
    found = list(health.models({"OPENAI_API_KEY": "sk-secret", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}))
    openai = next(one for one in found if "OPENAI_API_KEY" in one.detail)
    assert openai.state == "ok"
    assert "http://127.0.0.1:9/v1" in openai.detail
    assert "sk-secret" not in repr(found)
    unset = next(one for one in health.models({}) if "OPENAI_API_KEY" in one.detail)
    assert (unset.state, unset.fix) == ("warn", "export OPENAI_API_KEY=...")


def test_the_second_vendor_is_spoken_of_with_its_key_and_never_the_password_of_an_address():
    found = list(
        health.models({"ANTHROPIC_API_KEY": "sk-secret", "ANTHROPIC_BASE_URL": "http://me:pass-word@127.0.0.1:9/x"})
    )
    anthropic = next(one for one in found if "ANTHROPIC_API_KEY" in one.detail)
    assert anthropic.state == "ok"
    assert anthropic.detail.endswith("endpoint http://127.0.0.1:9/x")
    assert "sk-secret" not in repr(found)
    assert "pass-word" not in repr(found)


def test_the_embedded_model_is_ok_when_its_weights_lie_in_the_cache(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    local = [one for one in health.models({}) if one.what == "model local"]
    assert [one.state for one in local] == ["warn"]
    (tmp_path / "envwheel").mkdir()
    (tmp_path / "envwheel" / Path(MEMBER).name).write_bytes(b"weights")
    local = [one for one in health.models({}) if one.what == "model local"]
    assert [one.state for one in local] == ["ok" if importlib.util.find_spec("xllamacpp") else "warn"]


def test_disk_is_measured_at_the_nearest_folder_that_is_there(tmp_path: Path):
    found = health.disk("cache", tmp_path / "not" / "yet")
    assert found.detail.endswith(f"free at {tmp_path}")
    assert found.state in ("ok", "warn", "missing")


def test_domains_are_told_apart():
    assert [one.state for one in health.domains([])] == ["warn"]
    clash = Listing("a", "dist", "1", "a", "", "two claim it")
    broken = Listing("not_there", "some-dist", "1", "not_there")
    torn, gone = health.domains([clash, broken])
    assert (torn.state, torn.detail) == ("warn", "two claim it")
    assert gone.detail.startswith("broken: Domain 'not_there' is not installed")
    assert gone.fix == "pip install --force-reinstall some-dist"


def test_a_machine_with_nothing_gets_a_list_and_exit_code_2(tmp_path: Path):
    env = {**os.environ, "DOCKER_HOST": "unix:///nonexistent.sock", "XDG_CACHE_HOME": str(tmp_path), "PATH": ""}
    command = [sys.executable, "-m", "envwheel.cli", "doctor", "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, env=env)
    found = {one["what"]: one for one in map(json.loads, ran.stdout.splitlines())}
    assert ran.returncode == 2, ran.stderr
    assert found["engine"]["state"] == "missing"
    assert found["gpu"]["state"] == "ok"
    assert {"clock", "disk for cache", "model local"} <= set(found)


def test_only_the_images_of_the_wanted_domains_are_made_ahead():
    def made(domains):
        names = prepare(lambda: FakeEngine({BASE: {}}), domains)
        return list(itertools.takewhile(lambda name: not name.startswith("weights"), names))

    assert [name for name in made(["swe"]) if "office" in name] == []
    assert [name for name in made(["swe"]) if "swe" in name] != []
    assert [name for name in made(None) if "office" in name] != []
