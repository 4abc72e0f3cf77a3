"""Both languages say the same, and all that the lab asks for."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

from lab.language import Texts
from lab.portrait import RULES
from lab.portrait_text import COLUMNS


def test_languages_have_the_same_sentences_with_the_same_names() -> None:
    en, pt = Texts("en").sentences, Texts("pt-BR").sentences
    assert set(en) == set(pt)
    for id, sentence in en.items():
        names = [{name for _, name, _, _ in Formatter().parse(text) if name} for text in (sentence, pt[id])]
        assert names[0] == names[1], id


def test_every_sentence_asked_for_exists_and_every_one_is_used(root: Path) -> None:
    sentences = Texts("en").sentences
    code = "\n".join(p.read_text(encoding="utf-8") for p in (root / "lab").glob("*.py"))
    asked = set(re.findall(r'\bt\(\s*"([^"]+)"', code)) | set(re.findall(r"\bt\(\s*'([^']+)'", code))
    built = {f"label.{r.label}" for r in RULES} | {f"short.{r.label}" for r in RULES}
    built |= {f"rule.{r.label}" for r in RULES} | {f"measure.{c}" for c in COLUMNS}
    asked = {id for id in asked if "{" not in id and not id.endswith(".")} | built
    assert asked <= set(sentences)
    prefixes = tuple(re.findall(r'\bt\(\s*f?"([a-z_.]+\.[a-z_]*)\{', code)) + tuple(
        re.findall(r"""\bt\(["']([a-z.]+\.)["'] ?\+""", code)
    )
    unused = {id for id in sentences if id not in code and not id.startswith(prefixes)} - built
    assert unused == set()


def test_numbers_are_written_as_the_language_does() -> None:
    assert Texts("en").number(1234.5, 1) == "1,234.5"
    assert Texts("pt-BR").number(1234.5, 1) == "1.234,5"
