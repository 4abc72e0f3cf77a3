"""One test that did not pass, in plain words: lines of text for the report."""

from __future__ import annotations

import textwrap
from typing import Any

import torch

from exercises.selfcheck import tables
from exercises.selfcheck.check import Comparison
from exercises.selfcheck.texts import Texts
from exercises.selfcheck.trouble import FileTrouble, Given, Place, Trouble

PRINTED = 12  # lines of the student's prints that are shown
WIDTH = 74


def explain(test: str, trouble: Trouble, given: Given | None, printed: str, texts: Texts) -> list[str]:
    """What went in, what was expected, what came back, where they first differ."""
    lines: list[str] = []
    if not isinstance(trouble, FileTrouble):  # then nothing was called
        about = texts.get(f"test.{test.replace('/', '.')}.given")
        lines += wrapped(about) if about else []
        lines += _given(given, texts) if given is not None else []
    lines += says(trouble, texts)
    if isinstance(trouble.picture, Comparison):
        lines += [part for line in tables.first_difference(trouble.picture, texts) for part in wrapped(line)]
        if tables.fits(trouble.picture.expected):
            lines += ["", *tables.side_by_side(trouble.picture, texts)]
    if printed.strip():
        shown = printed.rstrip().splitlines()
        lines += ["", texts("show.printed"), *("  | " + line[:WIDTH] for line in shown[:PRINTED])]
        if len(shown) > PRINTED:
            lines.append(texts("show.more_lines", count=len(shown) - PRINTED))
    return lines


def says(trouble: Trouble, texts: Texts) -> list[str]:
    """The trouble's own sentence, with the student's line that it concerns."""
    params = dict(trouble.params)
    if "axes" in params:
        names = [texts(f"axis.{name}") for name in params["axes"]]  # type: ignore[attr-defined]
        params["names"] = ", ".join(names)
    if "text" in params:
        text = " ".join(str(params["text"]).split())
        params["text"] = text if len(text) <= 300 else text[:300] + " ..."
    text = texts(trouble.key, **params)
    lines = wrapped(text if trouble.place or "calls" in params else text.rstrip(": "))
    lines += _calls(params.get("calls"))
    if trouble.place is not None:
        lines.append("  " + _line(trouble.place, texts))
    return lines


def wrapped(text: str, indent: str = "") -> list[str]:
    """Lines of a sentence, none longer than the screen."""
    return textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def with_command(text: str, command: str, indent: str = "") -> list[str]:
    """The lines of a sentence with a command in it, which has a line of its own when both do not fit into one:
    a command that is broken between two lines cannot be copied."""
    before, found, rest = text.partition(command)
    if not command or not found or len(text) <= WIDTH - len(indent):
        return wrapped(text, indent)
    return [*wrapped(before.rstrip(), indent), f"{indent}  {found}{rest}"]


def _line(place: Place, texts: Texts) -> str:
    if not place.text:
        return texts("show.line_only", file=place.file, line=place.line)
    return texts("show.line", file=place.file, line=place.line, text=place.text[:WIDTH])


def _given(given: Given, texts: Texts) -> list[str]:
    parts, shown = [], []
    for name, value in given.args:
        if isinstance(value, torch.Tensor):
            parts.append(name)
            if tables.fits(value):
                shown += [
                    texts("show.given", name=name, shape=tuple(value.shape)),
                    *("  " + row for row in tables.blocks(value, texts)),
                ]
            else:
                shown.append(texts("show.given", name=name, shape=tuple(value.shape)).rstrip(":"))
        else:
            parts.append(f"{name}={_short(value)}")
    call = f"{given.symbol}({', '.join(parts)})"
    key = "show.call" if given.number == 1 else "show.call_again"
    return wrapped(texts(key, call=call, number=given.number)) + shown


def _short(value: Any) -> str:
    return repr(value) if value is None or isinstance(value, bool | int | float | str) else "..."


def _calls(calls: Any) -> list[str]:
    """The calls that a test has seen, each in words: a line per call."""
    if not isinstance(calls, list):
        return []
    return [f"  {i}. {call}" for i, call in enumerate(calls[:12], 1)]
