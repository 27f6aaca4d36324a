"""Signs in scripts, found by pattern: chance, time, concurrency, unordered listings, and downloads.

A sign is no fault. Signs of the first four make the gate run eight trials instead of one; a download at grading
time is a warning that explains a `needs_network`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_COMMENT = re.compile(r"(^|\s)#.*$", re.MULTILINE)

_PYTHON = {
    "unseeded random numbers": re.compile(
        r"\brandom\.(?:choice|choices|shuffle|randint|randrange|random|sample|uniform|getrandbits|gauss|betavariate)\("
        r"|\bRandom\(\)|\bSystemRandom\b|\bsecrets\.\w+\(|\buuid[14]\(|\bos\.urandom\(|\bnp\.random\.\w+\("
    ),
    "the clock": re.compile(
        r"\btime\.(?:time|time_ns|localtime|gmtime|strftime)\(|\b(?:datetime|date)\.(?:now|utcnow|today)\("
    ),
    "concurrency": re.compile(
        r"\bimport (?:threading|multiprocessing|asyncio)\b|\bfrom (?:threading|multiprocessing|concurrent)\b"
    ),
    "an unordered listing": re.compile(
        r"\bos\.listdir\((?![\"']/proc)|\bos\.scandir\(|\bglob\.i?glob\(|\.iterdir\(\)|\.r?glob\("
    ),
}
_SHELL = {
    "unseeded random numbers": re.compile(
        r"\$\{?RANDOM\b|\bshuf\b(?!.*--random-source)|\bsort\b.* -\w*R|/dev/u?random"
    ),
    "the clock": re.compile(r"(?:^|[`(;|&]\s*|\s)date(?:\s|[`)]|$)|\$\{?(?:EPOCHSECONDS|SECONDS)\b"),
    "concurrency": re.compile(r"[^&>|]&\s*$|\bxargs\b.* -P|\bparallel\b|\bnohup\b|\bmake\b.* -j"),
    "an unordered listing": re.compile(r"(?:^|[`(;|&]\s*)find\s|\bls -\w*U"),
}
_SEEDED = re.compile(r"\brandom\.seed\(\s*[^)\s]|\bnp\.random\.(?:seed|default_rng)\(\s*[^)\s]")
_SORTED = re.compile(r"\bsorted\(|\.sort\(|\bsort\b")

_DOWNLOAD = re.compile(
    r"\b(?:apt-get|apt|apk|yum|dnf)\s+(?:-\S+\s+)*(?:install|update|add)\b"
    r"|\bpip[0-9.]*\s+(?:-\S+\s+)*(?:install|download)\b|\buv\s+(?:pip|tool|run|sync|add)\b|\buvx\s"
    r"|\b(?:npm|pnpm|yarn)\s+(?:install|ci|i|add)\b|\bnpx\s|\bcargo\s+install\b|\bgo\s+(?:install|get)\b|\bgem\s+install\b"
    r"|\bconda\s+install\b|\bgit\s+clone\s+(?:-\S+\s+)*(?:https?|ssh|git)\b"
    r"|\b(?:curl|wget)\b(?!.*(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0))(?:.*https?://|\s+-\S+.*\$)"
    r"|\b(?:urlopen|urlretrieve|requests\.get|requests\.post)\(\s*f?[\"']https?://(?!localhost|127\.|\[::1\])"
)


def chance(name: str, text: str) -> Iterator[str]:
    """What in the script `name` may differ from run to run, a short phrase each."""
    code = _COMMENT.sub(r"\1", text)
    python = name.endswith(".py") or (text.startswith("#!") and "python" in text.split("\n", 1)[0])
    for what, pattern in (_PYTHON if python else {**_PYTHON, **_SHELL}).items():
        if what == "unseeded random numbers" and _SEEDED.search(code):
            continue
        if what == "an unordered listing" and _SORTED.search(code):
            continue
        if any(pattern.search(line) for line in code.splitlines()):
            yield what


def downloads(text: str) -> list[str]:
    """Lines of a script that install or download something, other than from the box itself."""
    lines = _COMMENT.sub(r"\1", re.sub(r"\\[ \t]*\n", " ", text)).splitlines()
    return [line.strip() for line in lines if _DOWNLOAD.search(line)]
