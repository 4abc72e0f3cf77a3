"""Lines of a source file, counted as Python counts them (a form feed ends none)."""

from __future__ import annotations


def line_of(source: bytes, number: int) -> str | None:
    """The line of that number (from 1) without space around it; None where there is none."""
    # Of bytes, at \n, \r\n and \r only. Where a text ends too early, Python names the line behind the last.
    lines = [*source.splitlines(), b""]
    return lines[number - 1].decode("utf-8", "replace").strip() if 0 < number <= len(lines) else None
