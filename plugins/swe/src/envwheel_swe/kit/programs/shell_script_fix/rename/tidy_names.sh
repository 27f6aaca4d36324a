#!/bin/bash
# tidy_names.sh FOLDER: rename every regular file below FOLDER so that its name (not its folders' names) has
# lower-case ASCII letters only and "_" for each blank, tab and newline.
#
# When the new name is taken, the file keeps its old one and counts as skipped. Prints "renamed N, skipped M" at the
# end. Exit status: 0; 3 when at least one file was skipped; 2 when FOLDER is no folder. A failing mv gives 1.
set -u
if [ "$#" -ne 1 ] || [ ! -d "$1" ]; then
    echo "usage: tidy_names.sh FOLDER" >&2
    exit 2
fi
root=$1
case $root in
    /*) ;;
    *) root=./$root ;;
esac
renamed=0
skipped=0
while IFS= read -r -d '' path; do
    folder=${path%/*}
    name=${path##*/}
    tidy=$(printf '%s.' "$name" | LC_ALL=C tr 'A-Z \t\n' 'a-z___')
    tidy=${tidy%.}
    if [ "$tidy" = "$name" ]; then
        continue
    fi
    if [ -e "$folder/$tidy" ] || [ -L "$folder/$tidy" ]; then
        skipped=$((skipped + 1))
    else
        mv -- "$path" "$folder/$tidy" || exit 1
        renamed=$((renamed + 1))
    fi
done < <(find "$root" -type f -print0 | LC_ALL=C sort -z)
echo "renamed $renamed, skipped $skipped"
if [ "$skipped" -gt 0 ]; then
    exit 3
fi
