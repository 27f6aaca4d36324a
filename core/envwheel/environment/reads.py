"""What the tests of a folder look at: the paths they name, and what cannot be carried to another box.

    seen = look(Path("task"), workdir="/app")     # seen.paths, seen.runs, seen.obstacles (a sentence each)

It reads, it does not run: Python by its syntax tree, shell line by line. What it does not understand is an obstacle, so
that a mistake is more likely a refusal than a verifier that no longer sees the work.
"""

from __future__ import annotations

import ast
import posixpath
import re
import shlex
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

DATA = (".txt", ".json", ".csv", ".tsv", ".md", ".yaml", ".yml", ".toml", ".xml", ".html", ".log", ".ini", ".cfg")
OWN = ("/tests", "/logs", "/solution", "/dev/null", "/dev/stdout", "/dev/stderr")
"""What belongs to the verifier in any mode."""
PROGRAMS = ("/bin/", "/usr/bin/", "/usr/local/bin/", "/usr/sbin/", "/sbin/", "/root/.local/bin")
SYSTEM = re.compile(
    r"ps|pgrep|pidof|top|systemctl|service|lsof|ss|netstat|docker|crontab|tmux|screen|dpkg|which|whoami|id|getent|ip|mount"
    r"|df|nginx|redis-cli|psql|mysql|pg_isready|nc|ssh|kill|pkill|supervisorctl|apachectl|curl|wget"
)
"""Programs that tell of a box, not of files."""
INTERPRETER = re.compile(r"(python|perl|ruby|node|bash|sh|java|go|cargo|make|gcc|g\+\+|cc|npm|git|sqlite3)[\d.]*")
LISTS = re.compile(r"ls|find|tree|du")
INSTALLS = re.compile(r"\b(apt|apt-get|pip3?|uv|uvx|npm)\b.*\b(install|update|add|init)\b|https?://\S+")
RUNS = re.compile(r"run|Popen|call|check_call|check_output|system|getoutput|getstatusoutput|popen|import_module|exec")
FILES = re.compile(
    r"open|(Pure|Posix)*Path|exists|is_?file|is_?dir|read_\w+|load\w*|connect|getsize|stat|copy\w*|imread"
)
"""Calls whose first argument names a file, relative to the working directory where no slash is in front."""
LISTING = re.compile(r"listdir|iterdir|r?glob|i?glob|walk|scandir")
EXISTS = re.compile(r"l?exists|is_?file|is_?dir")
STATE = re.compile(r"st_(uid|gid|[acm]time)|owner|group|get[acm]time")
"""What a copy does not keep: owners and times."""
BOX_MODULES = re.compile(
    r"psutil|socket|requests|httpx|urllib|http|redis|psycopg2?|pymysql|docker|paramiko|aiohttp|websockets?|grpc|pexpect"
    r"|testinfra|pwd|grp|selenium|playwright"
)
_LOCAL = re.compile(r"localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]")
_ABSOLUTE = re.compile(r"(?<![\w.$}/:*-])/(?:[A-Za-z0-9_.@+-]+/?)+")
_HEAD = re.compile(r"(?:^|[;&|(`]|\$\(|\b(?:if|then|do|else|sudo|while)\s|!\s)\s*([\w./+-]+)")
_NEGATED = re.compile(r"(!|-not)\s+(\[+\s+|test\s+)?-[edfLhrs]\s")
_GONE = "the tests check that something is gone, and a removal does not cross over"
_LISTED = "the tests list a folder, and what a solver removed from it would still be there"


@dataclass(slots=True)
class Seen:
    """Absolute `paths` that the tests name; `runs`: they run programs of the work; `obstacles` to carrying it over."""

    workdir: str
    paths: set[str] = field(default_factory=set)
    runs: bool = False
    obstacles: list[str] = field(default_factory=list)

    def named(self, text: str, partial: bool = False) -> None:
        """Take the absolute paths in `text`; with `partial` more follows where it ends."""
        self.paths |= set(_named(text, partial))

    def relative(self, word: str) -> None:
        """Take a word that may be a path below the working directory."""
        if word.startswith("../") or re.fullmatch(r"(\./)?[A-Za-z0-9_-][\w./-]*\.[A-Za-z]\w{0,5}|\./[\w./-]+", word):
            self.paths.add(_below(self.workdir, word))


def look(task: Path, workdir: str) -> Seen:
    """What the files in tests/ of the folder `task` look at, when they run in `workdir`."""
    seen, top = Seen(workdir), task / "tests"
    files = [path for path in sorted(top.rglob("*")) if path.is_file() and not path.is_symlink()]
    own = {path.name for path in files}
    for path in files:
        name, text = path.relative_to(task).as_posix(), path.read_text("utf-8", "replace")
        if path.suffix == ".py":
            _python(seen, name, text)
        elif path.suffix in (".sh", ".bash") or re.match(r"#!\S*(/| )(ba)?sh\b", text):
            _shell(seen, name, text, own)
        elif path.suffix not in DATA:
            seen.obstacles.append(f"what {name} looks at cannot be told")
    below = workdir.rstrip("/") + "/"
    outside = sorted(path for path in seen.paths if path != workdir and not path.startswith(below))
    seen.obstacles += [f"the tests look at {path}, which is not under {workdir}" for path in outside]
    return seen


def _python(seen: Seen, name: str, text: str) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        seen.obstacles.append(f"{name} is no Python that can be read")
        return
    nodes = list(ast.walk(tree))
    docs = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    partial = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values[:-1]}
    partial |= {
        id(node.left) for node in nodes if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod)
    }
    for node in nodes:
        where = f"{name}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            seen.named(node.value, id(node) in partial)
            if _LOCAL.search(node.value):
                seen.obstacles.append(f"{where}: the tests talk to a service ({_LOCAL.findall(node.value)[0]})")
        elif isinstance(node, ast.Import | ast.ImportFrom):
            _module(seen, where, node)
        elif isinstance(node, ast.Attribute) and STATE.fullmatch(node.attr):
            seen.obstacles.append(f"{where}: the tests look at {node.attr}, which a copy does not keep")
        elif _is_negated(node):
            seen.obstacles.append(f"{where}: {_GONE}")
        elif isinstance(node, ast.Call):
            _call(seen, where, node)


def _module(seen: Seen, where: str, node: ast.Import | ast.ImportFrom) -> None:
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
    for name in names:
        if BOX_MODULES.fullmatch(name.partition(".")[0]) and name != "urllib.parse":
            seen.obstacles.append(f"{where}: the tests use {name}, which looks at more than files")


def _is_negated(node: ast.AST) -> bool:
    """`not path.exists()`, or its comparison with False."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return bool(EXISTS.fullmatch(_called(node.operand)))
    if isinstance(node, ast.Compare) and EXISTS.fullmatch(_called(node.left)):
        return any(isinstance(other, ast.Constant) and other.value is False for other in node.comparators)
    return False


def _call(seen: Seen, where: str, node: ast.Call) -> None:
    name, first = _called(node), node.args[0] if node.args else None
    texts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if name in ("expanduser", "home") or (name in ("getenv", "get") and "HOME" in texts):
        seen.obstacles.append(f"{where}: the tests look into somebody's home")
    elif name in ("getcwd", "cwd"):
        seen.paths.add(seen.workdir)
    elif LISTING.fullmatch(name):
        seen.obstacles.append(f"{where}: {_LISTED}")
    elif RUNS.fullmatch(name):
        seen.runs = True
        for head in _heads(" ".join(texts)) | set(texts[:1]):
            _system(seen, where, head)
    elif FILES.fullmatch(name) and isinstance(first, ast.Constant) and isinstance(first.value, str):
        seen.paths |= set() if first.value.startswith("/") else {_below(seen.workdir, first.value)}


def _called(node: ast.expr) -> str:
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _shell(seen: Seen, name: str, text: str, own: set[str]) -> None:
    for number, line in enumerate(text.replace("\\\n", " ").splitlines(), 1):
        code, where = re.sub(r"(^|\s)#.*", "", line), f"{name}:{number}"
        if INSTALLS.search(code):
            continue
        before = len(seen.paths)
        seen.named(code)
        for word in _words(code):
            if posixpath.basename(word) not in own:
                seen.relative(word)
        if _LOCAL.search(code):
            seen.obstacles.append(f"{where}: the tests talk to a service ({_LOCAL.findall(code)[0]})")
        if _NEGATED.search(code):
            seen.obstacles.append(f"{where}: {_GONE}")
        if re.search(r"~/|\$\{?HOME\b", code) and ".local/bin" not in code:
            seen.obstacles.append(f"{where}: the tests look into somebody's home")
        for head in _heads(code):
            _system(seen, where, head)
            program = INTERPRETER.fullmatch(posixpath.basename(head)) or head.startswith(("./", seen.workdir))
            seen.runs |= bool(program) and len(seen.paths) > before


def _system(seen: Seen, where: str, head: str) -> None:
    base = posixpath.basename(head)
    if SYSTEM.fullmatch(base):
        seen.obstacles.append(f"{where}: the tests run {base}, which tells of the box")
    elif LISTS.fullmatch(base):
        seen.obstacles.append(f"{where}: {_LISTED}")


def _below(workdir: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(workdir, path))


def _heads(command: str) -> set[str]:
    """The words that stand where a command begins."""
    return {match[1] for match in _HEAD.finditer(command)}


def _words(code: str) -> list[str]:
    try:
        return shlex.split(code, comments=True)
    except ValueError:
        return code.split()


def _named(text: str, partial: bool) -> Iterator[str]:
    """Absolute paths that belong neither to the verifier nor to the system's programs; of a pattern its folder."""
    text = re.sub(r"\w+://\S+", " ", text)
    for match in _ABSOLUTE.finditer(text):
        path = match[0]
        more = (
            text[match.end() : match.end() + 1] in ("*", "?", "{", "[", "%", "$")
            if match.end() < len(text)
            else partial
        )
        if more and not path.endswith("/"):
            path = posixpath.dirname(path)
        path = posixpath.normpath(path)
        if path != "/" and not path.startswith(PROGRAMS) and not any(f"{path}/".startswith(f"{own}/") for own in OWN):
            yield path
