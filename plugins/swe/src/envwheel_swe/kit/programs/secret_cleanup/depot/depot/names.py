"""Names of users and of their files, and where they lead."""

import os
import re


class Refused(Exception):
    """The command is not done; the text says why."""


def check_user(user):
    """Refuse what is no name of a user."""
    if not re.fullmatch(r"[a-z0-9]{1,20}", user):
        raise Refused(f"{user!r} is no user")


def folder_of(home, user):
    """The folder of the user's files."""
    folder = os.path.join(home, "files", user)
    os.makedirs(folder, exist_ok=True)
    return folder


def path_of(home, user, name):
    """Where the file `name` of the user really lies. Refuses a name that leads out of the user's folder."""
    folder = os.path.realpath(folder_of(home, user))
    path = os.path.realpath(os.path.join(folder, name))
    if not path.startswith(folder + os.sep):
        raise Refused(f"{name!r} leads out of the folder")
    return path
