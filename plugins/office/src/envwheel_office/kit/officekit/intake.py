"""Is this file worth opening? The guard before any parser: standard library only, no link followed, no header trusted.

    data = inspect("/app/out/report.xlsx")      # its bytes, or Refusal: "report.xlsx: has a DOCTYPE (xl/workbook.xml)"

The parts of a package are in intake_parts.py, PDF is in intake_pdf.py. What passes here is still read in a child with
limits (read.py); what does not is a `Refused` with its reason, which scores 0, never an exception of the verifier.
"""

from __future__ import annotations

import os
import stat
import zipfile
import zlib
from io import BytesIO

from .intake_cells import Irregular
from .intake_parts import Parts, Refusal
from .intake_pdf import check_pdf

__all__ = ["EXTENSIONS", "FORBIDDEN_FUNCTIONS", "VOLATILE_FUNCTIONS", "Refusal", "inspect"]

MAX_BYTES = 20_000_000
MAX_PARTS = 2_000
MAX_UNPACKED = 200_000_000
MAX_RATIO = 100
RATIO_FROM = 4_000_000
"""Bytes from which the ratio counts: a small part of one repeated byte is no bomb."""
CHUNK = 1 << 18

VOLATILE_FUNCTIONS = frozenset({"NOW", "TODAY", "RAND", "RANDARRAY", "RANDBETWEEN"})
FORBIDDEN_FUNCTIONS = VOLATILE_FUNCTIONS | {
    "CALL", "CELL", "CUBEKPIMEMBER", "CUBEMEMBER", "CUBEMEMBERPROPERTY", "CUBERANKEDMEMBER", "CUBESET", "CUBESETCOUNT",
    "CUBEVALUE", "DDE", "EVALUATE", "EXEC", "FILTERXML", "HYPERLINK.OPEN", "IMAGE", "INFO", "PY", "REGISTER",
    "REGISTER.ID", "RTD", "SQL.REQUEST", "STOCKHISTORY", "TRANSLATE", "WEBSERVICE",
}  # fmt: skip
"""What no formula of an answer may call: it reaches out of the workbook, or another run gives another value."""

EXTENSIONS = {
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
    "pdf": "application/pdf",
}
"""Extension -> the content type that the main part of such a file has."""


def inspect(path: str) -> bytes:
    """The content of the document at `path`. Raises Refusal with the reason not to open it."""
    extension = os.path.splitext(path)[1].lower().lstrip(".")
    if extension not in EXTENSIONS:
        raise Refusal(f"no {', '.join(EXTENSIONS)} file by its name")
    data = plain_bytes(path)
    if not data:
        raise Refusal("the file is empty")
    if extension == "pdf":
        check_pdf(data)
    else:
        check_package(data, extension)
    return data


def plain_bytes(path: str) -> bytes:
    """The content of a regular file of at most MAX_BYTES with no link on the way to it. Raises Refusal."""
    try:
        at = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
        for part in filter(None, os.path.abspath(path).split("/")):
            try:
                below = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
            finally:
                os.close(at)
            at = below
    except FileNotFoundError:
        raise Refusal("there is no such file") from None
    except (OSError, ValueError):
        raise Refusal("no regular file (a link, a folder on its way, or closed)") from None
    try:
        seen = os.fstat(at)
        if not stat.S_ISREG(seen.st_mode):
            raise Refusal("no regular file")
        if seen.st_size > MAX_BYTES:
            raise Refusal(f"larger than {MAX_BYTES // 1_000_000} MB")
        with open(at, "rb", closefd=False) as file:
            return file.read(MAX_BYTES)
    finally:
        os.close(at)


def check_package(data: bytes, extension: str) -> None:
    """Raises Refusal unless `data` is a plain package (a zip with [Content_Types].xml) of what `extension` says."""
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        raise Refusal("encrypted, or of the old binary format: an OLE container")
    if not data.startswith(b"PK\x03\x04"):
        raise Refusal(f"no {extension} file: it does not start as a zip")
    parts = Parts(extension, EXTENSIONS[extension])
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = archive.infolist()
            check_names(entries)
            budget = min(MAX_UNPACKED, max(RATIO_FROM, MAX_RATIO * len(data)))
            for entry in entries:
                budget -= read_part(archive, entry, budget, parts)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        raise Refusal(f"broken zip: {error}"[:200]) from None
    parts.close()


def check_names(entries: list[zipfile.ZipInfo]) -> None:
    """Raises Refusal on names that two readers might understand differently, and on entries that are no plain files."""
    if len(entries) > MAX_PARTS:
        raise Refusal(f"more than {MAX_PARTS} parts")
    if not entries or min(entry.header_offset for entry in entries) != 0:
        raise Refusal("bytes before the first part of the zip")
    seen: set[str] = set()
    for entry in entries:
        name = entry.orig_filename
        steps = name.rstrip("/").split("/")
        if name.startswith("/") or "\\" in name or ":" in name or any(step in ("", ".", "..") for step in steps):
            raise Refusal(f"a part with the name {name[:80]!r}")
        if not name.isprintable():
            raise Refusal(f"a part with the name {name[:80]!r}")
        if name.casefold() in seen:
            raise Refusal(f"two parts with the name {name[:80]!r}")
        seen.add(name.casefold())
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise Refusal(f"{name[:80]} is a link")
        if entry.flag_bits & 0x41:
            raise Refusal(f"{name[:80]} is encrypted")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise Refusal(f"{name[:80]} is packed in an unusual way")


def read_part(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, budget: int, parts: Parts, slow: bool = False) -> int:
    """Unpack one part piece by piece into `parts`; its real size. Raises Refusal when it is over `budget` bytes."""
    size = 0
    if entry.is_dir():
        return size
    part = parts.open(entry.filename, slow)
    with archive.open(entry) as stream:
        while chunk := stream.read(CHUNK):
            size += len(chunk)
            if size > budget:
                raise Refusal(f"unpacks to more than {MAX_UNPACKED // 1_000_000} MB, or {MAX_RATIO} times its size")
            try:
                part.feed(chunk)
            except Irregular:
                return read_part(archive, entry, budget, parts, slow=True)
    part.close()
    return size
