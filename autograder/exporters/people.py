"""Whose row is whose, in a file of the instructor's."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from autograder.exporters.rawcsv import RawCsv
from autograder.gradebook.grades import StudentGrade
from autograder.gradebook.students import same_name

Key = tuple[str, Callable[[StudentGrade], str]]


@dataclass
class People:
    """Whose row is whose. keys: column of the file -> what of a student it holds, the surest first. name: the
    column with names, which decides only where nobody else has the same."""

    file: RawCsv
    grades: Sequence[StudentGrade]
    keys: Sequence[Key]
    name: str | None = None

    def __post_init__(self) -> None:
        self._header = self.file.header()
        self._at = self._header.index(self.name) if self.name in self._header else None
        self._often = Counter(map(self.named, self.file.body()))
        self._named: dict[str, list[StudentGrade]] = {}
        for one in self.grades:
            self._named.setdefault(by_order(one.student.name), []).append(one)

    def who(self, row: int) -> StudentGrade | None:
        """The student of a row. A number in the file with zeros in front is the same text only."""
        for wanted, key in self._cells(row):
            hits = [one for one in self.grades if key(one).casefold() == wanted]
            if len(hits) == 1:
                return hits[0]
        wanted = self.named(row)
        same = self._named.get(wanted, []) if wanted else []
        return same[0] if len(same) == 1 and self._often[wanted] == 1 else None

    def named(self, row: int) -> str:
        """The name in a row, as names are compared."""
        return by_order(self.file.get(row, self._at)) if self._at is not None else ""

    def nearly(self, row: int) -> bool:
        """Whether somebody has the same number but for zeros in front."""
        return any(
            wanted.isdecimal() and any(key(one).lstrip("0") == wanted.lstrip("0") for one in self.grades)
            for wanted, key in self._cells(row)
        )

    def shown(self, row: int) -> str:
        """A row for people: the first of its first cells that says something."""
        return next((cell for i in range(4) if (cell := self.file.get(row, i))), f"row {row + 1}")

    def _cells(self, row: int) -> Iterator[tuple[str, Callable[[StudentGrade], str]]]:
        for column, key in self.keys:
            if column in self._header:
                cell = self.file.get(row, self._header.index(column)).removeprefix("#").casefold()
                if cell:
                    yield cell, key


def by_order(name: str) -> str:
    """A name as it is compared: "Doe, Jane" is "Jane Doe"; O'Neil is ONeil."""
    return " ".join(sorted(re.findall(r"\w+", re.sub(r"['’`´]", "", same_name(name)))))


def bare_words(name: str) -> set[str]:
    """The words of a name without accents."""
    spread = unicodedata.normalize("NFD", by_order(name))
    return set("".join(c for c in spread if not unicodedata.combining(c)).split())
