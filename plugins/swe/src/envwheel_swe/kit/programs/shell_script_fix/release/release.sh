#!/bin/bash
# release.sh SITE NAME SOURCE [KEEP]: publish the folder SOURCE as release NAME of SITE. See README.md.
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
. "$here/lib.sh"

if [ "$#" -lt 3 ] || [ "$#" -gt 4 ]; then
    fail 2 "usage: release.sh SITE NAME SOURCE [KEEP]"
fi
site=$(realpath -m -- "$1")
name=$2
source=$(realpath -m -- "$3")
keep=${4-3}
valid_name "$name" || fail 2 "bad name"
[[ $keep =~ ^[1-9][0-9]*$ ]] || fail 2 "bad number"
[ -d "$source" ] || fail 2 "no such folder"
mkdir -p -- "$site/releases"

exec 9> "$site/.lock"
flock -n 9 || fail 75 "another release is running"
[ ! -e "$site/releases/$name" ] || fail 4 "release exists"

cleanup() {
    rm -rf -- "$site/releases/$name"
}
trap cleanup EXIT
order=$(next_order "$site")
cp -a -- "$source/." "$site/releases/$name"
echo "$order" > "$site/releases/$name/.order"
if ! run_hook "$site" "$name" 9>&-; then
    fail 5 "check failed"
fi
activate "$site" "$name"
trap - EXIT
prune "$site" "$keep"
echo "$name"
