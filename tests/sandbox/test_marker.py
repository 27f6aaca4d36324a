"""The shell protocol: framing, markers, caps; and the wrapped lines in a real local shell."""

from __future__ import annotations

import itertools
import struct
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envwheel.sandbox.marker import Answer, Frames, HeadTail, new_nonce, opening, quoted, wrapped


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in itertools.pairwise(edges)]


@given(st.lists(st.binary(max_size=40)), st.lists(st.integers(0, 1000)))
def test_frames_come_apart_however_they_are_cut(payloads, cuts):
    stream = b"".join(struct.pack(">BxxxL", 1, len(payload)) + payload for payload in payloads)
    frames = Frames()
    assert b"".join(frames.feed(piece) for piece in pieces(stream, cuts)) == b"".join(payloads)


@given(st.binary(max_size=200), st.integers(0, 255), st.binary(max_size=30), st.lists(st.integers(0, 1000)))
def test_a_marker_is_found_however_it_is_cut(output, code, rest, cuts):
    answer = Answer("abc123", HeadTail(1 << 20))
    stream = output + b"\x1eabc123:%d\x1e" % code
    *early, last = pieces(stream, cuts)
    assert not any(answer.feed(piece) for piece in early)
    assert answer.feed(last + rest)
    assert (answer.code, answer.rest) == (code, rest)
    assert answer.output.text() == output.decode("utf-8", "replace")


@given(st.binary(max_size=100))
def test_output_without_a_marker_is_output(output):
    answer = Answer("abc123", HeadTail(1 << 20))
    assert not answer.feed(output)
    answer.flush()
    assert answer.output.text() == output.decode("utf-8", "replace")


def test_the_source_of_a_marker_is_no_marker():
    nonce = new_nonce()
    answer = Answer(nonce, HeadTail(1 << 20))
    assert not answer.feed(wrapped("set -v", nonce))


@given(st.lists(st.binary(max_size=50)), st.integers(0, 60))
def test_head_and_tail_are_kept(parts, cap):
    kept = HeadTail(cap)
    for part in parts:
        kept.feed(part)
    whole = b"".join(parts)
    assert kept.truncated == (len(whole) > cap)
    if not kept.truncated:
        assert kept.text() == whole.decode("utf-8", "replace")
    else:
        assert f"[... {len(whole) - cap} bytes left out ...]" in kept.text()


def test_a_flood_is_not_kept_in_memory():
    kept = HeadTail(1000)
    for _ in range(1000):
        kept.feed(b"x" * 10_000)
    assert len(kept._head) + len(kept._tail) < 100_000
    assert kept.total == 10_000_000


@pytest.mark.parametrize("shell", [["bash", "--noprofile", "--norc"], ["dash"]])
@pytest.mark.parametrize(
    ("command", "code", "output"),
    [
        ("echo it\\'s; (exit 3)", 3, "it's\n"),
        ("cat <<E\n$((1 + 1))'\"\nE", 0, "2'\"\n"),
        ("exec >/dev/null; echo lost", 0, ""),
        ("set -e", 0, ""),
        ("cat", 0, ""),
    ],
)
def test_wrapped_lines_in_a_shell(shell, command, code, output):
    first, second, hello = new_nonce(), new_nonce(), new_nonce()
    script = opening(hello, "/") + wrapped(command, first) + wrapped("false", second)
    out = subprocess.run(shell, input=script, capture_output=True, check=False).stdout
    for nonce, expected_code, expected in ((hello, None, ""), (first, code, output), (second, 1, "")):
        answer = Answer(nonce, HeadTail(1 << 20))
        assert answer.feed(out)
        assert answer.output.text() == expected
        assert expected_code is None or answer.code == expected_code
        out = answer.rest


@given(st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=40))
def test_quoting_survives_a_shell(text):
    assert quoted(text).startswith("'")
    assert "\0" not in quoted(text)
    rebuilt = "".join(quoted(text)[1:-1].split("'\\''"))
    assert rebuilt == text.replace("\0", "").replace("'", "")
