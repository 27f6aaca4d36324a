#!/bin/bash
# count_files.sh FOLDER: print how many regular files in FOLDER (not below it) end in .zzext
set -u
if [ "$#" -ne 1 ]; then
    echo "usage: count_files.sh FOLDER" >&2
    exit 2
fi
folder=$1
count=0
for path in "$folder"/*.zzext; do
    if [ -f "$path" ]; then
        count=$((count + 1))
    fi
done
echo "$count"
