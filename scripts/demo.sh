#!/usr/bin/env bash
# The main job on this machine: two rounds of the flywheel with a real language model, from nothing to an admitted pool.
# DOMAINS names other domains than swe, with commas between: make demo DOMAINS=swe,office
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
stage() { printf '\033[1m==> %s: %d s\033[0m\n' "$1" $((SECONDS - start)) >&2; start=$SECONDS; }
total=$SECONDS

scripts/setup.sh
stage "set-up"
config=demo/envwheel.toml name=demo
if [ "${DOMAINS:-swe}" != swe ]; then
    # The embedded model learns one-command work of families named in the file; other domains have families of their own.
    config=demo/domains.toml name=demo-${DOMAINS//,/-}
fi
.venv/bin/envwheel run "$config" --domains "${DOMAINS:-swe}" --out "runs/$name" --resume
stage "two rounds"
printf '\033[1m==> demo: %d s. The pool: runs/%s/environments. Next: .venv/bin/envwheel show runs/%s/environments/*\033[0m\n' \
    $((SECONDS - total)) "$name" "$name" >&2
