"""What a Dockerfile of the common kind is read as, and what is left to a builder that knows the whole language."""

from __future__ import annotations

import pytest

from envwheel.sandbox.namespace.build_plan import Copy, Folder, Plan, Run, Uncommon, plan

FROM = "FROM some/base:1\n"


def read(text: str, dockerfile: str = FROM) -> Plan:
    return plan(dockerfile + text, user="", workdir="/app", env={"PATH": "/bin", "HOME_OF": "x"}, unused=("CMD",))


def test_each_step_knows_what_was_set_before_it():
    found = read('ENV A=1\nRUN one\nUSER agent\nWORKDIR sub\nENV B=$A\nRUN two\nCMD ["x"]')
    env = {"PATH": "/bin", "HOME_OF": "x", "A": "1"}
    assert found.steps == (
        Run("one", "", "/app", env),
        Folder("/app/sub"),
        Run("two", "agent", "/app/sub", env | {"B": "1"}),
    )
    assert (found.user, found.workdir, found.env) == ("agent", "/app/sub", env | {"B": "1"})


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ENV A=1 B=2", {"A": "1", "B": "2"}),
        ('ENV A="two words" B=', {"A": "two words", "B": ""}),
        ("ENV A='$1'", Uncommon),
        ("ENV A='one $' ", Uncommon),
        ("ENV A='it is'", {"A": "it is"}),
        ("ENV P=/opt:$PATH Q=${PATH}x R=${NONE:-d}", {"P": "/opt:/bin", "Q": "/binx", "R": "d"}),
        ("ENV A=1 B=$A", {"A": "1", "B": ""}),
        ("ENV A=1 \\\n  B=2", {"A": "1", "B": "2"}),
        ("ENV A old form", Uncommon),
        ("ENV A=a\\ b", Uncommon),
        ('ENV A="a"b', Uncommon),
        ("ENV A=$$", Uncommon),
        ("ENV", Uncommon),
    ],
)
def test_variables(line, expected):
    if expected is Uncommon:
        with pytest.raises(Uncommon):
            read(line)
    else:
        assert read(line).env == {"PATH": "/bin", "HOME_OF": "x"} | expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("COPY a b", Copy(("a",), "/app/b", "")),
        ("COPY a .", Copy(("a",), "/app/", "")),
        ("COPY a ./", Copy(("a",), "/app/", "")),
        ("COPY . /", Copy((".",), "/", "")),
        ("COPY ./a/ /b/ /c/", Copy(("a", "b"), "/c/", "")),
        ("COPY --chown=agent:1 a /b", Copy(("a",), "/b", "agent:1")),
        ("COPY a /$HOME_OF/", Copy(("a",), "/x/", "")),
        ('COPY ["a b", "/c d/"]', Copy(("a b",), "/c d/", "")),
        ("COPY a b /c", Uncommon),
        ("COPY *.txt /c/", Uncommon),
        ("COPY --from=0 /a /b", Uncommon),
        ("COPY --chmod=755 a /b", Uncommon),
        ("COPY ../a /b", Uncommon),
        ('COPY "a" /b', Uncommon),
        ("COPY <<EOF /b", Uncommon),
        ('COPY ["a", 1]', Uncommon),
        ("COPY [", Uncommon),
        ("COPY a", Uncommon),
    ],
)
def test_copies(line, expected):
    if expected is Uncommon:
        with pytest.raises(Uncommon):
            read(line)
    else:
        assert read(line).steps == (expected,)


@pytest.mark.parametrize(
    "text",
    [
        'RUN ["/bin/true"]',
        "RUN --mount=type=cache,target=/x true",
        "USER agent\nRUN sudo true",
        "USER 1000:1\nRUN sudo true",
        "ARG A=1",
        "ADD a /b",
        'SHELL ["/bin/bash", "-c"]',
        "VOLUME /data",
        "FROM other",
        "WORKDIR '/a b'",
        "USER $",
        "NONSENSE x",
    ],
)
def test_left_to_others(text):
    with pytest.raises(Uncommon):
        read(text)


@pytest.mark.parametrize("dockerfile", ["ARG V=1\nFROM base:$V\n", "RUN true\n", ""])
def test_a_stage_begins_at_once(dockerfile):
    with pytest.raises(Uncommon):
        assert read("RUN true", dockerfile).steps == ()


def test_a_script_keeps_its_quoting_and_loses_its_comments():
    (step,) = read("RUN echo 'a  b' && \\\n  # why\n  echo \"$X\" \\\n  | cat").steps
    assert isinstance(step, Run)
    assert step.script == "echo 'a  b' &&   echo \"$X\"   | cat"


def test_root_may_use_sudo():
    assert read("RUN sudo true").steps
    assert read("USER root\nRUN sudo true").steps
