"""Settings, a JSON file for each user."""

import json
import os

from depot.names import Refused


def file_of(home, user):
    """Where the settings of a user lie."""
    os.makedirs(os.path.join(home, "settings"), exist_ok=True)
    return os.path.join(home, "settings", user + ".json")


def load(home, user):
    """The settings; none when the file is not there or holds something else."""
    try:
        with open(file_of(home, user), "rb") as file:
            values = json.loads(file.read())
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def set_value(home, user, key, value):
    """Set one of them."""
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        raise Refused("the value is no JSON") from None
    values = {**load(home, user), key: parsed}
    with open(file_of(home, user), "w", encoding="utf-8") as file:
        json.dump(values, file)


def show(home, user):
    """Print them."""
    print(json.dumps(load(home, user), sort_keys=True))
