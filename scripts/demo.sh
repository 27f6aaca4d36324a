#!/usr/bin/env bash
# The main job on this machine: two rounds of the flywheel with a real language model, from nothing to an admitted pool.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
stage() { printf '\033[1m==> %s: %d s\033[0m\n' "$1" $((SECONDS - start)) >&2; start=$SECONDS; }
total=$SECONDS

scripts/setup.sh
stage "set-up"
.venv/bin/envwheel run demo/envwheel.toml --resume
stage "two rounds"
printf '\033[1m==> demo: %d s. The pool: runs/demo/environments. Next: .venv/bin/envwheel show runs/demo/environments/*\033[0m\n' \
    $((SECONDS - total)) >&2
