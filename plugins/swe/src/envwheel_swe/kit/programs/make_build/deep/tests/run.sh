# Tests the program $1; ends with 1 when it is wrong.
if [ "$(printf '2 kWh\n1 Wh\n3 x\n' | "$1" | tr '\n' ' ')" = "total 2001.0 unknown 1 " ]; then
    echo passed
else
    echo failed
    exit 1
fi
