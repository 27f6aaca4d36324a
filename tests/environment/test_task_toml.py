"""task.toml: what is understood, what is refused, and how the refusal reads."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envwheel.environment import toml
from envwheel.environment.invalid import InvalidTask
from envwheel.environment.task_toml import parse


def refusal(text: str) -> str:
    with pytest.raises(InvalidTask) as caught:
        parse(text)
    assert caught.value.code == "schema"
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[environment]\ncpus = "two"', 'task.toml: $.environment.cpus: expected int, got "two"'),
        ("[environment]\ncpus = true", "$.environment.cpus: expected a number, got a boolean"),
        ("[environment]\ncpus = 0", "$.environment.cpus: expected more than 0, got 0"),
        ("[environment]\nmemory_mb = 1.5", "$.environment.memory_mb: expected int, got 1.5"),
        ('[verifier]\ntimeout_sec = "two minutes"', '$.verifier.timeout_sec: expected number, got "two minutes"'),
        ("[verifier]\ntimeout_sec = nan", "$.verifier.timeout_sec: "),
        ("environment = 3", "$.environment: expected table, got 3"),
        ("artifacts = [1]", "$.artifacts[0]: expected table, got 1"),
        ('artifacts = [{destination = "x"}]', "$.artifacts[0].source: is missing"),
        ('[environment]\nnetwork_mode = "foo"', "$.environment.network_mode: expected 'public', 'no-network' or"),
        ('[environment]\nallowed_hosts = ["a.b"]', "allowed_hosts is only valid with network_mode = 'allowlist'"),
        ('[environment]\nmemory = "2G"\nmemory_mb = 1', "memory = '2G' and memory_mb = 1 contradict each other"),
        ('[environment]\nmemory = "lots"', "expected a size like '1G' or '512M', got 'lots'"),
        ('[environment.env]\nKEY = "${TOKEN}"', "$.environment.env.KEY: ${TOKEN} reads a variable of the host"),
        ('[task]\nname = "no-organisation"', "$.task.name: string should match pattern"),
        ('[verifier]\nenvironment_mode = "shared"\n[verifier.environment]\n', "contradicts [verifier.environment]"),
        ("a = = 1", "task.toml: not valid TOML"),
        ("a = " + "[" * 5000, "task.toml: "),
    ],
)
def test_a_wrong_value_is_named_with_its_path(text: str, message: str) -> None:
    assert message in refusal(text)


@pytest.mark.parametrize(
    "path",
    [
        *("/", "//", "/tests", "/tests/x", "//tests/x", "/app/../tests", "/solution", "/logs/verifier", "/proc/1"),
        *("/logs/artifacts", "/sys", "/dev/shm/x", "relative/path", "", "/app/.."),
    ],
)
def test_an_artifact_outside_the_work_is_refused(path: str) -> None:
    assert "$.artifacts[0].source: " in refusal(f"artifacts = [{path!r}]")
    assert "$.artifacts[0].source: " in refusal(f"artifacts = [{{source = {path!r}}}]")


def test_artifacts_come_normalised_from_both_forms() -> None:
    config = parse('artifacts = ["/app//out/", {source = "/home/agent/x", destination = "y"}, "/testsuite"]')
    assert config.artifact_paths == ("/app/out", "/home/agent/x", "/testsuite")


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('[environment]\nos = "Windows"', "$.environment.os"),
        ("[environment]\ngpus = 1", "$.environment.gpus"),
        ('[environment.tpu]\ntype = "v4"\ntopology = "2x2"', "$.environment.tpu"),
        ('[[environment.mcp_servers]]\nname = "x"\nurl = "u"', "$.environment.mcp_servers"),
        ('[environment.healthcheck]\ncommand = "true"', "$.environment.healthcheck"),
        ('[verifier.environment]\nos = "windows"', "$.verifier.environment.os"),
        ('[verifier.environment]\ndocker_image = "x"', "$.verifier.environment.docker_image"),
        ('[environment]\nskills_dir = "/s"', "$.environment.skills_dir"),
        ('[[verifier.collect]]\ncommand = "x"', "$.verifier.collect"),
        ('[[steps]]\nname = "one"', "$.steps"),
        ('artifacts = [{source = "/x", service = "db"}]', "$.artifacts[0].service"),
        ('artifacts = [{source = "/x", exclude = ["*.o"]}]', "$.artifacts[0].exclude"),
    ],
)
def test_what_is_not_run_is_refused_and_not_ignored(text: str, field: str) -> None:
    assert refusal(text).startswith(f"task.toml: {field} is not supported: ")


def test_silence_means_our_defaults() -> None:
    config = parse("")
    limits = config.limits
    assert (limits.cpus, limits.memory_mb, limits.disk_mb, limits.processes) == (1.0, 2048, 4096, 256)
    assert (config.agent_timeout_s, config.verifier_timeout_s, config.build_timeout_s) == (600.0, 600.0, 600.0)
    assert (config.agent_user, config.verifier_user, config.docker_image, config.workdir) == (None, None, None, None)
    assert not config.separate
    assert not config.network_asked
    assert not config.verifier_network_asked


def test_old_names_are_understood() -> None:
    config = parse('version = "1.0"\n[environment]\nmemory = "2G"\nstorage = "512M"\nallow_internet = true\ncpus = 2')
    assert config.schema_version == "1.0"
    assert (config.limits.memory_mb, config.limits.disk_mb, config.limits.cpus) == (2048, 512, 2.0)
    assert config.network_asked
    assert config.warnings() == ()


@pytest.mark.parametrize(
    ("text", "agent", "verifier"),
    [
        ('[environment]\nnetwork_mode = "public"', True, True),
        ('[environment]\nnetwork_mode = "no-network"\nallow_internet = true', False, False),
        ('[environment]\nnetwork_mode = "allowlist"\nallowed_hosts = ["a.b"]', True, True),
        ('[agent]\nnetwork_mode = "public"', True, False),
        ('[agent]\nnetwork_mode = "no-network"\n[environment]\nallow_internet = true', False, True),
        ('[verifier]\nnetwork_mode = "public"', False, True),
        ('[verifier.environment]\nnetwork_mode = "public"', False, True),
        ('[environment]\nnetwork_mode = "public"\n[verifier.environment]\ncpus = 1', True, False),
    ],
)
def test_network_counts_as_asked_for_only_when_written(text: str, agent: bool, verifier: bool) -> None:
    config = parse(text)
    assert (config.network_asked, config.verifier_network_asked) == (agent, verifier)


def test_users_variables_and_processes() -> None:
    config = parse(
        "[agent]\nuser = 1000\n[verifier]\nuser = 'root'\nenv = {A = '1'}\n"
        "[verifier.environment]\nenv = {A = '0', B = '2'}\n[environment]\nenv = {C = '${X:-three}/${Y:-}'}\n"
        "[solution]\nenv = {D = '4'}\n[metadata.envwheel]\nprocesses = 64"
    )
    assert (config.agent_user, config.verifier_user) == ("1000", "root")
    assert dict(config.verifier_env) == {"A": "1", "B": "2"}
    assert (dict(config.env), dict(config.solution_env)) == ({"C": "three/"}, {"D": "4"})
    assert config.limits.processes == 64
    assert config.separate


def test_unknown_fields_are_kept_and_reported() -> None:
    config = parse('schema_version = "9.9"\nnews = 1\nartifacts = [{source = "/x", foo = 1}]\n[agent]\nspeed = 2\n')
    assert config.agent.model_extra == {"speed": 2}
    assert config.warnings() == (
        "task.toml: $.news: unknown field, kept",
        "task.toml: $.agent.speed: unknown field, kept",
        "task.toml: $.artifacts[0].foo: unknown field, kept",
        "task.toml: $.schema_version: '9.9' is not known; read as 1.4",
    )


def parsed_or_refused(text: str) -> bool:
    try:
        return bool(parse(text))
    except InvalidTask as error:
        return error.code == "schema" and str(error).startswith("task.toml: ")


PLAIN = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=3)
    ),
    max_leaves=12,
)
TABLES = st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), PLAIN, max_size=4)


@settings(max_examples=40)
@given(TABLES)
def test_what_is_written_as_toml_is_read_back(table: dict) -> None:
    assert tomllib.loads(toml.dumps(table)) == table


@settings(max_examples=40)
@given(TABLES)
def test_any_toml_is_parsed_or_refused(table: dict) -> None:
    assert parsed_or_refused(toml.dumps(table))


FIELDS = st.sampled_from(["artifacts", "task", "metadata", "agent", "verifier", "environment", "solution", "steps"])


@settings(max_examples=40)
@given(st.dictionaries(FIELDS, PLAIN | TABLES, max_size=3))
def test_known_tables_with_any_content_are_parsed_or_refused(table: dict) -> None:
    assert parsed_or_refused(toml.dumps(table))


@settings(max_examples=40)
@given(st.text())
def test_any_text_is_parsed_or_refused(text: str) -> None:
    assert parsed_or_refused(text)


@pytest.mark.parametrize("value", [None, b"x", 2**63, "\ud800", {1: 2}, [object()]])
def test_toml_has_no_words_for_some_things(value: object) -> None:
    with pytest.raises(ValueError):
        toml.dumps({"key": value})
