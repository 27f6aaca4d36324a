"""Tokens that say who somebody is."""

import hashlib
import hmac
import os

from depot.names import Refused


def key_of(home):
    """The key of this HOME, made when it is not there."""
    path = os.path.join(home, "key")
    if not os.path.exists(path):
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(fd, "wb") as file:
            file.write(os.urandom(32))
    with open(path, "rb") as file:
        return file.read()


def sign(home, user):
    """The signature of a user's name."""
    return hmac.new(key_of(home), user.encode(), hashlib.sha256).hexdigest()


def token(home, user):
    """Print a token."""
    print(f"{user}:{sign(home, user)}")


def whose(home, text):
    """Print the user of a token."""
    user, _, signature = text.partition(":")
    if not hmac.compare_digest(sign(home, user).encode(), signature.encode()):
        raise Refused("this token is not ours")
    print(user)
