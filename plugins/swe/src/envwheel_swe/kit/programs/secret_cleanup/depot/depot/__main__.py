"""The command line: python3 -m depot HOME COMMAND USER ..."""

import os
import sys
from importlib import import_module

from depot.names import Refused, check_user

COMMANDS = {
    "put": "files.put",
    "get": "files.get",
    "unpack": "files.unpack",
    "count": "files.count",
    "note": "notes.note",
    "search": "notes.search",
    "set": "settings.set_value",
    "settings": "settings.show",
    "token": "tokens.token",
    "whose": "tokens.whose",
}


def main(home, command, *arguments):
    """Run one command; gives the exit status."""
    os.makedirs(home, exist_ok=True)
    try:
        if command != "whose":
            check_user(arguments[0])
        module, _, function = COMMANDS[command].partition(".")
        getattr(import_module(f"depot.{module}"), function)(home, *arguments)
    except Refused as refused:
        print(f"refused: {refused}".replace("\n", " "), file=sys.stderr)
        return 3
    except FileNotFoundError as error:
        print(f"not there: {error.filename}".replace("\n", " "), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
