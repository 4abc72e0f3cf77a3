"""A known mistake as running code: the solution (or the chapter's code) with the variant put in.

Everything here is ours, so it runs in this process.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from autograder.assignment import Assignment
from autograder.diagnosis.chapter import chapter_of
from autograder.diagnosis.entries import CatalogueError, Entry
from autograder.sandbox.local import LocalStudent
from autograder.sandbox.trusted import load, package_names, solved

WRITTEN_OUT = "written_out"  # a folder of the chapter: exercises with everything written out in one place


@dataclass(frozen=True)
class Planted:
    """One variant in one exercise. `source` is the whole text of the exercise's file."""

    assignment: Assignment = field(repr=False)
    mistake: str
    exercise: str
    number: int  # among the variants of this mistake in this exercise
    file: str
    source: str
    code: str = ""  # put at the end of the solution's file; or
    edit: tuple[tuple[str, str], ...] = ()  # lines of the chapter's code changed
    calls: bool = False  # see `calling`
    attempt: bool = True  # see entries.Variant

    def student(self, replaced: Collection[str] = ()) -> LocalStudent:
        """An otherwise right submission with this mistake in it."""
        return local_student(self.assignment, {self.file: self.source}, replaced)


def plant(entry: Entry, assignment: Assignment) -> list[Planted]:
    """All variants of a mistake. Raises CatalogueError when one cannot be put in."""
    found: list[Planted] = []
    numbers: dict[str, int] = {}
    for variant in entry.variant:
        for exercise in variant.exercise:
            file = _file_of(exercise, entry, assignment)
            for code, edit in variant.spelt_out():
                if code:
                    source = f"{assignment.solutions[file]}\n\n{code}"
                else:
                    source = _edited(_written_out(assignment, file), edit, f"{entry.id}.toml")
                number = numbers.get(exercise, 0)
                numbers[exercise] = number + 1
                one = Planted(assignment, entry.id, exercise, number, file, source, code, edit)
                found.append(replace(one, attempt=variant.attempt))
    return found


def calling(planted: Planted) -> Planted:
    """The same mistake in code that calls the earlier exercises wherever the mistake leaves them as they are.

    Itself where nothing of the kind is written out.
    """
    source = _calling(planted.source, planted.file, planted.assignment) if planted.edit else planted.source
    return planted if source == planted.source else replace(planted, source=source, calls=True)


def _calling(text: str, file: str, assignment: Assignment) -> str:
    done = text
    for block, call in chapter_of(assignment).CALLS:
        for indent in (" " * 4, " " * 8, " " * 12):
            done = done.replace(f"\n{textwrap.indent(block, indent)}\n", f"\n{indent}{call}\n")
    solutions = package_names(assignment)[1]
    imports = [
        f"from {solutions}.{earlier.removesuffix('.py')} import {', '.join(solved(assignment, earlier))}"
        for earlier in assignment.files[: assignment.files.index(file)]
    ]
    return text if done == text else "\n".join([*imports, done])


def together(planted: Collection[Planted]) -> dict[str, str]:
    """file -> text, with several mistakes in one submission, also in the same file."""
    sources = {}
    for file in {p.file for p in planted}:
        own = [p for p in planted if p.file == file]
        edits = [p for p in own if p.edit]
        assignment = own[0].assignment
        text = _written_out(assignment, file) if edits else assignment.solutions[file]
        for p in edits:
            text = _edited(text, p.edit, f"{p.mistake}.toml")
        if any(p.calls for p in edits):
            text = _calling(text, file, assignment)
        sources[file] = "\n\n".join([text, *(p.code for p in own if p.code)])
    return sources


def _file_of(exercise: str, entry: Entry, assignment: Assignment) -> str:
    files = {e.id: e.file for e in assignment.exercises}
    if exercise not in files:
        raise CatalogueError(
            f"{entry.id}.toml: variant.exercise: no exercise {exercise!r} in course.toml; "
            f"use one of {', '.join(files)}"
        )
    return files[exercise]


def _written_out(assignment: Assignment, file: str) -> str:
    path = assignment.chapter_folder / WRITTEN_OUT / file
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CatalogueError(f"{path}: no such file; use `code` instead of `edit` in this exercise") from None


def _edited(text: str, edits: tuple[tuple[str, str], ...], where: str) -> str:
    """Each `old` in every line that has it replaced by `new`, whose further lines are indented like the
    first."""
    for old, new in edits:
        lines = text.split("\n")
        hits = [i for i, line in enumerate(lines) if old in line]
        if not hits:
            raise CatalogueError(
                f"{where}: edit: no line has {old!r}; copy it from the chapter's {WRITTEN_OUT}/"
            )
        for i in hits:
            indent = lines[i][: len(lines[i]) - len(lines[i].lstrip())]
            lines[i] = lines[i].replace(old, new.replace("\n", "\n" + indent))
        text = "\n".join(lines)
    return text


def local_student(
    assignment: Assignment, sources: Mapping[str, str] | None = None, replaced: Collection[str] = ()
) -> LocalStudent:
    """The solutions with some files' text in place of theirs, then some symbols put back to the
    solution's."""
    return LocalStudent(assignment, load(assignment, sources, replaced))
