# Checks the program $1; ends with 1 when it is wrong.
if [ "$(echo 1 2 3 | "$1" | grep mean | cut -d' ' -f2)" = 2.00 ]; then
    echo checked
else
    echo wrong mean
    exit 1
fi
