"""Writes to consoles of every kind: what a console cannot show is written in letters it has."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
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
    """A console, with `printable` before it."""

    def __init__(self, write: Callable[..., None], encoding: str | None, width: int = 80) -> None:
        """write(text, **markup) writes a line; encoding: the console's."""
        self._write, self._encoding, self.width = write, encoding, width

    @classmethod
    def of_pytest(cls, reporter: Any) -> Screen:
        """The terminal reporter's."""
        writer = reporter._tw
        return cls(reporter.write_line, getattr(writer._file, "encoding", None), writer.fullwidth)

    @classmethod
    def empty(cls) -> Screen:
        """The terminal, cleared, when there is one; else the standard output as it is."""
        from rich.console import Console

        console = Console(highlight=False, markup=False, emoji=False)
        if console.is_terminal:
            console.clear()

        def write(text: str, **markup: bool) -> None:
            style = " ".join("dim" if word == "light" else word for word, on in markup.items() if on)
            console.print(text, style=style or None, soft_wrap=True)

        return cls(write, console.encoding, console.width)

    def line(self, text: str = "", **markup: bool) -> None:
        """One line; markup as pytest's: bold=True, red=True ..."""
        self._write(printable(text, self._encoding), **markup)

    def can(self, char: str) -> bool:
        """Whether the console has this character."""
        return printable(char, self._encoding) == char
