"""Why a public test did not pass: a key of texts/ with its parameters, said in plain words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Place:
    """A line in one of the student's files."""

    file: str  # "norm.py"
    line: int  # from 1
    text: str = ""  # the line itself


class Trouble(Exception):
    """The student's code did not do what the test expects; `key` says how."""

    outcome = "wrong"

    def __init__(
        self, key: str, *, place: Place | None = None, picture: Any = None, **params: object
    ) -> None:
        super().__init__(key)
        self.key, self.params, self.place, self.picture = key, params, place, picture


class NotWritten(Trouble):
    """A stub, or what is no more than one, was reached: `symbol` says which, maybe an earlier exercise's."""

    outcome = "not written"

    def __init__(self, symbol: str, key: str = "ui.not_written") -> None:
        super().__init__(key, symbol=symbol)
        self.symbol = symbol


class Raised(Trouble):
    """The student's code raised `kind` with `text`."""

    def __init__(self, key: str, kind: str, text: str, place: Place | None = None, **params: object) -> None:
        super().__init__(key, place=place, kind=kind, text=text, **params)
        self.kind, self.text = kind, text


class FileTrouble(Trouble):
    """One of the student's files cannot be used at all, or lacks a symbol."""

    def __init__(self, key: str, file: str, place: Place | None = None, **params: object) -> None:
        super().__init__(key, place=place, file=file, **params)
        self.file = file


class NotTried(Trouble):
    """The test cannot be done here (no lab, no transformers)."""

    outcome = "not tried"


class Waiting(Trouble):
    """An exercise before this one comes first."""

    outcome = "waiting"

    def __init__(self, symbol: str) -> None:
        super().__init__("ui.waiting", what=symbol)
        self.symbol = symbol


@dataclass
class Given:
    """The call whose result is being looked at."""

    symbol: str
    number: int  # which call of this symbol in the test, from 1
    args: list[tuple[str, Any]] = field(default_factory=list)  # (name, value before the call)
