"""What the lab says, in the reader's language: texts/<language>.toml, one sentence an id."""

from __future__ import annotations

import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent / "texts"
LANGUAGES = ("en", *sorted(path.stem for path in HERE.glob("*.toml") if path.stem != "en"))


class Texts:
    """texts("id", name=value) -> the sentence; numbers are written as the language writes them."""

    def __init__(self, language: str = "en") -> None:
        self.language = language
        self.sentences: dict[str, str] = {}
        for one in ("en", language):  # English stands in for what is missing
            self.sentences |= tomllib.loads((HERE / f"{one}.toml").read_text(encoding="utf-8"))

    def __call__(self, id: str, **params: object) -> str:
        """Raises KeyError for an id or a parameter that does not exist: a mistake of ours."""
        return self.sentences[id].format(**params)

    def number(self, value: float, digits: int = 2) -> str:
        """0.41, or 0,41 in Portuguese."""
        marks = str.maketrans({".": self("number.point"), ",": self("number.group")})
        return f"{value:,.{digits}f}".translate(marks)

    def percent(self, share: float) -> str:
        """41 %"""
        return f"{100 * share:.0f} %"
