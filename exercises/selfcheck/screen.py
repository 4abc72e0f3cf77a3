"""Writes to consoles of every kind: what a console cannot show is written in letters it has."""

from __future__ import annotations

import unicodedata
from typing import Any

PLAIN = {
    "✓": "+", "✗": "x", "○": "o", "…": "...", "−": "-", "∞": "inf", "→": "->", "·": "*", "×": "x",
    "█": "#", "░": "-", "“": '"', "”": '"', "’": "'",
}  # fmt: skip


def printable(text: str, encoding: str | None) -> str:
    """The text, with what `encoding` lacks replaced: ∞ becomes inf, ã becomes a, the rest ?."""
    return "".join(c if _has(c, encoding or "ascii") else PLAIN.get(c) or _without_accent(c) for c in text)


def _has(char: str, encoding: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _without_accent(char: str) -> str:
    return unicodedata.normalize("NFKD", char).encode("ascii", "ignore").decode() or "?"


class Screen:
    """The terminal reporter's screen, with `printable` before it."""

    def __init__(self, reporter: Any) -> None:
        self._write = reporter.write_line
        self._encoding = getattr(reporter._tw._file, "encoding", None)

    def line(self, text: str = "", **markup: bool) -> None:
        """One line; markup as pytest's: bold=True, red=True ..."""
        self._write(printable(text, self._encoding), **markup)

    def can(self, char: str) -> bool:
        """Whether the console has this character."""
        return printable(char, self._encoding) == char
