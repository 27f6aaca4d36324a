# Functions of release.sh. A site folder holds releases/NAME/ (folders) and current, a symbolic link to releases/NAME.

fail() {
    echo "release: $2" >&2
    exit "$1"
}

# valid_name NAME: letters, digits, dot, dash and underscore, beginning with a letter or digit
valid_name() {
    [[ $1 =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ ]]
}

# activate SITE NAME: let current point to the release, without a moment in which there is no current
activate() {
    ln -s -- "releases/$2" "$1/.current.new" && mv -T -- "$1/.current.new" "$1/current"
}

# run_hook SITE NAME: run the release's own check, when it has one, inside the release's folder
run_hook() {
    if [ -f "$1/releases/$2/check.sh" ]; then
        (cd -- "$1/releases/$2" && bash ./check.sh) < /dev/null >&2
    fi
}

# prune SITE KEEP: remove the oldest releases (by the number in .order) but the newest KEEP
prune() {
    local site=$1 keep=$2 path name
    for path in "$site"/releases/*/; do
        name=${path%/}
        name=${name##*/}
        printf '%s\t%s\n' "$(cat -- "$site/releases/$name/.order")" "$name"
    done | sort -k1,1nr | tail -n +"$((keep + 1))" | cut -f2 | while IFS= read -r name; do
        rm -rf -- "$site/releases/$name"
    done
}

# next_order SITE: one more than the highest number in use
next_order() {
    local highest=0 number file
    for file in "$1"/releases/*/.order; do
        if [ -f "$file" ]; then
            number=$(cat -- "$file")
            if [ "$number" -gt "$highest" ]; then
                highest=$number
            fi
        fi
    done
    echo "$((highest + 1))"
}
