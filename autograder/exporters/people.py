"""Whose row is whose, in a file of the instructor's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from autograder.exporters.rawcsv import RawCsv
from autograder.gradebook.grades import StudentGrade
from autograder.gradebook.names import by_order, without_accents

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
        names = [self.named(row) for row in self.file.body()]
        self._often = {form: Counter(map(form, names)) for form in FORMS}
        self._called = {form: Counter(form(called(one)) for one in self.grades) for form in FORMS}

    def who(self, row: int) -> StudentGrade | None:
        """The student of a row. A number in the file with zeros in front is the same text only."""
        for wanted, key in self._cells(row):
            hits = [one for one in self.grades if key(one).casefold() == wanted]
            if len(hits) == 1:
                return hits[0]
        for form in FORMS:
            wanted = form(self.named(row))
            if wanted and (many := self._called[form][wanted]):
                if many > 1 or self._often[form][wanted] > 1:
                    return None
                return next(one for one in self.grades if form(called(one)) == wanted)
        return None

    def named(self, row: int) -> str:
        """The name in a row."""
        return self.file.get(row, self._at) if self._at is not None else ""

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


def called(one: StudentGrade) -> str:
    """Their name; of a class that was made by hand the name of the folder, such as ana-souza."""
    return one.student.name or one.name


def bare(name: str) -> str:
    """A name without order and accents."""
    return by_order(without_accents(name))


FORMS = (by_order, bare)  # the surest first
