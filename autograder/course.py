"""The tables of course.toml, each checked by itself. An error names the key and the remedy."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationInfo,
    field_validator,
    model_validator,
)

Language = str  # the name of a file in messages/, without its ending: "en", "pt-BR"
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
PositiveInt = Annotated[int, Field(gt=0)]
LONGEST = timedelta(days=3660)
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def duration(text: object) -> timedelta:
    """ "15m", "36h", "2d", "1w" or "90s" as a timedelta. Raises ValueError, also for a bare number: of what?"""
    if isinstance(text, timedelta):
        return text
    found = (
        re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,3})?)\s*([smhdw])\s*", text) if isinstance(text, str) else None
    )
    if found is None:
        raise ValueError('is no duration; write it like "15m", "36h" or "2d"')
    seconds = float(found[1]) * _UNITS[found[2]]
    if seconds > LONGEST.total_seconds():
        raise ValueError("is longer than ten years")
    return timedelta(seconds=seconds)


def moment(value: object) -> object:
    """A day and a time, for pydantic to read. Raises ValueError for a number, which it would take for seconds."""
    if isinstance(value, datetime | str):
        return value
    raise ValueError("is no day with a time; write it like 2027-03-01T23:59:00-03:00")


Moment = Annotated[datetime, BeforeValidator(moment)]
Duration = Annotated[
    timedelta,
    BeforeValidator(duration),
    PlainSerializer(lambda length: f"{length.total_seconds():.3f}s", when_used="json"),
]
Percent = Annotated[float, Field(ge=0, le=100)]
NAME = r"^[A-Za-z_][A-Za-z0-9_]*$"


class Table(BaseModel):
    """Base of all tables: frozen, and a misspelt key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class About(Table):
    """[course]"""

    title: str | dict[Language, str]  # one for all languages, or one for each
    chapter: str
    language: Language = "en"
    seed: str = Field(min_length=1)

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
    def _in_every_language(cls, title: object, info: ValidationInfo) -> object:
        languages = (info.context or {}).get("languages", title)
        if isinstance(title, dict):
            fits = set(title) == set(languages) and all(isinstance(v, str) and v for v in title.values())
        else:
            fits = isinstance(title, str) and bool(title)
        if not fits:
            each = ", ".join(f'"{lang}" = "…"' for lang in languages)
            raise ValueError(f"give one text, or one for each language: {{ {each} }}")
        return title

    @field_validator("language")
    @classmethod
    def _is_there(cls, language: Language, info: ValidationInfo) -> Language:
        languages = (info.context or {}).get("languages", [language])
        if language not in languages:
            raise ValueError(f"has no texts; name one of {', '.join(languages)}")
        return language


class Content(Table):
    """[content]: folders, from the folder of course.toml.

    exercises: what students get; solutions: the same files, complete; chapter: hidden/, diagnosis/,
    mistakes/, messages/; lab: modules that hidden tests may import, and students get; notebook: the name of
    the generated notebook, without its ending.
    """

    exercises: str = "exercises"
    solutions: str = "solutions"
    chapter: str
    lab: str | None = None
    notebook: str = Field(default="exercises", pattern=r"^[A-Za-z][A-Za-z0-9_]*$")

    def folders(self) -> list[str]:
        """All that must be there."""
        return [self.exercises, self.solutions, self.chapter, *([self.lab] if self.lab else [])]


class Limits(Table):
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


class Tolerance(Table):
    """[tolerance]: |got − expected| ≤ atol · max(1, max|expected|) + rtol · |expected|, in float32."""

    atol: Positive = 1e-5
    rtol: Positive = 1e-4


class Exercise(Table):
    """[[exercise]]: one graded exercise."""

    id: str
    sheet: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")  # its hidden tests are in test_<sheet>.py
    file: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*\.py$")
    symbols: list[str] = Field(min_length=1)
    points: Positive
    section: str
    needs: list[str] = []
    inverse_of: list[str] = []  # exercises that undo what this one does
    not_allowed: list[str] = []
    axes: list[str] = []  # of its result, as pages call them: axis.<name> in messages/
    title: dict[Language, str]

    @field_validator("title")
    @classmethod
    def _in_every_language(cls, title: dict[Language, str], info: ValidationInfo) -> dict[Language, str]:
        languages = (info.context or {}).get("languages", title)
        if absent := [lang for lang in languages if not title.get(lang)]:
            raise ValueError(f"has no text in {', '.join(absent)}; give one for each language")
        return title

    @field_validator("symbols")
    @classmethod
    def _each_once(cls, symbols: list[str]) -> list[str]:
        if len(set(symbols)) != len(symbols):
            raise ValueError("names a symbol twice; name it once")
        return symbols


class CallbackParameter(Table):
    """One of [symbol.<name>.callback] parameters. type: "int" takes whole numbers of every kind, "int tensor"
    also arrays and lists; axes: names of a tensor's axes; most: entries that it may have."""

    name: str = Field(pattern=NAME)
    type: Literal["any", "int", "int tensor"] = "any"
    axes: list[str] = []
    most: int = Field(default=0, ge=0)
    required: bool = True
    default: int | None = None


class SymbolCallback(Table):
    """[symbol.<name>.callback]: an object that a symbol is handed as an argument and may call; the judge
    answers. attributes: whole numbers that it has -> other names of the same, with dots inside."""

    name: str = Field(pattern=NAME)
    attributes: dict[str, list[str]] = {}
    parameters: list[CallbackParameter] = Field(min_length=1)


class Symbol(Table):
    """[symbol.<name>]: what the engine must know of a symbol that is more than a function of plain values.

    kind: "module" for the class of an nn.Module. keeps: which parts of a result (a tuple, from 0) stay where
    the submission runs, and come as references. callback: the form of what it is handed.
    """

    kind: Literal["function", "module"] = "function"
    keeps: list[int] = []
    callback: SymbolCallback | None = None


class Deadline(Table):
    """[deadline]: when work is due, and what late work costs.

    at: with an offset, or in `zone`. grace: time after it that is not counted. rate: what each begun unit
    costs, in percent of what was earned ("raw") or of all points ("max"), or in points; cap: the most that is
    taken off, floor: the percentage of what was earned that is always kept. slip_days: days that cost nothing,
    for each student. hard: after it nothing counts.
    """

    at: Moment
    zone: str | None = None
    grace: Duration = timedelta()
    unit: Literal["hour", "day"] = "day"
    rate: Annotated[float, Field(ge=0)] = 0.0
    of: Literal["raw", "max", "points"] = "max"
    cap: Annotated[float, Field(ge=0)] | None = None
    floor: Percent = 0.0
    slip_days: Annotated[int, Field(ge=0)] = 0
    hard: Moment | None = None

    @model_validator(mode="after")
    def _in_a_zone(self) -> Self:
        for name in ("at", "hard"):
            when = getattr(self, name)
            if when is not None and when.tzinfo is None:
                if self.zone is None:
                    raise ValueError(
                        f"deadline.{name}: {when.isoformat()} is at another moment in each time zone; write it "
                        f'with an offset ({when.isoformat()}-03:00), or give zone = "America/Sao_Paulo"'
                    )
                object.__setattr__(self, name, when.replace(tzinfo=_zone(self.zone)))
        if self.hard is not None and self.hard < self.at:
            raise ValueError("deadline.hard: lies before deadline.at; give a later one")
        return self


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f'deadline.zone: no zone {name!r}; write it like "America/Sao_Paulo"') from None


class Attempts(Table):
    """[attempts] count: which attempt counts: the "last", the "last_in_time" (the last where none was), or the
    "best" after penalties."""

    count: Literal["last", "last_in_time", "best"] = "last_in_time"


class GradeRules(Table):
    """[grades]: how points become a grade.

    follow_through: the share of points that are given for work that only an earlier mistake spoils. digits:
    decimals of what counts; step: what counts is a multiple of it. missing: what counts where nothing was
    handed in.
    """

    follow_through: Annotated[float, Field(ge=0, le=1)] = 1.0
    digits: Annotated[int, Field(ge=0, le=4)] = 2
    step: Positive | None = None
    missing: Literal["empty", "zero"] = "empty"
