"""What the lab says, in the reader's language: texts/<language>.toml, one sentence an id."""

from __future__ import annotations

import tomllib
from pathlib import Path

LANGUAGES = ("en", "pt-BR")


class Texts:
    """texts("id", name=value) -> the sentence; numbers are written as the language writes them."""

    def __init__(self, language: str = "en") -> None:
        self.language = language
        path = Path(__file__).resolve().parent / "texts" / f"{language}.toml"
        self.sentences: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))

    def __call__(self, id: str, **params: object) -> str:
        """Raises KeyError for an id or a parameter that does not exist: a mistake of ours."""
        return self.sentences[id].format(**params)

    def number(self, value: float, digits: int = 2) -> str:
        """0.41, or 0,41 in Portuguese."""
        text = f"{value:,.{digits}f}"
        if self.language == "pt-BR":
            text = text.translate(str.maketrans(".,", ",."))
        return text

    def percent(self, share: float) -> str:
        """41 %"""
        return f"{100 * share:.0f} %"
