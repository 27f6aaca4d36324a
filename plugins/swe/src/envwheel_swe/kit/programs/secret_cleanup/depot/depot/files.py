"""The files of a user."""

import io
import os
import sys

from depot.names import Refused, path_of


def write(path, data):
    """Write a file, and make the folders above it."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, 0o644)


def put(home, user, name):
    """Standard input becomes a file."""
    path = path_of(home, user, name)
    write(path, sys.stdin.buffer.read())


def get(home, user, name):
    """Print a file."""
    with open(path_of(home, user, name), "rb") as file:
        sys.stdout.buffer.write(file.read())


def unpack(home, user):
    """A tar archive on standard input becomes files."""
    import tarfile  # takes a while to load

    with tarfile.open(fileobj=io.BytesIO(sys.stdin.buffer.read())) as archive:
        wanted = []
        for member in archive.getmembers():
            if not member.isfile() and not member.isdir():
                raise Refused(f"{member.name!r} is neither a file nor a folder")
            if os.path.normpath(member.name) != ".":
                wanted.append((path_of(home, user, member.name), member))
        for path, member in wanted:
            if member.isdir():
                os.makedirs(path, exist_ok=True)
            else:
                write(path, archive.extractfile(member).read())


def count(home, user, name, text):
    """Print the number of lines of a file that hold a text."""
    import subprocess

    path = path_of(home, user, name)
    if not os.path.isfile(path):
        raise FileNotFoundError(2, "no such file", name)
    found = subprocess.run(["grep", "-a", "-c", "-F", "-e", text, "--", path], stdout=subprocess.PIPE)
    sys.stdout.write(found.stdout.decode())
