#!/usr/bin/env bash
# Everything that `make demo` and `make test` need on a bare Debian 12 or Ubuntu machine. Idempotent; seconds when done.
#
#   scripts/setup.sh        .venv with envwheel, its domains and models; an engine that works; the base image
#   scripts/setup.sh dev    the same, and what the tests and checks need: both engines
#
# DOMAINS (default: swe) names the domains, with commas between, whose images are made now; others when first used.
set -euo pipefail
cd "$(dirname "$0")/.."
want=${1:-run}

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }

# need "what for" PACKAGE...: install Debian packages as root, else print the line and stop.
need() {
    local why=$1
    shift
    local line="apt-get update && apt-get install -y --no-install-recommends $*"
    if ! command -v apt-get >/dev/null; then
        say "$why is missing, and this is no Debian or Ubuntu. Install by hand what these packages hold: $*"
        exit 2
    fi
    if [ "$(id -u)" != 0 ]; then
        say "$why is missing. Run this, then try again:"
        echo "    sudo sh -c '$line'" >&2
        exit 2
    fi
    say "installing $* ($why)"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

python_ready() {
    PYTHON=$(command -v python3.13 python3.12 python3.11 python3 | while read -r python; do
        if "$python" -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$python"
            break
        fi
    done)
    [ -n "$PYTHON" ]
}

venv() {
    local stamp
    stamp=.venv/.envwheel-$want-$(cat pyproject.toml hatch_build.py plugins/*/pyproject.toml | sha256sum | cut -c1-12)
    [ -e "$stamp" ] && return
    python_ready || need "Python 3.11 or newer with venv" python3 python3-venv
    python_ready || { say "this system's Python is older than 3.11; put a newer python3 on the PATH"; exit 2; }
    [ -x .venv/bin/python ] || "$PYTHON" -m venv .venv
    say "installing envwheel into .venv"
    .venv/bin/python -m pip install -q --disable-pip-version-check --upgrade 'pip>=25.1'
    local group=()
    [ "$want" = dev ] && group=(--group dev)
    .venv/bin/python -m pip install -q --disable-pip-version-check "${group[@]}" --group run -e . \
        $(for plugin in plugins/*/; do echo "-e ./$plugin"; done)
    touch "$stamp"
    [ "$want" = dev ] && touch "${stamp/-dev-/-run-}" || true
}

engine_answers() { .venv/bin/python -c 'import docker; docker.from_env(timeout=10).ping()' 2>/dev/null; }

start_engine() {
    say "starting the Docker daemon"
    if [ -d /run/systemd/system ]; then
        systemctl start docker
    else
        pidof dockerd >/dev/null || rm -f /var/run/docker.pid  # of a daemon that was killed; its number may be taken
        # A third of the daemon's work is its short-lived helpers collecting garbage that ends with them.
        GOGC=400 setsid nohup dockerd </dev/null >/var/log/dockerd.log 2>&1 &
    fi
    for _ in $(seq 60); do
        engine_answers && return
        sleep 1
    done
    say "the Docker daemon does not answer after 60 s; its log: /var/log/dockerd.log or journalctl -u docker"
    exit 2
}

# The engine without a daemon: lighter to install. An ordinary user's boxes have users of their own with uidmap.
namespace_engine() {
    local all="buildah bwrap slirp4netns" packages="buildah bubblewrap slirp4netns" program
    if [ "$(id -u)" != 0 ]; then
        all="$all mmdebstrap newuidmap" packages="$packages mmdebstrap debian-archive-keyring uidmap"
    fi
    for program in $all; do
        # shellcheck disable=SC2086
        command -v "$program" >/dev/null || need "an engine without a daemon" $packages
    done
}

engine() {
    [ "$want" = dev ] && [ "$(id -u)" = 0 ] && namespace_engine
    engine_answers && return
    if [ "$(id -u)" != 0 ]; then
        say "no Docker daemon answers this user: the engine namespace is taken (envwheel doctor tells what it lacks)"
        namespace_engine
        return
    fi
    if ! command -v dockerd >/dev/null; then
        if [ "$want" != dev ]; then
            namespace_engine
            return
        fi
        need "a container engine" docker.io iptables
        engine_answers && return
    fi
    start_engine
}

# Base images and the embedded model. Where a registry answers, or the image is there, mmdebstrap is not needed.
ready() {
    command -v mmdebstrap >/dev/null || [ "$(id -u)" != 0 ] || need "the maker of the base image" mmdebstrap debian-archive-keyring
    .venv/bin/envwheel doctor --prepare --domains "${DOMAINS:-swe}" >/dev/null
}

clock() {
    ls /usr/lib/*/faketime/libfaketime.so.1 >/dev/null 2>&1 || [ "$(id -u)" != 0 ] || need "the shifted clock of the gate" libfaketime
}

venv
engine
clock
ready
