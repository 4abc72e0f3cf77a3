"""An assignment: course.toml, checked, and the folders of its content. The only reader of both.

Everything else gets an `Assignment` handed in. An error names the key and the remedy.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Self

from pydantic import Field, ValidationError, model_validator

from autograder import content
from autograder.course import (
    About,
    Attempts,
    Content,
    Deadline,
    Exercise,
    GradeRules,
    Language,
    Limits,
    Symbol,
    Table,
    Tolerance,
)
from autograder.explained import explained

KIT = Path(__file__).resolve().parent.parent  # the folder of the course.toml that comes along
MESSAGES = content.ENGINE / "feedback" / "messages"  # what the engine itself says, one file a language


class AssignmentError(Exception):
    """course.toml cannot be used; the text names the file, the key and what to do."""


class Assignment(Table):
    """The whole of course.toml, and where its content lies.

    settings: the tables and keys that only this chapter knows, as its settings.py has checked them.
    """

    root: Path  # where `content` begins; a grade does not depend on it
    course: About
    content: Content
    limits: Limits = Limits()
    tolerance: Tolerance = Tolerance()
    same_as: dict[str, list[str]] = {}  # a name of `not_allowed` -> others that do the same
    exercise: list[Exercise] = Field(min_length=1)
    symbol: dict[str, Symbol] = {}
    settings: dict[str, Any] = {}
    deadline: Deadline | None = None
    attempts: Attempts = Attempts()
    grades: GradeRules = GradeRules()

    def __hash__(self) -> int:
        return hash((self.root, self.course.seed, self.content.chapter))

    @property
    def exercises_folder(self) -> Path:
        """The stubs, the public tests and the self-check."""
        return self.root / self.content.exercises

    @property
    def solutions_folder(self) -> Path:
        """The exercises' files, complete."""
        return self.root / self.content.solutions

    @property
    def chapter_folder(self) -> Path:
        """hidden/, diagnosis/, mistakes/, messages/."""
        return self.root / self.content.chapter

    @property
    def lab_folder(self) -> Path | None:
        """The lab, if there is one."""
        return self.root / self.content.lab if self.content.lab else None

    @property
    def languages(self) -> tuple[Language, ...]:
        """Those in which there are texts of the engine and of the chapter, English first."""
        return _languages(self.chapter_folder)

    def language(self, asked: Language | None) -> Language:
        """The one asked for, else the course's own. Raises AssignmentError for one that is not there."""
        lang = asked or self.course.language
        if lang not in self.languages:
            there = ", ".join(self.languages)
            raise AssignmentError(f"--lang {lang}: there are no texts in this language; name one of {there}")
        return lang

    @property
    def notebook(self) -> str:
        """The file name of the notebook that students get."""
        return f"{self.content.notebook}.ipynb"

    @property
    def files(self) -> tuple[str, ...]:
        """The files that students write, in the order of the exercises."""
        return tuple(dict.fromkeys(e.file for e in self.exercise))

    @property
    def symbols(self) -> dict[str, str]:
        """Symbol -> its file; where two exercises name a symbol, the first one's file counts."""
        found: dict[str, str] = {}
        for exercise in self.exercise:
            for symbol in exercise.symbols:
                found.setdefault(symbol, exercise.file)
        return found

    @property
    def modules(self) -> list[str]:
        """The symbols that are classes of modules."""
        return [name for name in self.symbols if name in self.symbol and self.symbol[name].kind == "module"]

    @property
    def stubs(self) -> dict[str, str]:
        """File -> its text as students get it. Raises AssignmentError."""
        return {file: _text(self.exercises_folder / file) for file in self.files}

    @property
    def solutions(self) -> dict[str, str]:
        """File -> its complete text. Raises AssignmentError."""
        return {file: _text(self.solutions_folder / file) for file in self.files}

    @property
    def exercises(self) -> list[Exercise]:
        """The exercises in the chapter's order."""
        return self.exercise

    def __getitem__(self, exercise: str) -> Exercise:
        """The exercise of that id. Raises KeyError."""
        for e in self.exercise:
            if e.id == exercise:
                return e
        raise KeyError(exercise)

    def needed_by(self, exercise: str) -> list[str]:
        """Ids of all exercises that must work before this one, nearest last, in the chapter's order."""
        wanted: set[str] = set()
        todo = list(self[exercise].needs)
        while todo:
            one = todo.pop()
            if one not in wanted:
                wanted.add(one)
                todo += self[one].needs
        return [e.id for e in self.exercise if e.id in wanted]

    def own_symbols(self, exercise: str) -> list[str]:
        """What an exercise asks for that no earlier one does; nothing for one that only tries them out."""
        before = {s for e in self.exercise[: self._place(exercise)] for s in e.symbols}
        return [s for s in self[exercise].symbols if s not in before]

    def inverses_of(self, exercise: str) -> set[str]:
        """Ids of the exercises that undo this one, whichever of the two says so."""
        return set(self[exercise].inverse_of) | {e.id for e in self.exercise if exercise in e.inverse_of}

    def _place(self, exercise: str) -> int:
        return next(i for i, e in enumerate(self.exercise) if e.id == exercise)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        ids = [e.id for e in self.exercise]
        if len(set(ids)) != len(ids):
            raise ValueError("exercise.id: two exercises have the same id; give each its own")
        total = sum(e.points for e in self.exercise)
        if abs(total - 100) > 1e-9:
            raise ValueError(f"exercise.points: they add up to {total:g}; change them until the sum is 100")
        if unknown := [name for name in self.symbol if name not in self.symbols]:
            raise ValueError(f"symbol.{unknown[0]}: no exercise has this symbol; correct its spelling")
        for i, e in enumerate(self.exercise):
            for other in e.inverse_of:
                if other not in ids or other == e.id:
                    raise ValueError(
                        f"exercise.inverse_of of {e.id!r}: {other!r} is not another exercise; "
                        f"name one of {ids}"
                    )
            for need in e.needs:
                if need not in ids[:i]:
                    raise ValueError(
                        f"exercise.needs of {e.id!r}: {need!r} is not an exercise before it; "
                        f"name one of {ids[:i]} or reorder"
                    )
        return self


def load_assignment(path: Path | None = None) -> Assignment:
    """Reads course.toml (the kit's own when `path` is None). Raises AssignmentError.

    Its content lies beside it; a course.toml without [content], or whose folders are not beside it, is a
    copy of the kit's own with other numbers, and gets the kit's content.
    """
    path = path or KIT / "course.toml"
    data = _tables(path)
    if "content" not in data:
        data["content"] = _tables(KIT / "course.toml")["content"]
    try:
        wanted = Content.model_validate(data["content"])
    except ValidationError as e:
        raise AssignmentError(
            "\n".join(f"{path}: content.{explained(err, data)}" for err in e.errors())
        ) from None
    root = _root_of(path, wanted)
    own = _of_the_chapter(data)
    context = {"languages": _languages(root / wanted.chapter)}
    try:
        found = Assignment.model_validate({**data, "root": root}, context=context)
        settings = content.attribute(root / wanted.chapter, "settings", "Settings")
        if settings is None:
            unknown = {**own, "course": {**data["course"], **own.get("course", {})}}
            Assignment.model_validate({**data, **unknown, "root": root}, context=context)  # raises for them
            return found
        checked = settings.model_validate(own)
    except ValidationError as e:
        raise AssignmentError("\n".join(f"{path}: {explained(err, data)}" for err in e.errors())) from None
    return found.model_copy(update={"settings": checked.model_dump(mode="json")})


def _tables(path: Path) -> dict[str, Any]:
    """All of a course.toml. Raises AssignmentError."""
    try:
        return tomllib.loads(_read(path))
    except tomllib.TOMLDecodeError as e:
        raise AssignmentError(f"{path}: is not TOML: {e}; correct that line") from None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        remedy = "give the path with --course, or run from the kit's folder"
        raise AssignmentError(f"{path}: no such file; {remedy}") from None
    except OSError as e:
        raise AssignmentError(f"{path}: cannot be read ({e.strerror}); check its permissions") from None
    except UnicodeDecodeError:
        raise AssignmentError(f"{path}: is not UTF-8 text; save it as UTF-8") from None


@cache
def _text(path: Path) -> str:
    """As it was when this process first read it. Raises AssignmentError."""
    return _read(path)


def _root_of(path: Path, wanted: Content) -> Path:
    """The folder in which all of the content is. Raises AssignmentError."""
    beside = path.resolve().parent
    for root in (beside, KIT):
        if all((root / folder).is_dir() for folder in wanted.folders()):
            return root
    absent = next(folder for folder in wanted.folders() if not (beside / folder).is_dir())
    raise AssignmentError(f"{path}: content: {beside / absent} is no folder; correct the path in [content]")


def _languages(chapter: Path) -> tuple[Language, ...]:
    there = {path.stem for path in (chapter / "messages").glob("*.toml")}
    there &= {path.stem for path in MESSAGES.glob("*.toml")}
    return ("en", *sorted(there - {"en"}))


def _of_the_chapter(data: dict[str, Any]) -> dict[str, Any]:
    """The tables, and the keys of [course], that the engine does not know, taken out of `data`."""
    own = {name: data.pop(name) for name in list(data) if name not in Assignment.model_fields}
    course = data.get("course")
    if isinstance(course, dict):
        keys = [key for key in course if key not in About.model_fields]
        data["course"] = {key: value for key, value in course.items() if key not in keys}
        own["course"] = {key: course[key] for key in keys}
    return own
