#!/bin/bash
# collect.sh SOURCE TARGET: copy every regular *.zzext file that lies in SOURCE (not below it) to TARGET.
# TARGET is made when it is not there. Files that TARGET has already are left as they are.
# Prints "copied N, kept M" and exits with 0; exits with 2 and a message when SOURCE is no folder.
set -u
if [ "$#" -ne 2 ] || [ ! -d "$1" ]; then
    echo "usage: collect.sh SOURCE TARGET" >&2
    exit 2
fi
source=$1
target=$2
mkdir -p -- "$target" || exit 1
copied=0
kept=0
shopt -s nullglob dotglob
for path in "$source"/*.zzext; do
    [ -f "$path" ] && [ ! -L "$path" ] || continue
    name=${path##*/}
    if [ -e "$target/$name" ]; then
        kept=$((kept + 1))
    else
        cp -- "$path" "$target/$name" || exit 1
        copied=$((copied + 1))
    fi
done
echo "copied $copied, kept $kept"
