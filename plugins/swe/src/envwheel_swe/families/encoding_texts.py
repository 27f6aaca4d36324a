"""Sentences for encoding_fix, and what goes wrong with their bytes: Windows-1252 as programs read it, mojibake."""

from __future__ import annotations

import random
from collections.abc import Mapping

from envwheel_swe.cases import encoded

WESTERN = (
    "Die Größe und das Gewicht prüfen wir täglich.",
    "Le café crème est servi à volonté.",
    "Mañana el señor Ibáñez llegará más temprano.",
    "Rødgrød med fløde på Ærø.",
    "Aquí está la dirección de José, número 7.",
    "Où est passée la clé de l'entrepôt ?",
    "Överkänslighet mot nötter är vanligt.",
    "Het contract is geïnd en beëindigd.",
    "ÁRBOL, ÍNDICE, ÝMIR: names in capitals",
    "Straße, Füße, Äpfel, Öl",
)
"""All of it is ISO-8859-1."""
EURO = ("Le prix est de 45 €, port compris.", "Cœur de bœuf, 12 € le kilo.")
"""ISO-8859-15 and Windows-1252."""
QUOTED = ("“Größe” – so steht’s im Vertrag…", "‘Élan’ — the firm’s own word")
"""Windows-1252."""
POLISH = ("Zażółć gęślą jaźń.", "Łódź leży niedaleko, a Świnoujście daleko.")
RUSSIAN = ("Отчёт за март готов.", "Привет, Анна! Всё хорошо.", "Склад закрыт до среды.")
CHINESE = ("库存报告已经完成。", "请在星期五之前回复。")
GREEK = ("Η αναφορά είναι έτοιμη.", "Καλημέρα, Ελένη!")
SENTENCES = {
    "ISO-8859-1": WESTERN,
    "ISO-8859-15": EURO + WESTERN[:3],
    "WINDOWS-1252": QUOTED + WESTERN[3:6],
    "ISO-8859-2": POLISH,
    "KOI8-R": RUSSIAN,
    "CP850": WESTERN[4:8],
    "ISO-8859-7": GREEK,
    "GB18030": CHINESE,
    "UTF-16": GREEK + QUOTED,
    "UTF-8": POLISH + QUOTED,
}

UNDEFINED = (0x81, 0x8D, 0x8F, 0x90, 0x9D)
W1252 = [chr(byte) if byte in UNDEFINED else bytes([byte]).decode("cp1252") for byte in range(256)]
"""What each byte is in Windows-1252; the five that it leaves out are control characters, as in browsers."""
BYTE = {character: byte for byte, character in enumerate(W1252)}


def misread(text: str) -> str:
    """Mojibake: the UTF-8 of `text`, read as Windows-1252."""
    return "".join(W1252[byte] for byte in text.encode())


def undo(text: str) -> str | None:
    """What `text` was before it was misread; None when it was not."""
    try:
        before = bytes(BYTE[character] for character in text).decode()
    except (KeyError, UnicodeDecodeError):
        return None
    return None if before == text else before


def lines(draw: random.Random, sentences: tuple[str, ...], count: int, end: str = "\n") -> str:
    """`count` numbered lines, each with one of the sentences."""
    start = draw.randint(100, 800)
    return "".join(f"{start + number}: {draw.choice(sentences)}{end}" for number in range(count))


def put(files: Mapping[str, bytes]) -> str:
    """Bash that writes exactly these bytes."""
    return "".join(f"printf %s {encoded(data)} | base64 -d > {path}\n" for path, data in sorted(files.items()))
