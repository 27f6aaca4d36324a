#!/bin/bash
# with_lock.sh LOCK COMMAND [ARGUMENT...]: run COMMAND while holding LOCK.
#
# LOCK is a folder: it is made to take the lock and removed to give it back, and holds a file "owner" with the process
# id of this script and a newline. Only one holder at a time.
# - LOCK is held by another: prints "locked" on standard error, exits with 75, and leaves LOCK as it is.
# - Otherwise the exit status is the one of COMMAND, and LOCK is gone afterwards, however COMMAND ended.
# - SIGTERM or SIGINT to this script: COMMAND gets SIGTERM, is waited for, LOCK is removed, the exit status is 143.
# - COMMAND sees its own arguments unchanged, standard input and the environment; nothing else is printed.
set -u
if [ "$#" -lt 2 ]; then
    echo "usage: with_lock.sh LOCK COMMAND [ARGUMENT...]" >&2
    exit 2
fi
lock=$1
shift
child=

stop() {
    trap '' TERM INT
    if [ -n "$child" ]; then
        kill -TERM "$child" 2>/dev/null
        wait "$child"
    fi
    release
    exit 143
}

release() {
    rm -rf -- "$lock"
}

if ! mkdir -- "$lock" 2>/dev/null; then
    echo "locked" >&2
    exit 75
fi
trap stop TERM INT
echo "$$" > "$lock/owner"
"$@" <&0 &
child=$!
wait "$child"
status=$?
release
exit "$status"
