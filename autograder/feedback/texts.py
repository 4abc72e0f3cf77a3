"""Every sentence of the pages by id, one file a language (messages/en.toml, messages/pt-BR.toml).

An id may have variants for parameters that are empty, 0 or not given: "values.not_finite" and
"values.not_finite:no_rows" (used when `rows` is empty, 0, None or missing), for one thing of a kind:
"page.tests:one_n" (used when n is 1), and for parameters that only some have: "raised:with_cell". With
several conditions, "raised:no_text:with_cell", all must hold, and that variant comes first.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import get_args

from pydantic import JsonValue

from autograder.assignment import Language
from autograder.feedback.rich import Rich, Span, parameters, plain, rich
from autograder.feedback.safe import visible

FOLDER = Path(__file__).parent / "messages"
LANGUAGES: tuple[Language, ...] = get_args(Language)


class TextError(Exception):
    """A messages file cannot be used; the text says which, and what to correct."""


@cache
def texts(lang: Language) -> Mapping[str, str]:
    """All sentences of a language. Raises TextError."""
    path = FOLDER / f"{lang}.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise TextError(f"{path}: no such file; add the texts of {lang!r}") from None
    except tomllib.TOMLDecodeError as e:
        raise TextError(f"{path}: is not TOML: {e}; correct that line") from None
    for key, value in data.items():
        if not isinstance(value, str):
            raise TextError(f'{path}: {key} is not a text; put ids in quotes: "a.b" = "…"')
    return data


def known(id: str) -> bool:
    """Whether there is a text of this id (the test suite proves it for every id that is used)."""
    return id in texts("en")


def sentence(id: str, lang: Language, params: Mapping[str, JsonValue] | None = None) -> Rich:
    """The sentence, taken apart. An unknown id or a missing parameter shows the id and what came with it:
    a result of a newer kit can still be read."""
    params = params or {}
    template = _variant(id, lang, params)
    if template is None:
        return _bare(id, params)
    try:
        return rich(template, params, lang)
    except (KeyError, ValueError):
        return _bare(id, params)


def t(id: str, lang: Language, **params: JsonValue) -> str:
    """The sentence as bare text."""
    return plain(sentence(id, lang, params))


def problems() -> list[str]:
    """What is missing in which language, and parameters that differ. Empty when complete."""
    found = []
    everywhere = sorted(set().union(*(texts(lang) for lang in LANGUAGES)))
    for id in everywhere:
        wanted: dict[Language, set[str]] = {}
        for lang in LANGUAGES:
            if id not in texts(lang):
                found.append(f"{FOLDER.name}/{lang}.toml: {id!r} is missing; add it")
            elif not texts(lang)[id].strip():
                found.append(f"{FOLDER.name}/{lang}.toml: {id!r} is empty; write it")
            else:
                wanted[lang] = parameters(texts(lang)[id])
        if len({frozenset(names) for names in wanted.values()}) > 1:
            listed = "; ".join(
                f"{lang}: {', '.join(sorted(names)) or 'none'}" for lang, names in wanted.items()
            )
            found.append(f"{id!r}: the languages use different parameters ({listed}); make them the same")
    return found


def _variant(id: str, lang: Language, params: Mapping[str, JsonValue]) -> str | None:
    """The text of the id, or of its first variant that fits."""
    all_texts = texts(lang)
    for key in variants(id, lang):
        if all(_holds(condition, params) for condition in key.removeprefix(id).split(":")[1:]):
            return all_texts[key]
    return all_texts.get(id)


def _holds(condition: str, params: Mapping[str, JsonValue]) -> bool:
    kind, _, name = condition.partition("_")
    value = params.get(name)
    empty = value in (None, "", [], 0)
    return {"no": empty, "with": not empty, "one": value in (1, "1")}.get(kind, False)


@cache
def variants(id: str, lang: Language) -> tuple[str, ...]:
    """Ids of the variants of an id, those with more conditions first."""
    found = sorted(key for key in texts(lang) if key.startswith(id + ":"))
    return tuple(sorted(found, key=lambda key: -key.count(":")))


def _bare(id: str, params: Mapping[str, JsonValue]) -> Rich:
    listed = ", ".join(f"{k}={v!r}" for k, v in params.items())
    return (Span(visible(f"{id} {listed}".strip(), limit=500), code=True),)
