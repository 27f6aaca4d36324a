"""encoding_fix: damage and repair are each other's inverse, and sound fixtures are sound."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from envwheel_swe.families import encoding_fix, encoding_texts
from envwheel_swe.families.encoding_fix_program import clean, folder
from envwheel_swe.naming import rng
from envwheel_swe.repair import program


@pytest.mark.parametrize("text", ["é", "Größe", "Í Ý Á", "Анна", "“quoted” – €"])
def test_misreading_is_undone(text: str) -> None:
    assert encoding_texts.undo(encoding_texts.misread(text)) == text
    assert encoding_texts.undo(text) is None


def test_sentences_fit_their_encodings() -> None:
    for code, sentences in encoding_texts.SENTENCES.items():
        for sentence in sentences:
            assert sentence.encode(code).decode(code) == sentence


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"\xef\xbb\xbfok\r\n", b"ok\r\n"),
        (b"caf\xe9\ncaf\xc3\xa9", "café\ncafé".encode()),
        (b"\xff\xfeA\x00\xe9\x00", "Aé".encode()),
        (b"\xff\xfeA", b"\xff\xfeA"),
        (b"a\0\xe9", b"a\0\xe9"),
        ("CafÃƒÂ© naïve".encode(), "Café naïve".encode()),
        (b"\x81\n", "\x81\n".encode()),
        (b"\xfc \xc3\xa9\n", "ü é\n".encode()),
    ],
)
def test_what_the_program_must_write(data: bytes, wanted: bytes) -> None:
    assert clean(data) == wanted


def test_the_reference_program_agrees_with_the_expectation(tmp_path: Path) -> None:
    files = folder(rng("encoding_fix", 4, 77))
    (tmp_path / "fix.py").write_text(program("encoding_fix")["fix_text.py"])
    for path, data in files.items():
        place = tmp_path / "in" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    command = [sys.executable, "fix.py", "in", "out"]
    ran = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, env={"LC_ALL": "C.UTF-8"})
    assert {path: (tmp_path / "out" / path).read_bytes() for path in files} == {p: clean(d) for p, d in files.items()}
    assert ran.stdout.decode().splitlines() == sorted(p for p, d in files.items() if clean(d) != d)


@pytest.mark.parametrize("seed", range(20))
def test_every_seed_has_sound_and_damaged_files(seed: int) -> None:
    made = encoding_fix.make(3, seed)
    names = [path for path in made.files if path.startswith("articles/")]
    assert len(names) == 13
    text = {path: bytes(made.files[path]).decode() for path in names}  # type: ignore[arg-type]
    assert sum(encoding_texts.undo(value) is not None for value in text.values()) == 6
