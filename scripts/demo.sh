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
    config=demo/${DOMAINS//,/-}.toml name=demo-${DOMAINS//,/-}
    [ -f "$config" ] || config=demo/domains.toml
fi
code=0
.venv/bin/envwheel run "$config" --domains "${DOMAINS:-swe}" --out "runs/$name" --resume || code=$?
stage "two rounds"
case $code in
0) next="The pool: runs/$name/environments. Next: .venv/bin/envwheel show runs/$name/environments/*" ;;
1) next="All was too hard for so small a model; the shelf: runs/$name/candidates. Next: .venv/bin/envwheel run --domains $DOMAINS --solver simulated" ;;
*) exit "$code" ;;
esac
printf '\033[1m==> demo: %d s. %s\033[0m\n' $((SECONDS - total)) "$next" >&2
