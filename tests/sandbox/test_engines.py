"""Finding an engine, and what a person reads where there is none."""

from __future__ import annotations

import pytest

from envwheel.errors import SetupError, UsageError
from envwheel.sandbox import engines
from envwheel.sandbox.docker.build import failure
from envwheel.sandbox.namespace.engine import missing, not_here


def test_an_unknown_engine_names_the_installed_ones():
    with pytest.raises(UsageError, match="docker"):
        engines.open_engine("hamster")


def test_a_silent_daemon_is_a_setup_error_with_the_line_that_mends_it(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nothing.sock")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match="apt-get install"):
        engines.open_engine("docker")
    with pytest.raises(SetupError, match="apt-get install buildah bubblewrap"):
        engines.open_engine("namespace")
    with pytest.raises(SetupError, match="No engine works here"):
        engines.open_engine("auto")


@pytest.mark.skipif(bool(missing() or not_here()), reason=missing() or not_here())
def test_without_a_daemon_auto_takes_the_namespace_engine(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nothing.sock")
    engine = engines.open_engine("auto")
    assert engine.name == "namespace"
    engine.close()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("The command '/bin/sh -c x' returned a non-zero code: 1", "BuildFailed"),
        ("pull access denied for nothing", "BuildFailed"),
        ("error pulling image: net/http: TLS handshake timeout", "InfraError"),
        ("toomanyrequests: You have reached your pull rate limit of the registry", "InfraError"),
        ('unable to find image "sha256:95a490f5"', "InfraError"),
        ("The command 'echo layer does not exist' returned a non-zero code: 1", "BuildFailed"),
        ("write /var/lib/x: no space left on device", "InfraError"),
    ],
)
def test_whose_fault_a_failed_build_is(error, kind):
    assert type(failure(error, "")).__name__ == kind
