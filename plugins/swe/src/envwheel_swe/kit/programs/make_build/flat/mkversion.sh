# Prints the header with the version that the file $1 holds.
printf '#define VERSION '
printf '"%s"\n' "$(cat "$1")"
