"""A box's users, looked up in its own files as the C library would: by name or number, with an optional group."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Account:
    """Who a process runs as."""

    uid: int
    gid: int
    groups: tuple[int, ...]
    home: str


def account(name: str, passwd: str, group: str) -> Account:
    """The account for `user`, `user:group` or numbers, from the text of /etc/passwd and /etc/group.

    Raises LookupError with a sentence for one that is not there.
    """
    user, _, wanted = name.partition(":")
    lines = [line.split(":") for line in passwd.splitlines() if line.count(":") == 6]
    found = next((line for line in lines if line[0] == user), None) or next(
        (line for line in lines if line[2] == user), None
    )
    if found is None and not user.isdigit():
        raise LookupError(f"there is no user {user!r}")
    uid, gid = (int(found[2]), int(found[3])) if found else (int(user), 0)
    sets = [line.split(":") for line in group.splitlines() if line.count(":") == 3]
    if wanted:
        gid = _group(wanted, sets)
        return Account(uid, gid, (gid,), found[5] if found else "/")
    login = found[0] if found else ""
    more = {int(line[2]) for line in sets if login and login in line[3].split(",") and line[2].isdigit()}
    return Account(uid, gid, tuple(sorted({gid, *more})), (found[5] if found else "") or "/")


def _group(wanted: str, sets: list[list[str]]) -> int:
    for line in sets:
        if line[0] == wanted and line[2].isdigit():
            return int(line[2])
    if not wanted.isdigit():
        raise LookupError(f"there is no group {wanted!r}")
    return int(wanted)
