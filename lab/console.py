"""Printing that is right everywhere: 80 columns, no colour, and consoles that know neither ░ nor −∞."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Callable
from typing import TextIO

WIDTH = 80
# One character for one character, so that tables stay straight.
PLAIN = str.maketrans(
    {"░": "-", "▒": "+", "▓": "#", "█": "@", "·": ".", "─": "-", "│": "|", "└": "+", "−": "-", "→": ">",
     "∞": "~", "×": "x", "²": "2", "√": "v", "…": "~", "—": "-", "–": "-", "●": "o"}
)  # fmt: skip


class Console:
    """Writes lines to a stream, with characters that its encoding has."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stdout
        try:
            "░▒▓█·─│└−→∞".encode(self.stream.encoding or "ascii")
            self.plain = False
        except UnicodeEncodeError:
            self.plain = True

    def line(self, text: str = "", end: str = "\n") -> None:
        """One line, as it is."""
        if self.plain:
            encoding = self.stream.encoding or "ascii"
            # What the console knows stays: "é" is fine in cp1252, "░" is not.
            kept = [c if _can(c, encoding) else c.translate(PLAIN) for c in text]
            text = "".join(kept).encode(encoding, errors="replace").decode(encoding)
        self.stream.write(text.rstrip() + end if end == "\n" else text + end)
        self.stream.flush()

    def prose(self, text: str, indent: str = "") -> None:
        """A paragraph, wrapped."""
        for line in textwrap.wrap(text, WIDTH - 1, initial_indent=indent, subsequent_indent=indent):
            self.line(line)

    def title(self, number: int, text: str) -> None:
        """The head of a section."""
        self.line()
        self.line(f"{number}  {text}")
        self.line("─" * (WIDTH - 1))


class Flow:
    """Text that comes in pieces of any length, broken between words."""

    def __init__(self, out: Console, width: int = WIDTH) -> None:
        self.out, self.width = out, width
        self.column = 0
        self.space = ""  # before the word
        self.word = ""  # that has not ended yet

    def write(self, text: str) -> None:
        """A piece of the text. Its last word is shown when the next one begins."""
        for c in text:
            if not c.isspace():
                self.word += c
                if len(self.word) >= self.width:
                    self._show()
                continue
            self._show()
            if c == "\n":
                self.out.line()
                self.column, self.space = 0, ""
            elif self.column:
                self.space = " "

    def end(self) -> None:
        """The last word, and the end of the line."""
        self._show()
        self.out.line()

    def _show(self) -> None:
        if not self.word:
            return
        if self.column + len(self.space) + len(self.word) > self.width:
            self.out.line()
            self.column, self.space = 0, ""
        self.out.line(self.space + self.word, end="")
        self.column += len(self.space) + len(self.word)
        self.space = self.word = ""


def ended(main: Callable[[], int]) -> int:
    """The exit code of a program. A reader that has gone (`| head`, a pager that was left) is no error, and
    Ctrl-C is no fault."""
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains when it ends
        return 0
    except KeyboardInterrupt:
        return 130
    return code


def _can(char: str, encoding: str) -> bool:
    try:
        char.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def shade(value: float, steps: tuple[float, float, float, float]) -> str:
    """Two characters, darker for more; `steps` are the values from which the next shade begins."""
    return ("  ", "░░", "▒▒", "▓▓", "██")[sum(value >= step for step in steps)]


def fit(text: str, width: int) -> str:
    """Exactly `width` characters."""
    return (text if len(text) <= width else text[: width - 1] + "…").ljust(width)
