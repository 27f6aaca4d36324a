"""One Dockerfile makes the same image on every engine: files, owners, modes, what its boxes start with, its layers."""

import pytest

from envwheel.errors import BuildFailed
from envwheel.sandbox.base import BoxLimits, BoxSpec
from envwheel.sandbox.engines import open_engine
from envwheel.sandbox.namespace.build_plan import plan
from envwheel.sandbox.namespace.engine import missing, not_here

pytestmark = pytest.mark.e2e

BASE = "envwheel/base:bookworm"
SMALL = BoxLimits(cpus=1.0, memory_mb=256, disk_mb=256, processes=64)

LISTING = r"""
find /app /srv /opt/new /var/tmp /usr/bin/put -mindepth 0 -printf '%p %y %m %U:%G %s %n %l\n' 2>/dev/null |
    grep -v ' d [0-7]* [0-9:]* ' | sort
find /app /srv /opt/new /var/tmp -type d -printf '%p %y %m %U:%G\n' 2>/dev/null | sort
find /app /srv /opt/new /var/tmp -type f -exec sha256sum {} + 2>/dev/null | sort
id -un; pwd; env | grep -v '^HOSTNAME=' | grep -v '^_=' | sort
"""
FILES = {
    "a.txt": "a\n",
    "b.sh": "#!/bin/sh\necho b\n",
    "tree/x": "x\n",
    "tree/deep/er/y": "y\n",
    "more/x": "other\n",
}


def sections(text):
    """`=== NAME` and the lines up to the next."""
    parts = (part.partition("\n") for part in text.split("=== ")[1:])
    return {name: lines for name, _, lines in parts}


DOCKERFILES = sections(
    r"""
=== workdir
WORKDIR /srv/one
WORKDIR two
RUN pwd > here
WORKDIR /srv/last/of/all
=== environment
ENV A=1 B="two words" C=$A
ENV C=${A}3 D='it is' PATH=/opt/new:$PATH
RUN env | grep "^[ABCDP]" | sort > /srv/env
=== copy_file
COPY a.txt /srv/
COPY a.txt /srv/renamed
COPY a.txt /srv/new/place/
COPY a.txt b.sh /srv/both/
=== copy_into_a_folder_that_is_there
RUN mkdir -m 700 /srv/d && chown agent /srv/d
COPY a.txt /srv/d
COPY tree /srv/d
=== copy_over
COPY tree /srv/t
COPY more /srv/t
COPY more/x /srv/t/deep/er/y
=== copy_relative
WORKDIR /srv/w
COPY a.txt .
COPY b.sh ./sub/
COPY ./tree/deep/ up/
RUN cp a.txt copy.txt
=== copy_all
WORKDIR /srv/all
COPY . .
RUN rm Dockerfile
=== copy_json
COPY ["a.txt", "b.sh", "/srv/j/"]
=== copy_for_a_user
COPY --chown=agent tree /srv/mine/t
COPY --chown=12:34 a.txt /srv/theirs/own/
COPY --chown=agent:0 b.sh /srv/b.sh
=== copy_through_a_link
RUN mkdir /srv/real && ln -s real /srv/link && ln -s /srv/real /srv/absolute
COPY a.txt /srv/link/
COPY tree /srv/absolute
COPY b.sh /bin/put
=== a_later_layer_deletes
COPY tree /srv/t
RUN rm /srv/t/x
RUN rm -r /srv/t && mkdir /srv/t && echo z > /srv/t/z
=== modes_and_links
RUN touch /srv/f && chmod 2755 /srv/f && ln /srv/f /srv/g && ln -s f /srv/h && mkfifo /srv/p
RUN chown agent:agent /srv/f && mv /srv/g /srv/moved && umask > /srv/umask
=== as_a_user
USER agent
RUN id > /var/tmp/id; echo $HOME >> /var/tmp/id; touch /srv/no 2>/dev/null; true
WORKDIR /srv/made
=== numbers_for_users
USER 1234
RUN id -u > /var/tmp/id
USER 1234:77
RUN id > /var/tmp/id2
=== shell_words
RUN set -e; for i in 1 2; do \
      # a comment
      echo "$i $0" >> /srv/f; \
    done && test ! -t 0 && echo 'a  b' \\ >> /srv/f
=== names_are_not_kept
RUN echo 1.2.3.4 x >> /etc/hosts; echo kept > /etc/kept
RUN cp /etc/kept /srv/; grep -c 1.2.3.4 /etc/hosts > /srv/count; true
=== nothing_stays_alive
RUN (sleep 300; touch /srv/late) & echo started > /srv/f
=== rights
RUN apt-get --version > /dev/null && useradd -m extra && su extra -c 'id -un' > /srv/who && rm -f /var/log/*log
=== what_buildah_knows
ARG WHO=me
RUN echo $WHO > /srv/who
COPY *.txt /srv/
ADD tree /srv/t
SHELL ["/bin/bash", "-c"]
RUN [[ a == a ]] && echo $0 > /srv/shell
"""
)
FAILING = {
    "exit_code": ("RUN echo why >&2; exit 7", "non-zero code: 7"),
    "killed": ("RUN sh -c 'kill -9 $$'", "non-zero code: 137"),
    "no_such_user": ("USER nosuch\nRUN true", "nosuch"),
    "no_such_file": ("COPY nosuch /srv/", "nosuch"),
    "no_such_owner": ("COPY --chown=nosuch a.txt /srv/", "nosuch"),
    "no_shell": ("RUN rm -f /bin/sh /bin/bash /usr/bin/sh /usr/bin/bash /bin/dash /usr/bin/dash\nRUN true", ""),
}


@pytest.fixture(scope="module")
def engines():
    if missing() or not_here():
        pytest.skip(missing() or not_here())
    opened = [open_engine(name) for name in ("docker", "namespace")]
    yield opened
    for engine in opened:
        engine.close()


@pytest.fixture
def context(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "b.sh").chmod(0o755)
    (tmp_path / "tree" / "link").symlink_to("x")
    return tmp_path


def seen(engine, context):
    """What a box of the image shows, and its layers without what engines put at the foot of each."""
    image = engine.build(context, timeout_s=120.0, network=False)
    try:
        with engine.start(BoxSpec(image.id, "work", limits=SMALL, lifetime_s=120.0)) as box:
            shown = box.shell().run(LISTING).output
        return shown.splitlines(), sorted((one.path, one.visible) for one in engine.image_files(image))
    finally:
        engine.remove(image)


@pytest.mark.parametrize("name", DOCKERFILES)
def test_a_dockerfile_means_the_same(engines, context, name):
    (context / "Dockerfile").write_text(f"FROM {BASE}\n{DOCKERFILES[name]}\n")
    first, *others = [seen(engine, context) for engine in engines]
    assert first[0][0]
    for other in others:
        assert other == first


@pytest.mark.parametrize("name", FAILING)
def test_a_build_fails_for_the_same_reason(engines, context, name):
    text, words = FAILING[name]
    (context / "Dockerfile").write_text(f"FROM {BASE}\n{text}\n")
    for engine in engines:
        with pytest.raises(BuildFailed) as failed:
            engine.build(context, timeout_s=120.0, network=False)
        assert words in f"{failed.value} {failed.value.log_tail}"


@pytest.mark.parametrize("name", [name for name in DOCKERFILES if name != "what_buildah_knows"])
def test_the_common_kind_needs_no_buildah(name):
    assert plan(f"FROM {BASE}\n{DOCKERFILES[name]}", user="", workdir="/app", env={}, unused=()).steps
