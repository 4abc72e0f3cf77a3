"""Everything a student reads, by its key: texts/<language>.toml, here and beside the exercises."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from exercises.selfcheck import chapter

HERE = Path(__file__).resolve().parent
FOLDERS = (
    HERE / "texts",
    chapter.HERE / "texts",
)  # the self-check's own; the chapter's, which go before them


def _languages() -> tuple[str, ...]:
    """A language is a file in both folders; English is always there, and stands in for what another lacks."""
    there = set.intersection(*({path.stem for path in folder.glob("*.toml")} for folder in FOLDERS))
    return ("en", *sorted(there - {"en"}))


LANGUAGES = _languages()


@cache
def load(lang: str) -> Mapping[str, Any]:
    """All texts of one language, the titles of the exercises among them."""
    found: dict[str, Any] = {"title": {e.id: e.title[lang] for e in chapter.EXERCISES if lang in e.title}}
    found["course"] = {"title": chapter.TITLE.get(lang) or chapter.TITLE["en"]}
    for folder in FOLDERS:
        for table, texts in tomllib.loads((folder / f"{lang}.toml").read_text(encoding="utf-8")).items():
            found[table] = {**found.get(table, {}), **texts}
    return found


@cache
def settings() -> Mapping[str, Any]:
    """settings.toml"""
    return tomllib.loads((HERE / "settings.toml").read_text(encoding="utf-8"))


def language(asked: str | None) -> str:
    """The language to speak: --lang, else EXERCISES_LANG, else settings.toml; "pt", "pt_br" ... will do."""
    for choice in (asked, os.environ.get("EXERCISES_LANG"), settings().get("language")):
        if found := named(choice or ""):
            return found
    return "en"


def named(choice: str) -> str | None:
    """The language that somebody means, by its name in any spelling or just how that begins; None: none."""
    meant = choice.lower().replace("_", "-")
    names = {lang.lower(): lang for lang in LANGUAGES}
    return names.get(meant) or next((names[n] for n in names if meant.startswith(n.split("-")[0])), None)


class Texts:
    """Texts of one language: texts("wrong.shape", got="(1, 2)")"""

    def __init__(self, lang: str) -> None:
        self.lang = lang
        self._data = load(lang)

    def __call__(self, key: str, **params: object) -> str:
        """The text of that key with its {params} filled in. Raises KeyError when there is none."""
        text = self.get(key)
        if text is None:
            raise KeyError(key)
        return str(text).strip().format(**params) if params else str(text).strip()

    def get(self, key: str) -> Any:
        """The entry of that key as it stands, or None: key parts are separated by dots."""
        own = _entry(self._data, key)
        return _entry(load("en"), key) if own is None else own


def _entry(entry: Any, key: str) -> Any:
    for part in key.split("."):
        if not isinstance(entry, Mapping) or part not in entry:
            return None
        entry = entry[part]
    return entry
