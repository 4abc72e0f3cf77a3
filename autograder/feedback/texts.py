"""Every sentence by id, in the language of a page: the engine's, in messages/<language>.toml beside this
file, and the chapter's, in messages/<language>.toml of its folder; hints are those of the self-check, in
texts/ of the exercises. English stands in for what is missing.

An id may have variants for parameters that are empty, 0 or not given: "values.not_finite" and
"values.not_finite:no_rows" (used when `rows` is empty, 0, None or missing), for one thing of a kind:
"page.tests:one_n" (used when n is 1), for the other plural forms of a language: "page.tests:few_n" (two, few,
many, as Babel tells them), and for parameters that only some have: "raised:with_cell". With several
conditions, "raised:no_text:with_cell", all must hold, and that variant comes first.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from babel import Locale, UnknownLocaleError
from pydantic import JsonValue

from autograder import assignment as folders
from autograder.assignment import Assignment
from autograder.course import Language
from autograder.feedback.rich import Rich, Span, enumeration, number, parameters, plain, points, rich
from autograder.feedback.safe import visible

PLURALS = ("two", "few", "many")  # the forms beside one and other; Babel knows which number has which


class TextError(Exception):
    """A messages file cannot be used; the text says which, and what to correct."""


class Texts:
    """say("page.tests", n=3): the sentences of an assignment in one language.

    Raises TextError for a file that cannot be read.
    """

    def __init__(self, assignment: Assignment, lang: Language) -> None:
        self.assignment, self.lang = assignment, lang
        own, english = (_merged(assignment, each) for each in (lang, "en"))
        # A text that is there brings its own variants; those of the English one do not fit it.
        kept = {id: text for id, text in english.items() if ":" not in id or id.split(":")[0] not in own}
        self.sentences: Mapping[str, str] = kept | own
        self.locale = _locale(own.get("locale", lang), lang)
        self._variants: dict[str, list[str]] = {}
        for id in sorted(self.sentences, key=lambda id: (-id.count(":"), id)):
            self._variants.setdefault(id.split(":")[0], []).append(id)

    def __call__(self, id: str, **params: JsonValue) -> str:
        """The sentence as bare text."""
        return plain(self.rich(id, params))

    def rich(self, id: str, params: Mapping[str, JsonValue] | None = None) -> Rich:
        """The sentence, taken apart. An unknown id or a missing parameter shows the id and what came with it:
        a result of a newer kit can still be read."""
        params = params or {}
        for key in self._variants.get(id, ()):
            if all(self._holds(condition, params) for condition in key.split(":")[1:]):
                try:
                    return rich(self.sentences[key], params, self.locale)
                except (KeyError, ValueError, ArithmeticError):  # a number that no language writes
                    break
        listed = ", ".join(f"{k}={v!r}" for k, v in params.items())
        return (Span(visible(f"{id} {listed}".strip(), limit=500), code=True),)

    def known(self, id: str) -> bool:
        """Whether there is a text of this id (the test suite proves it for every id that is used)."""
        return id in self.sentences

    def variants(self, id: str) -> Sequence[str]:
        """The id and its variants, those with more conditions first."""
        return self._variants.get(id, ())

    def number(self, value: float, decimals: int | None = None) -> str:
        """As prose has it: at most four digits that count, or so many decimals."""
        return number(value, self.locale, decimals)

    def points(self, value: float) -> str:
        """Points: at most two decimals."""
        return points(value, self.locale)

    def listed(self, items: Sequence[str]) -> str:
        """Items as people list them: 0, 1 and 2."""
        return enumeration(items, self.locale)

    def _holds(self, condition: str, params: Mapping[str, JsonValue]) -> bool:
        kind, _, name = condition.partition("_")
        value = params.get(name)
        empty = value in (None, "", [], 0)
        if kind in PLURALS:
            value = len(value) if isinstance(value, list) else value
            return isinstance(value, int | float) and self.locale.plural_form(value) == kind
        return {"no": empty, "with": not empty, "one": value in (1, "1")}.get(kind, False)


@cache
def texts(lang: Language, assignment: Assignment) -> Texts:
    """The sentences of a language. Raises TextError."""
    return Texts(assignment, lang)


def problems(assignment: Assignment) -> list[str]:
    """What is missing in which language, and parameters that differ. Empty when complete."""
    found = []
    for folder in _folders(assignment):
        each = {lang: _read(folder / f"{lang}.toml") for lang in assignment.languages}
        for id in sorted(set().union(*each.values()) - {"locale"}):
            wanted: dict[Language, set[str]] = {}
            for lang, there in each.items():
                where = f"{folder.parent.name}/{folder.name}/{lang}.toml"
                if id not in there and not any(f":{form}_" in id for form in PLURALS):
                    found.append(f"{where}: {id!r} is missing; add it")
                elif id in there and not there[id].strip():
                    found.append(f"{where}: {id!r} is empty; write it")
                elif id in there:
                    wanted[lang] = parameters(there[id])
            if len({frozenset(names) for names in wanted.values()}) > 1:
                listed = "; ".join(
                    f"{lang}: {', '.join(sorted(names)) or 'none'}" for lang, names in wanted.items()
                )
                found.append(f"{id!r}: the languages use different parameters ({listed}); make them the same")
    return found


def _folders(assignment: Assignment) -> tuple[Path, Path]:
    """The engine's texts, and the chapter's, which may say a sentence of the engine in its own words."""
    return folders.MESSAGES, assignment.chapter_folder / "messages"


def _merged(assignment: Assignment, lang: Language) -> dict[str, str]:
    files = [_read(folder / f"{lang}.toml") for folder in _folders(assignment)]
    return {id: text for one in files for id, text in one.items()} | _hints(assignment, lang)


def _hints(assignment: Assignment, lang: Language) -> dict[str, str]:
    """hint.<exercise>.<number>: those that the self-check gives."""
    path = assignment.exercises_folder / "texts" / f"{lang}.toml"
    hints = _toml(path).get("hint", {})
    return {f"hint.{id}.{n}": text for id, those in hints.items() for n, text in enumerate(those, 1)}


def _read(path: Path) -> dict[str, str]:
    data = _toml(path)
    for key, value in data.items():
        if not isinstance(value, str):
            raise TextError(f'{path}: {key} is not a text; put ids in quotes: "a.b" = "…"')
    return data


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except tomllib.TOMLDecodeError as e:
        raise TextError(f"{path}: is not TOML: {e}; correct that line") from None


def _locale(name: str, lang: Language) -> Locale:
    try:
        return Locale.parse(name, sep="-")
    except (ValueError, UnknownLocaleError):
        raise TextError(
            f'{lang}.toml: {name!r} is no locale that Babel knows; name one: "locale" = "pt-BR"'
        ) from None
