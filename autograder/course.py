"""course.toml -> a typed, checked Course. An error names the key and the remedy."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

Language = Literal["en", "pt-BR"]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
PositiveInt = Annotated[int, Field(gt=0)]
ROOT = Path(__file__).resolve().parent.parent


class CourseError(Exception):
    """course.toml cannot be used; the text names the file, the key and what to do."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class About(_Table):
    """[course]"""

    title: str | dict[Language, str]  # one for all languages, or one for each
    chapter: str
    language: Language = "en"
    seed: str = Field(min_length=1)
    gpt2: str = "mini"

    def title_in(self, lang: Language) -> str:
        """The title in a language."""
        return self.title if isinstance(self.title, str) else self.title[lang]

    @field_validator("seed")
    @classmethod
    def _not_blank(cls, seed: str) -> str:
        if not seed.strip():
            raise ValueError("it is blank; write some words that nobody guesses")
        return seed

    @field_validator("title", mode="before")
    @classmethod
    def _in_every_language(cls, title: object) -> object:
        languages = get_args(Language)
        if isinstance(title, dict):
            fits = set(title) == set(languages) and all(isinstance(v, str) and v for v in title.values())
        else:
            fits = isinstance(title, str) and bool(title)
        if not fits:
            each = ", ".join(f'"{lang}" = "…"' for lang in languages)
            raise ValueError(f"give one text, or one for each language: {{ {each} }}")
        return title

    @property
    def model(self) -> str:
        """`gpt2` for lab.models: "mini", the whole path of a folder, or a name on the hub."""
        folder = ROOT / self.gpt2
        return str(folder) if self.gpt2 != "mini" and folder.is_dir() else self.gpt2


class Limits(_Table):
    """[limits]: seconds, megabytes (2**20 bytes) and kilobytes (2**10 bytes)."""

    call_cpu_seconds: Positive = 10.0
    call_wall_seconds: Positive = 15.0
    submission_cpu_seconds: Positive = 60.0
    submission_wall_seconds: Positive = 60.0
    memory_mb: PositiveInt = 2048
    output_kb: PositiveInt = 64
    file_kb: PositiveInt = 256
    submission_kb: PositiveInt = 2048
    notebook_mb: PositiveInt = 64


class Tolerance(_Table):
    """[tolerance]: |got − expected| ≤ atol · max(1, max|expected|) + rtol · |expected|, in float32."""

    atol: Positive = 1e-5
    rtol: Positive = 1e-4


class Cache(_Table):
    """[cache]: tokens of the prompt, tokens decoded, and how many times faster the cache must be."""

    prompt: PositiveInt = 256
    new_tokens: PositiveInt = 32
    threshold: Annotated[float, Field(gt=1, allow_inf_nan=False)] = 3.0


class Exercise(_Table):
    """[[exercise]]: one graded exercise."""

    id: str
    sheet: Literal["heads", "mask", "attention", "kv_cache", "gpt2"]
    file: str
    symbols: list[str] = Field(min_length=1)
    points: Positive
    section: str
    needs: list[str] = []
    inverse_of: list[str] = []  # exercises that undo what this one does
    not_allowed: list[str] = []
    title: dict[Language, str]

    @field_validator("title")
    @classmethod
    def _in_every_language(cls, title: dict[Language, str]) -> dict[Language, str]:
        if absent := [lang for lang in get_args(Language) if not title.get(lang)]:
            raise ValueError(f"has no text in {', '.join(absent)}; give one for each language")
        return title

    @field_validator("symbols")
    @classmethod
    def _each_once(cls, symbols: list[str]) -> list[str]:
        if len(set(symbols)) != len(symbols):
            raise ValueError("names a symbol twice; name it once")
        return symbols


class Course(_Table):
    """The whole of course.toml."""

    course: About
    limits: Limits = Limits()
    tolerance: Tolerance = Tolerance()
    cache: Cache = Cache()
    same_as: dict[str, list[str]] = {}  # a name of `not_allowed` -> others that do the same
    exercise: list[Exercise] = Field(min_length=1)

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

    def own_symbols(self, exercise: str) -> set[str]:
        """What an exercise asks for that no earlier one does; nothing for one that only tries them out."""
        before = {s for e in self.exercise[: self._place(exercise)] for s in e.symbols}
        return set(self[exercise].symbols) - before

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


_REMEDIES = {
    "missing": "add this key",
    "extra_forbidden": "no such key: remove it or correct its spelling",
    "greater_than": "use a larger number",
    "finite_number": "use a number that is not infinite",
    "literal_error": "use one of the values named",
}


def load_course(path: Path | None = None) -> Course:
    """Reads course.toml (the kit's own when `path` is None). Raises CourseError."""
    path = path or ROOT / "course.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        remedy = "give the path with --course, or run from the kit's folder"
        raise CourseError(f"{path}: no such file; {remedy}") from None
    except OSError as e:
        raise CourseError(f"{path}: cannot be read ({e.strerror}); check its permissions") from None
    except UnicodeDecodeError:
        raise CourseError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    except tomllib.TOMLDecodeError as e:
        raise CourseError(f"{path}: is not TOML: {e}; correct that line") from None
    try:
        return Course.model_validate(data)
    except ValidationError as e:
        raise CourseError("\n".join(f"{path}: {_explain(err, data)}" for err in e.errors())) from None


def _explain(err: object, data: object) -> str:
    """One pydantic error as `key: what is wrong; what to do`."""
    assert isinstance(err, dict)
    where = ".".join(_name(err["loc"], i, data) for i in range(len(err["loc"])))
    message = str(err["msg"]).removeprefix("Value error, ")
    if not where:  # our own checks name the key themselves
        return message
    remedy = _REMEDIES.get(str(err["type"]), "correct the value")
    got = "" if err["type"] == "missing" else f" (it is {err['input']!r})"
    return f"{where}: {message}{got}; {remedy}"


def _name(loc: tuple[str | int, ...], i: int, data: object) -> str:
    """A step of a key; an exercise is called by its id instead of its number."""
    step = loc[i]
    if isinstance(step, int) and loc[i - 1] == "exercise" and isinstance(data, dict):
        entry = data["exercise"][step]
        if isinstance(entry, dict) and "id" in entry:
            return f"[{entry['id']}]"
    return str(step)
