"""Repositories with a past: bash that makes one, and the ids that its commits will have.

A `Story` is told step by step; each step is a git command at a fixed time by a fixed person, so that ids are the same
on every machine and known here without running git. Reflogs come of the commands themselves.
"""

from __future__ import annotations

import hashlib
import random
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from envwheel_swe import naming

Files = Mapping[str, str]
SETTINGS = """git config user.name {name}
git config user.email {mail}
git config core.checkStat minimal
git config core.trustctime false
git config gc.auto 0
git config gc.reflogExpire never
git config gc.reflogExpireUnreachable never
git config gc.pruneExpire never
"""
"""The agent's identity; files that were copied and handed over do not look changed; and `git gc` takes nothing away."""


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit: its id, its files, and what it was made of."""

    id: str
    files: Files
    parents: tuple[str, ...]
    author: str
    subject: str


def object_id(kind: str, data: bytes) -> str:
    """The id that git gives to an object."""
    return hashlib.sha1(f"{kind} {len(data)}\0".encode() + data, usedforsecurity=False).hexdigest()


def tree_id(files: Files) -> str:
    """The id of a tree of plain, not executable files."""
    entries: dict[bytes, bytes] = {}
    for name in {path.partition("/")[0] for path in files}:
        below = {path.partition("/")[2]: text for path, text in files.items() if path.startswith(name + "/")}
        found = tree_id(below) if below else object_id("blob", files[name].encode())
        mode, key = ("40000", name + "/") if below else ("100644", name)
        entries[key.encode()] = f"{mode} {name}\0".encode() + bytes.fromhex(found)
    return object_id("tree", b"".join(entries[key] for key in sorted(entries)))


class Story:
    """What happened in the repository /app/NAME, on `main` first. `setup` is bash that makes it happen."""

    def __init__(self, name: str, draw: random.Random) -> None:
        self.root = f"/app/{name}"
        self.draw = draw
        self.now = 1_600_000_000 + draw.randrange(40_000_000)
        self.people = [naming.person(draw) for _ in range(3)]
        self.branch = "main"
        self.tips: dict[str, Commit] = {}
        self._who = ""
        self._bash: list[str] = []

    @property
    def setup(self) -> str:
        """Bash that makes the repository, run as root."""
        name, mail = map(shlex.quote, self.people[0])
        start = (
            "set -eu\numask 022\nexport GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null\n"
            f"git init -q -b main --template= {self.root}\ncd {self.root}\n" + SETTINGS.format(name=name, mail=mail)
        )
        return start + "".join(f"{line}\n" for line in self._bash)

    @property
    def head(self) -> Commit:
        """The commit that is checked out."""
        return self.tips[self.branch]

    def run(self, command: str) -> None:
        """Any command, a while later, by one of the people."""
        self.now += self.draw.randrange(600, 90_000)
        name, mail = self.draw.choice(self.people)
        self._who = f"{name} <{mail}> {self.now} +0000"
        date = f"'{self.now} +0000'"
        for role in ("AUTHOR", "COMMITTER"):
            who = f"GIT_{role}_NAME={shlex.quote(name)} GIT_{role}_EMAIL={mail}"
            self._bash.append(f"export {who} GIT_{role}_DATE={date}")
        self._bash.append(command)

    def write(self, changes: Mapping[str, str | None]) -> None:
        """Change files in the working tree (None: delete)."""
        for path, text in changes.items():
            if text is None:
                self._bash.append(f"rm {path}")
            else:
                folder = f"mkdir -p {path.rpartition('/')[0]}\n" if "/" in path else ""
                self._bash.append(f"{folder}cat > {path} <<'END_OF_FILE'\n{text}END_OF_FILE")

    def commit(self, changes: Mapping[str, str | None], message: str, amend: bool = False) -> Commit:
        """Commit changes of files on the present branch; `amend` puts them into its last commit."""
        old = self.tips.get(self.branch)
        files = {path: text for path, text in {**(old.files if old else {}), **changes}.items() if text is not None}
        self.write(changes)
        self._bash.append("git add -A")
        self.run(f"git commit -q {'--amend ' if amend else ''}-m {shlex.quote(message)}")
        author = old.author if amend and old else self._who
        parents = old.parents if amend and old else (old.id,) if old else ()
        lines = [f"tree {tree_id(files)}", *(f"parent {parent}" for parent in parents)]
        text = "\n".join([*lines, f"author {author}", f"committer {self._who}", "", message.rstrip(), ""])
        made = Commit(object_id("commit", text.encode()), files, parents, author, message.partition("\n")[0])
        self.tips[self.branch] = made
        return made

    def fork(self, branch: str, at: Commit) -> None:
        """Make a branch at a commit and check it out."""
        self.run(f"git checkout -q -b {branch} {at.id}")
        self.branch = branch
        self.tips[branch] = at

    def checkout(self, branch: str) -> None:
        """Check out another branch."""
        self.run(f"git checkout -q {branch}")
        self.branch = branch

    def reset(self, to: Commit) -> None:
        """Move the present branch, losing what was there."""
        self.run(f"git reset -q --hard {to.id}")
        self.tips[self.branch] = to

    def forget(self) -> None:
        """Lose all reflogs."""
        self._bash.append("rm -rf .git/logs")

    def delete(self, branch: str) -> None:
        """Delete another branch."""
        self.run(f"git branch -q -D {branch}")
        del self.tips[branch]


class Settings:
    """Files of settings, each long enough that changes at different places do not meet."""

    def __init__(self, draw: random.Random, names: Iterable[str]) -> None:
        self.draw = draw
        self.files = {name: self._fresh() for name in names}

    def _fresh(self) -> str:
        keys = self.draw.sample([f"{a}_{b}" for a in naming.NOUNS for b in ("limit", "size", "days", "rate")], 30)
        return "".join(f"{key} = {self.draw.randint(2, 900)}\n" for key in keys)

    def changed(self, text: str, line: int, by: int = 0) -> str:
        """`text` with the number in one line drawn anew, or changed by `by`."""
        rows = text.splitlines(keepends=True)
        key, _, value = rows[line].partition(" = ")
        number = int(value) + by if by else int(value) + self.draw.randint(1, 90)
        rows[line] = f"{key} = {number}\n"
        return "".join(rows)

    def subject(self, text: str, line: int) -> str:
        """How a commit that changes this line is called."""
        key = text.splitlines()[line].partition(" = ")[0].replace("_", " ")
        return self.draw.choice(("Change the {}", "Adjust the {}", "Another {}", "Set the {} anew")).format(key)
