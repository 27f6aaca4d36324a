"""What is wrong with the scripts of `shell_script_fix`: one table a script."""

from __future__ import annotations

from envwheel_swe.repair import Fault

S = "count_files.sh"
COUNT = (
    Fault("missing_fi", S, "    exit 2\nfi\n", "    exit 2\n", half="    exit 0\nfi\n"),
    Fault(
        "misspelt_variable",
        S,
        'for path in "$folder"/',
        'for path in "$foldr"/',
        half='for path in "$PWD"/',
        other='for path in "$1"/',
    ),
    Fault(
        "missing_blank",
        S,
        'if [ "$#" -ne 1 ]; then',
        'if ["$#" -ne 1 ]; then',
        half='if [ "$#" -ne 2 ]; then',
        other="if (($# != 1)); then",
    ),
    Fault(
        "misspelt_command",
        S,
        'echo "$count"\n',
        'ehco "$count"\n',
        half='echo "count"\n',
        other="printf '%s\\n' \"$count\"\n",
    ),
    Fault("wrong_pattern", S, "/*.zzext; do", "/*.zzex; do", half="/*zzext; do"),
    Fault("blank_in_assignment", S, "count=0\n", "count =0\n", half="count=1\n"),
)

S = "collect.sh"
COLLECT = (
    Fault(
        "unquoted_copy",
        S,
        'cp -- "$path" "$target/$name" ||',
        "cp $path $target/$name ||",
        "files with blanks in their names make it stop",
        half='cp "$path" "$target/$name" ||',
    ),
    Fault(
        "words_of_ls",
        S,
        'for path in "$source"/*.zzext; do',
        "for path in $(ls -d $source/*.zzext); do",
        "files with blanks in their names are not copied",
        half="for path in $source/*.zzext; do",
    ),
    Fault(
        "hidden_files",
        S,
        "shopt -s nullglob dotglob\n",
        "",
        "files whose names begin with a dot are not copied",
        half="shopt -s nullglob globstar\n",
    ),
    Fault(
        "unquoted_test",
        S,
        'if [ -e "$target/$name" ]; then',
        "if [ -e $target/$name ]; then",
        "files that the target already has get overwritten when their names hold a blank",
        half='if [ -s "$target/$name" ]; then',
    ),
    Fault(
        "target_folder",
        S,
        'mkdir -p -- "$target" ||',
        "mkdir -p $target ||",
        "a target folder with a blank in its name is not made",
        half='mkdir -p "$target" ||',
    ),
)

S = "tidy_names.sh"
RENAME = (
    Fault(
        "trimmed_names",
        S,
        "while IFS= read -r -d '' path; do",
        "while read -d '' path; do",
        "names that end in a blank, or hold a backslash, make mv fail",
        half="while read -r -d '' path; do",
    ),
    Fault(
        "lost_newline",
        S,
        "tidy=$(printf '%s.' \"$name\" | LC_ALL=C tr 'A-Z \\t\\n' 'a-z___')\n    tidy=${tidy%.}\n",
        "tidy=$(echo $name | LC_ALL=C tr 'A-Z ' 'a-z_')\n",
        "two blanks in a row become one `_`, and tabs and newlines are not replaced",
        half="tidy=$(echo \"$name\" | LC_ALL=C tr 'A-Z \\t' 'a-z__')\n",
    ),
    Fault(
        "status_of_test",
        S,
        'if [ "$skipped" -gt 0 ]; then\n    exit 3\nfi\n',
        '[ "$skipped" -gt 0 ] && exit 3\n',
        "the exit status is 1 although nothing went wrong",
        half='exit "$skipped"\n',
        other='[ "$skipped" -eq 0 ] || exit 3\n',
    ),
    Fault(
        "overwrites",
        S,
        'if [ -e "$folder/$tidy" ] || [ -L "$folder/$tidy" ]; then',
        "if [ -e $folder/$tidy ]; then",
        "files vanish when two names become the same and a folder has a blank in its name",
        half='if [ -f "$folder/$tidy" ] && [ ! -L "$folder/$tidy" ]; then',
    ),
    Fault(
        "unquoted_basename",
        S,
        "name=${path##*/}\n",
        "name=$(basename $path)\n",
        "names with blanks are cut or left alone",
        half='name=$(basename "$path")\n',
    ),
    Fault(
        "here_string",
        S,
        'done < <(find "$root" -type f -print0 | LC_ALL=C sort -z)',
        'done <<< "$(find "$root" -type f)"',
        "it renames nothing at all",
        half="done < <(find $root -type f -print0 | LC_ALL=C sort -z)",
    ),
)

S = "with_lock.sh"
LOCK = (
    Fault(
        "joined_arguments",
        S,
        '"$@" <&0 &\n',
        "$* <&0 &\n",
        "arguments with blanks arrive in pieces",
        half="$@ <&0 &\n",
        other='command -- "$@" <&0 &\n',
    ),
    Fault(
        "lost_input",
        S,
        '"$@" <&0 &\n',
        '"$@" &\n',
        "commands that read standard input see nothing",
        half='"$@" < <(sed -n 1p) &\n',
        other='exec 3<&0\n"$@" <&3 3<&- &\n',
    ),
    Fault(
        "lost_status",
        S,
        "status=$?\nrelease\n",
        "release\nstatus=$?\n",
        "a failing job looks like a good one",
        half="[ $? -eq 0 ]\nstatus=$?\nrelease\n",
    ),
    Fault(
        "never_locked",
        S,
        'if ! mkdir -- "$lock" 2>/dev/null; then',
        'if ! mkdir -p -- "$lock" 2>/dev/null; then',
        "two jobs ran at the same time",
        half='if [ -e "$lock/owner" ] || ! mkdir -p -- "$lock" 2>/dev/null; then',
    ),
    Fault(
        "orphaned_job",
        S,
        "trap stop TERM INT\necho",
        "trap 'release; exit 143' TERM INT\necho",
        "after a stop of the script its job goes on without a lock",
        half="trap 'kill -TERM \"$child\"; release; exit 143' TERM INT\necho",
    ),
    Fault(
        "foreign_lock",
        S,
        "lock=$1\nshift\n",
        "lock=$1\nshift\ntrap release EXIT\n",
        "a second start, which rightly says locked, opens the way for a third one",
        half="lock=$1\nshift\ntrap '[ -e \"$lock/owner\" ] && release' EXIT\n",
    ),
    Fault(
        "lock_stays",
        S,
        '    rm -rf -- "$lock"\n',
        '    rmdir "$lock" 2>/dev/null\n',
        "the lock is never given back",
        half='    rm -f "$lock/owner" && rmdir "$lock"\n',
        other='    rm -f -- "$lock/owner"\n    rmdir -- "$lock"\n',
    ),
    Fault(
        "wrong_stop_status",
        S,
        "    release\n    exit 143\n",
        "    release\n    exit\n",
        "a stopped job is reported as a success",
        half="    release\n    kill -KILL $$\n",
    ),
)

L, R = "lib.sh", "release.sh"
RELEASE = (
    Fault(
        "link_into_release",
        L,
        'ln -s -- "releases/$2" "$1/.current.new" && mv -T -- "$1/.current.new" "$1/current"',
        'ln -sf -- "releases/$2" "$1/current"',
        half='ln -sfn -- "$1/releases/$2" "$1/current"',
    ),
    Fault(
        "loose_name",
        L,
        "[[ $1 =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ ]]",
        "[[ $1 =~ [A-Za-z0-9._-]+ ]]",
        half="[[ $1 =~ ^[A-Za-z0-9._-]+$ ]]",
        other="[[ $1 == [A-Za-z0-9]* && $1 != *[^A-Za-z0-9._-]* ]]",
    ),
    Fault(
        "noisy_check",
        L,
        "bash ./check.sh) < /dev/null >&2",
        "bash ./check.sh)",
        half="bash ./check.sh) < /dev/null > /dev/null",
    ),
    Fault(
        "inherited_lock",
        R,
        'if ! run_hook "$site" "$name" 9>&-; then',
        'if ! run_hook "$site" "$name"; then',
        half='if ! run_hook "$site" "$name" < /dev/null; then',
    ),
    Fault("waits_for_lock", R, "flock -n 9 || fail 75", "flock 9 || fail 75", half="flock -n 9 || fail 1"),
    Fault(
        "hidden_files",
        R,
        'cp -a -- "$source/." "$site/releases/$name"',
        'mkdir -- "$site/releases/$name"\ncp -a -- "$source"/* "$site/releases/$name"',
        half='mkdir -- "$site/releases/$name"\nshopt -s dotglob\ncp -a -- "$source"/* "$site/releases/$name"',
        other='mkdir -- "$site/releases/$name"\ncp -a -T -- "$source" "$site/releases/$name"',
    ),
    Fault(
        "trap_left",
        R,
        "trap - EXIT\nprune",
        "prune",
        half='trap "rm -rf -- $site/releases/$name/.order" EXIT\nprune',
        other="cleanup() {\n    :\n}\nprune",
    ),
    Fault(
        "deletes_existing",
        R,
        '[ ! -e "$site/releases/$name" ] || fail 4 "release exists"\n\ncleanup() {\n'
        '    rm -rf -- "$site/releases/$name"\n}\n'
        "trap cleanup EXIT\n",
        'cleanup() {\n    rm -rf -- "$site/releases/$name"\n}\ntrap cleanup EXIT\n'
        '[ ! -e "$site/releases/$name" ] || fail 4 "release exists"\n',
        half='cleanup() {\n    [ -L "$site/current" ] || rm -rf -- "$site/releases/$name"\n}\ntrap cleanup EXIT\n'
        '[ ! -e "$site/releases/$name" ] || fail 4 "release exists"\n',
    ),
    Fault(
        "sorted_as_text", L, "sort -k1,1nr |", "sort -r |", half="sort -k1,1r |", other="sort -t $'\\t' -k1,1 -n -r |"
    ),
    Fault(
        "compared_as_text",
        L,
        'if [ "$number" -gt "$highest" ]; then',
        "if [[ $number > $highest ]]; then",
        half='if [ -n "$number" ]; then',
        other="if ((number > highest)); then",
    ),
)
