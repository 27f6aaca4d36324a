"""Static signs, in tests and solution, that one trial is not enough, and of tests that install or download.

Both are suspicions: randomness costs more trials, a download is judged together with a trial without network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from envwheel.domains import Domains

LARGEST = 1 << 20

_SIGNS = {
    "randomness": r"\b(?:random\.(?!seed\b|Random\()\w+\(|Random\(\)|from random import|np\.random\.|numpy\.random\."
    r"|secrets\.|urandom|uuid\.?uuid[14]|\bS?RANDOM\b|shuf\b|sort -R|Math\.random|tempfile\.mktemp\()",
    "the clock": r"\b(?:time\.(?:time|monotonic|perf_counter)\(|datetime\.(?:now|utcnow|today)\(|date\.today\("
    r"|Date\.now|new Date\(\)|EPOCHSECONDS|EPOCHREALTIME)|\$\(date\b|`date\b",
    "the host": r"\b(?:gethostname\(|platform\.node\(|os\.uname\(|getpid\(|HOSTNAME\b)|\$\(hostname\b"
    r"|\$\$(?![({\w])",
    "file times": r"st_[amc]time|get[amc]time\(|\bstat -c ?.?%[XYZxyz]",
    "concurrency": r"\b(?:threading|multiprocessing|concurrent\.futures|asyncio|Thread\(|time\.sleep\()"
    r"|^\s*sleep [\d.]+|[^&|>]&\s*$",
    "unordered listing": r"\b(?:os\.listdir|os\.scandir|glob\.i?glob|iterdir\(|rglob\(|readdir)"
    r"|(?:\bin|list\(|join\()\s*(?:set|frozenset)\(|\bfor \w+ in \{[^:}]+\}",
}
_CALMED = re.compile(r"\b(?:sorted|any|all|len|sum)\(|/proc|\|\s*sort\b")
_SEEDED = re.compile(r"\brandom\.seed\(\s*[^)\s]|np\.random\.seed\(\s*[^)\s]|default_rng\(\s*[^)\s]")
_COMMENT = re.compile(r"^\s*(#|//)")

_INSTALL = re.compile(
    r"^\s*(?:sudo\s+)?(?:\w+=\S*\s+)*(?:"
    r"(?:apt-get|apt|aptitude|apk|yum|dnf|microdnf|gem|cargo|conda|mamba|npm|pnpm|yarn|poetry)\s+(?:-\S+\s+)*"
    r"(?:install|add|update|sync|ci)\b"
    r"|(?:python[\d.]*\s+-m\s+)?pip[\d.]*\s+(?:-\S+\s+)*install\b(?!.*--no-index)"
    r"|uv\s+(?:pip\s+install|add|sync|tool\s+install)\b|uvx\s|npx\s|go\s+(?:get|install)\b"
    r"|(?:curl|wget)\b.*\b(?:https?|ftp)://(?!localhost|127\.|\[::1\]|0\.0\.0\.0|\$)"
    r"|git\s+clone\s+\S*(?:https?://|git@)"
    r")"
)
_SPLIT = re.compile(r"\s*(\|\||&&|;|\||\bthen\b|\bdo\b)\s*")


def kit_of(domains: Domains) -> frozenset[bytes]:
    """The files of the core's and the domains' kits, which are known to be steady."""
    core = [path.read_bytes() for path in (files("envwheel.environment") / "kit").iterdir() if path.is_file()]
    return frozenset((*core, *(item.source.read_bytes() for id in domains.ids for item in domains.kit(id))))


def suspicion(folder: Path, known: frozenset[bytes] = frozenset()) -> str:
    """Why several trials are needed ("tests/check.py: randomness"), "" when nothing speaks for it.

    Files whose content is `known` are left out.
    """
    for path, text in _texts(folder, ("tests", "solution"), known):
        seeded = bool(_SEEDED.search(text))
        for line in text.splitlines():
            if _COMMENT.match(line):
                continue
            for sign, pattern in _SIGNS.items():
                calmed = (sign == "randomness" and seeded) or (sign == "unordered listing" and _CALMED.search(line))
                if re.search(pattern, line) and not calmed:
                    return f"{path}: {sign}"
    return ""


def download(folder: Path) -> str:
    """The first line in a script of tests/ that installs or downloads without asking whether it must, or ""."""
    for path, text in _texts(folder, ("tests",), frozenset()):
        if not path.endswith((".sh", ".bash")):
            continue
        for line in text.replace("\\\n", " ").splitlines():
            pieces = _SPLIT.split(line)
            for number in range(0, len(pieces), 2):
                guarded = number > 0 and pieces[number - 1] in ("||", "then")
                if not guarded and _INSTALL.match(pieces[number]):
                    return f"{path}: {pieces[number].strip()[:120]}"
    return ""


def _texts(folder: Path, names: tuple[str, ...], known: frozenset[bytes]) -> Iterator[tuple[str, str]]:
    for name in names:
        for path in sorted((folder / name).rglob("*")):
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= LARGEST:
                data = path.read_bytes()
                if b"\0" not in data and data not in known:
                    yield path.relative_to(folder).as_posix(), data.decode("utf-8", "replace")
