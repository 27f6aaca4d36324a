"""The configuration: a JSON file, with PORT and DATA of the environment before it."""

import json
import os


class WrongSettings(ValueError):
    """The configuration cannot be used; the text says why."""


class Settings:
    """What is in force. `load` puts a new configuration in force, all of it or nothing."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.load()

    def load(self):
        """Read the file again. Raises WrongSettings."""
        values = self.read()
        port = number(os.environ.get("PORT") or values["port"], "port")
        max_body = number(values["max_body"], "max_body")
        prefix = values["prefix"]
        if not isinstance(prefix, str) or not prefix.startswith("/") or prefix.endswith("/"):
            raise WrongSettings("prefix must begin with / and not end with one")
        aliases = values["aliases"]
        if not isinstance(aliases, dict) or not all(isinstance(new, str) for new in aliases.values()):
            raise WrongSettings("aliases must be an object of texts")
        if not isinstance(values["data"], str):
            raise WrongSettings("data must be a text")
        data = os.environ.get("DATA") or os.path.join(os.path.dirname(self.path), values["data"])
        self.port, self.data = port, os.path.abspath(data)
        self.prefix, self.max_body, self.aliases = prefix, max_body, aliases

    def read(self):
        """The file as a dictionary that has every key."""
        try:
            with open(self.path, encoding="utf-8") as file:
                values = json.load(file)
        except (OSError, ValueError, RecursionError) as error:
            raise WrongSettings(f"{self.path}: {error}") from None
        if not isinstance(values, dict):
            raise WrongSettings(f"{self.path} is no JSON object")
        for key in ("port", "data", "prefix", "max_body", "aliases"):
            if key not in values:
                raise WrongSettings(f"{key} is missing")
        return values


def number(value, key):
    """`value` as a number that is at least 1."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and key == "port":
        value = int(value)
    if type(value) is not int or value < 1:
        raise WrongSettings(f"{key} must be a number that is at least 1")
    return value
