"""What the solver must not find: the files of tests/ and solution/, and the texts inside solve.sh. And where it lies.

`secrets_of(folder)` lists them; `Finder(secrets)` tells which of them a file of the image holds: as it is, with other
white space at its ends, inside archives, as a git object (loose, or in a pack's index), or compiled. Nothing of the
image is executed or unpacked on disk.
"""

from __future__ import annotations

import ast
import binascii
import bz2
import gzip
import hashlib
import io
import lzma
import re
import tarfile
import threading
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, cast

TINY = 32
"""Bytes below which a file says nothing."""
LARGEST = 32 << 20
"""Bytes that are looked at: of a file of the image, and of all that an archive holds."""
DEEPEST = 3
_BLOB, _BY_OFFSET, _BY_NAME = 3, 6, 7
"""Kinds of entries of a git pack: a file, and differences from another entry."""
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n"
"""Of base64 and hexadecimal."""
MOST_MEMBERS = 5000
_PARSING = threading.Lock()
"""Python before 3.11.8 raises a SystemError when sources are parsed in several threads at a time."""
_HEREDOC = re.compile(
    r"<<-?\s*(['\"]?)([A-Za-z_][A-Za-z0-9_-]*)\1[^\n]*\n(.*?)\n\t*\2[ \t]*$", re.DOTALL | re.MULTILINE
)
_LOOSE = re.compile(r"(?:^|/)objects/([0-9a-f]{2})/([0-9a-f]{38}|[0-9a-f]{62})$")
GIT_OBJECT = re.compile(rf"{_LOOSE.pattern}|/pack-[0-9a-f]+\.idx$|\.bundle$")
_PACK_INDEX = re.compile(r"(?:^|/)pack-[0-9a-f]+\.idx$|/multi-pack-index$")


@dataclass(frozen=True, slots=True)
class Secret:
    """A file of tests/ or solution/ (`path` in the folder), or a text inside solve.sh (`part`)."""

    path: str
    data: bytes
    part: bool = False

    @property
    def in_tests(self) -> bool:
        """Whether it is the tests', not the solution's."""
        return self.path.startswith("tests/")


def secrets_of(folder: Path) -> list[Secret]:
    """Every file of tests/ and solution/ of at least `TINY` bytes, and the here-documents of the solution's scripts."""
    found = []
    for top in ("tests", "solution"):
        for path in sorted((folder / top).rglob("*")):
            if not path.is_file() or path.is_symlink():
                continue
            data = path.read_bytes()
            name = path.relative_to(folder).as_posix()
            if len(data.strip()) >= TINY and path.name != "Dockerfile":
                found.append(Secret(name, data))
            if top == "solution" and path.suffix == ".sh":
                found += [Secret(name, text, part=True) for text in here_documents(data) if len(text.strip()) >= TINY]
    return found


def here_documents(script: bytes) -> list[bytes]:
    """The texts of `<<WORD ... WORD` in a bash script."""
    text = script.decode("utf-8", "surrogateescape")
    return [match[3].encode("utf-8", "surrogateescape") for match in _HEREDOC.finditer(text)]


class Finder:
    """Finds secrets in the bytes of an image."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        self._by_content = {_digest(secret.data): secret for secret in secrets}
        self._lengths = {len(secret.data.strip()) for secret in self._by_content.values()}
        self._by_object: dict[str, Secret] = {}
        for secret in self._by_content.values():
            for data in {secret.data, secret.data.rstrip(b"\n") + b"\n"}:
                blob = b"blob %d\0" % len(data) + data
                self._by_object[hashlib.sha1(blob, usedforsecurity=False).hexdigest()] = secret
                self._by_object[hashlib.sha256(blob).hexdigest()] = secret

    @cached_property
    def _by_words(self) -> dict[Secret, frozenset[bytes]]:
        """Of the Python sources. Parsing them is worth it only once something compiled is met."""
        texts = {secret: _words(secret.data) for secret in self._by_content.values() if secret.path.endswith(".py")}
        return {secret: words for secret, words in texts.items() if len(words) >= 4}

    def has_size(self, size: int) -> bool:
        """Whether a file of `size` bytes may be a secret as it is."""
        return any(length <= size <= length + 64 for length in self._lengths)

    def find(self, path: str, data: bytes) -> Iterator[tuple[Secret, str]]:
        """The secrets in a file of the image, each with where in it they are ("" for the file itself)."""
        loose = _LOOSE.search(path)
        if loose:
            known = self._by_object.get(loose[1] + loose[2])
            if known:
                yield known, "a git object"
            return
        if _PACK_INDEX.search(path):
            for name, secret in self._by_object.items():
                if bytes.fromhex(name) in data:
                    yield secret, "a git pack"
            return
        if path.endswith(".pyc"):
            yield from ((s, "compiled") for s, words in self._by_words.items() if all(word in data for word in words))
            return
        for name, content in opened(data):
            secret_here = self._by_content.get(_digest(content))
            if secret_here and len(content.strip()) >= TINY:
                yield secret_here, name


def opened(data: bytes) -> Iterator[tuple[str, bytes]]:
    """(place, content): a file, and what is in it if it is an archive, up to a depth and a size."""
    left = LARGEST
    todo = [("", data, 0)]
    while todo:
        name, content, depth = todo.pop()
        yield name, content
        if depth >= DEEPEST:
            continue
        for inner, inside in members(content, left):
            left -= len(inside)
            todo.append((f"{name}/{inner}".strip("/"), inside, depth + 1))


def members(data: bytes, limit: int) -> list[tuple[str, bytes]]:
    """(name, content) of what is in an archive or a compressed file; empty for anything else or anything broken."""
    found: list[tuple[str, bytes]] = []
    try:
        for name, content in _members(data, limit):
            limit -= len(content)
            if limit <= 0 or len(found) >= MOST_MEMBERS:
                break
            found.append((name, content))
    except (
        OSError,
        EOFError,
        ValueError,
        RuntimeError,
        tarfile.TarError,
        zipfile.BadZipFile,
        lzma.LZMAError,
        zlib.error,
    ):
        pass
    except (NotImplementedError, KeyError, OverflowError):
        pass
    return found


def _members(data: bytes, limit: int) -> Iterator[tuple[str, bytes]]:
    if data.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for item in archive.infolist():
                if not item.is_dir() and item.file_size <= limit:
                    with archive.open(item) as file:
                        yield item.filename, file.read(limit)
    elif data.startswith((b"# v2 git bundle\n", b"# v3 git bundle\n", b"PACK\0\0\0\2")):
        yield from (("a git object", blob) for blob in _blobs(data, data.find(b"PACK"), limit))
    elif data[257:262] == b"ustar":
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            for member in tar:
                inside = tar.extractfile(member) if member.isreg() and member.size <= limit else None
                if inside:
                    yield member.name, inside.read(limit)
    elif data[:4096].translate(None, _LETTERS) == b"" and len(data) > TINY and data.translate(None, _LETTERS) == b"":
        for decode in (binascii.unhexlify, binascii.a2b_base64):
            try:
                yield "decoded", decode(b"".join(data.split()))
            except ValueError:
                continue
    else:
        for magic, opener in ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ", lzma.open)):
            if data.startswith(magic):
                with cast("IO[bytes]", opener(io.BytesIO(data))) as stream:
                    yield "content", stream.read(limit)


def _blobs(data: bytes, start: int, limit: int) -> Iterator[bytes]:
    """The files in a git pack that are not kept as differences (pack format, version 2: gitformat-pack(5))."""
    at = start + 12
    for _ in range(int.from_bytes(data[start + 8 : at], "big") if start >= 0 else 0):
        if at >= len(data):
            return
        kind = data[at] >> 4 & 7
        at = _past_number(data, at)
        if kind == _BY_OFFSET:
            at = _past_number(data, at)
        elif kind == _BY_NAME:
            at += 20
        unpack = zlib.decompressobj()
        content = b""
        while not unpack.eof and at < len(data) and len(content) <= limit:
            piece = data[at : at + 8192]
            content += unpack.decompress(piece, limit)
            at += len(piece) - len(unpack.unused_data)
            if unpack.unconsumed_tail:
                return
        if kind == _BLOB:
            yield content


def _past_number(data: bytes, at: int) -> int:
    """Where a number of several bytes ends."""
    while at < len(data) and data[at] & 0x80:
        at += 1
    return at + 1


def _digest(data: bytes) -> bytes:
    """Equal for equal content; line ends, and white space at the ends, aside."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n").strip()).digest()


def names_of(data: bytes) -> frozenset[bytes]:
    """Names of the functions and classes of a Python source; of one without, its long texts."""
    try:
        with _PARSING:
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    named = frozenset(node.name.encode() for node in ast.walk(tree) if isinstance(node, kinds))
    return named or _words(data)


def _words(data: bytes) -> frozenset[bytes]:
    """Texts of a Python source that its compiled form holds as they are."""
    try:
        with _PARSING:
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    texts = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.add(node.value)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            texts.add(node.name)
    return frozenset(text.encode() for text in texts if 8 <= len(text) <= 200 and text.isascii())
