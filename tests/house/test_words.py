"""Engine and self-check know no word of the chapter: neither its symbols and files nor what it is about."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import autograder
from autograder.assignment import load_assignment
from autograder.release.selfcheck import package

ROOT = Path(autograder.__file__).parent
TEXTS = {".py", ".toml", ".html", ".md", ".txt", ".css", ".js", ".j2"}
SUBJECT = {"GPT", "gpt2", "causal", "logits", "c_attn", "c_proj", "n_head", "KV", "n_positions"}


def words() -> set[str]:
    """All that only the kit's own chapter may say."""
    kit = load_assignment()
    return {*kit.symbols, *kit.files, *(e.id for e in kit.exercises), kit.content.notebook, *SUBJECT}


def said(text: str, known: set[str]) -> list[str]:
    """The words of `known` in a text, as words."""
    return sorted(known & {*re.findall(r"\w+", text), *re.findall(r"\w+\.py", text)})


def engine() -> list[Path]:
    """The engine's files, and what is the same in the exercises of every assignment."""
    chapter = load_assignment().chapter_folder
    found = [p for p in ROOT.rglob("*") if p.suffix in TEXTS and chapter not in p.parents]
    return found + [ROOT.parent / "exercises" / name for name in package()]


@pytest.mark.parametrize("path", engine(), ids=lambda p: str(p.relative_to(ROOT.parent)))
def test_a_file_of_the_engine_says_nothing_of_the_chapter(path: Path) -> None:
    assert said(path.read_text(encoding="utf-8"), words()) == []


def test_the_words_are_seen() -> None:
    here = ROOT.joinpath("chapter04", "hidden", "test_heads.py").read_text(encoding="utf-8")
    assert {"split_heads", "merge_heads"} <= set(said(here, words()))
    assert len(engine()) > 150
