"""The catalogue: one file a mistake, `catalogue/<id>.toml`. Adding a mistake is adding one file. Imports no
torch.

    section = "2"  # of the chapter
    selfcheck = true     # common enough that `pytest exercises/` names it too
    advice = true  # worth telling, costs no points (left out: false)
    line_pattern = 'diagonal\\s*=\\s*0'   # a regular expression for the student's own line

    [[variant]]  # the mistake as code; the first variant's exercise is where it belongs
    exercise = "layer_norm"  # or a list: the same text is planted in each
    code = '''…'''  # put at the end of the solution's file, so that it redefines symbols; or
    edit = [["old", "new"]]  # lines of `chapter/<file>` (everything written out in one place) changed
    each = { FILL = ["a", "b"] }  # optional: one variant for each text in the place of FILL

    [en]         # and the same in every other language that there is, under its name: ["pt-BR"]
    name = "…"   # a short noun phrase
    what = "…"   # what happened
    why = "…"    # why it happens
    effect = "…"   # what it does to the model
    hints = ["a question", "the concept", "the operation by name"]    # never the finished line

The same mistake may live at several places (in layer_norm, or written out inside FeedForward): one
entry with several variants, so that it has the same name wherever it happens.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from autograder.assignment import Assignment
from autograder.course import Language

Text = Annotated[str, Field(min_length=3)]


class CatalogueError(Exception):
    """An entry cannot be used; the text names the file, the key and what to do."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, str_strip_whitespace=True)


class Words(_Table):
    """What a student reads, in one language."""

    name: Text
    what: Text
    why: Text
    effect: Text
    hints: tuple[Text, Text, Text]


class Variant(_Table):
    """The mistake as code, in one or several exercises.

    attempt: whether such code is a try at the exercise; a constant is none, and what it costs there is not
    given back in a later exercise.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=False)

    exercise: tuple[str, ...]
    code: str = ""
    edit: tuple[tuple[str, str], ...] = ()
    each: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    attempt: bool = True

    @field_validator("exercise", mode="before")
    @classmethod
    def _one_or_more(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _has_code(self) -> Self:
        if bool(self.code) == bool(self.edit):
            raise ValueError("variant: give either `code` or `edit`, not both and not neither")
        return self

    def spelt_out(self) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
        """(code, edit) for every combination of the texts in `each`."""
        found = []
        for chosen in itertools.product(*self.each.values()):
            pairs = list(zip(self.each, chosen, strict=True))
            edit = tuple((old, _put(new, pairs)) for old, new in self.edit)
            found.append((_put(self.code, pairs), edit))
        return found


def _put(text: str, pairs: list[tuple[str, str]]) -> str:
    for name, value in pairs:
        text = text.replace(name, value)
    return text


class Entry(_Table):
    """One known mistake."""

    id: str
    section: str
    selfcheck: bool = False
    advice: bool = False
    line_pattern: str | None = None
    variant: tuple[Variant, ...] = Field(min_length=1)
    languages: Mapping[Language, Words]

    @model_validator(mode="before")
    @classmethod
    def _sort_out_languages(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """A table that is no key of an entry is a language."""
        own = {key: value for key, value in data.items() if key in cls.model_fields}
        others = {key: value for key, value in data.items() if key not in own}
        words = {key: value for key, value in others.items() if isinstance(value, dict)}
        if "en" not in words:
            raise ValueError("en: Field required; add this key")
        return {**own, **{key: others[key] for key in others.keys() - words.keys()}, "languages": words}

    @field_validator("line_pattern")
    @classmethod
    def _is_a_pattern(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                re.compile(value)
            except re.error as e:
                raise ValueError(f"not a regular expression: {e}") from None
        return value

    @property
    def exercises(self) -> tuple[str, ...]:
        """Where it can happen; the first is where it belongs."""
        return tuple(dict.fromkeys(e for v in self.variant for e in v.exercise))

    def words(self, lang: Language) -> Words:
        """Its texts in that language, else in English."""
        return self.languages.get(lang, self.languages["en"])


def read_entry(path: Path) -> Entry:
    """One file of the catalogue. Raises CatalogueError."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as e:
        raise CatalogueError(f"{path.name}: cannot be read ({e}); save it as UTF-8 text") from None
    except tomllib.TOMLDecodeError as e:
        raise CatalogueError(f"{path.name}: is not TOML: {e}; correct that line") from None
    try:
        return Entry.model_validate({**data, "id": path.stem})
    except ValidationError as e:
        raise CatalogueError("\n".join(f"{path.name}: {_explain(err)}" for err in e.errors())) from None


_REMEDIES = {
    "missing": "add this key",
    "extra_forbidden": "no such key: remove it or correct its spelling",
    "too_long": "there must be exactly three hints",
    "string_too_short": "write a text",
}


def _explain(error: object) -> str:
    assert isinstance(error, dict)
    where = ".".join(str(step) for step in error["loc"] if step != "languages")
    remedy = _REMEDIES.get(str(error["type"]), "correct the value")
    return f"{where}: {str(error['msg']).removeprefix('Value error, ')}; {remedy}"


@cache
def catalogue(assignment: Assignment) -> Mapping[str, Entry]:
    """All known mistakes by id, in the order of their names. Raises CatalogueError."""
    entries = [read_entry(path) for path in sorted((assignment.chapter_folder / "mistakes").glob("*.toml"))]
    return {entry.id: entry for entry in entries}
