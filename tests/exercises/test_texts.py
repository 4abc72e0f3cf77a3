"""Texts, the chapter as data, the stubs, stored numbers: they fit together and to the course."""

from __future__ import annotations

import ast
import inspect
import json
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from autograder.assignment import load_assignment
from autograder.release.selfcheck import FACTS, facts
from exercises.selfcheck.chapter import EXERCISES, FILE_OF, FILES, all_tests
from exercises.selfcheck.check import Comparison
from exercises.selfcheck.screen import printable
from exercises.selfcheck.tables import blocks, first_difference, side_by_side
from exercises.selfcheck.texts import LANGUAGES, Texts, language, load
from tests.exercises.make_numbers import FILE, make

ROOT = Path(__file__).resolve().parents[2]


def leaves(data: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, f"{path}{key}.")
    else:
        yield path.removesuffix("."), data


def fields(text: object) -> set[str]:
    return {
        name
        for part in ([text] if isinstance(text, str) else [])
        for _, name, _, _ in string.Formatter().parse(part)
        if name
    }


def test_both_languages_have_the_same_texts_with_the_same_parameters() -> None:
    en, pt = (dict(leaves(load(lang))) for lang in LANGUAGES)
    assert en.keys() == pt.keys()
    assert [key for key in en if fields(en[key]) != fields(pt[key])] == []
    sentences = [key for key in en if key.startswith(("ui.", "wrong.", "hint.")) and key != "ui.all_done_run"]
    assert [key for key in sentences if en[key] == pt[key]] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_exercise_and_test_has_its_texts(lang: str) -> None:
    t = Texts(lang)
    for e in EXERCISES:
        assert len(t.get(f"hint.{e.id}")) == 3
        assert t(f"title.{e.id}")
    known = {f"{sheet}/{name}" for sheet, tests in load(lang)["test"].items() for name in tests}
    assert known == set(all_tests())


def test_every_key_that_code_uses_is_there() -> None:
    keys = {key for key, _ in leaves(load("en"))}
    folders = {"selfcheck": "*.py", "support": "*.py", "": "test_*.py"}
    sources = [path for folder, form in folders.items() for path in (ROOT / "exercises" / folder).glob(form)]
    starts = {key.split(".")[0] for key in keys}
    for path in sources:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                head, _, rest = node.value.partition(".")
                a_key = head in starts and rest.replace("_", "").isalnum() and rest != "py"
                if a_key and not rest.endswith("_"):  # not the start of one
                    assert node.value in keys, f"{path.name}: {node.value}"


def test_it_is_the_course() -> None:
    assignment = load_assignment()
    told = (ROOT / "exercises" / FACTS).read_text(encoding="utf-8")
    assert told == facts(assignment), "autograder notebook build"
    assert assignment.course.seed not in told
    assert [e.id for e in assignment.exercises] == [e.id for e in EXERCISES]
    assert assignment.symbols == FILE_OF


def signatures(package: str) -> dict[str, str]:
    found = {}
    for file in FILES:
        for node in ast.walk(ast.parse((ROOT / package / file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                found[f"{file}:{node.name}"] = (
                    ast.unparse(node.args) + " -> " + ast.unparse(node.returns or ast.Constant(None))
                )
    return found


def test_the_stubs_are_stubs_with_the_signatures_of_the_solutions() -> None:
    assert signatures("exercises") == signatures("solutions")
    for symbol, file in FILE_OF.items():
        text = (ROOT / "exercises" / file).read_text(encoding="utf-8")
        assert f'raise NotImplementedError("{symbol} is not written yet")' in text
        assert inspect.cleandoc(text).count("By hand") >= 1


def test_who_must_do_without_a_function_is_told() -> None:
    names: dict[str, list[str]] = {}
    for e in load_assignment().exercises:
        if e.id in FILE_OF:
            names[e.id] = e.not_allowed
    for file in FILES:
        for node in ast.parse((ROOT / "exercises" / file).read_text(encoding="utf-8")).body:
            symbol = getattr(node, "name", "")
            if symbol in names:
                said = "scaled_dot_product_attention" in ast.unparse(node)
                assert said == ("scaled_dot_product_attention" in names[symbol]), symbol
    for lang in LANGUAGES:
        (file,) = (ROOT / "autograder/chapter04/readme").glob(f"*.{lang}.md")
        readme = file.read_text(encoding="utf-8")
        told = {n for n in sum(names.values(), []) if n not in ("multi_head_attention_forward",)}
        assert [n for n in told if n not in readme] == []


def test_stored_numbers_come_from_plain_loops() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == make()


def test_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EXERCISES_LANG", raising=False)
    assert language(None) == "en"
    assert language("pt_br") == "pt-BR"
    monkeypatch.setenv("EXERCISES_LANG", "pt")
    assert language(None) == "pt-BR"
    assert language("en") == "en"


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp850", "utf-8", None])
def test_any_console_can_print(encoding: str | None) -> None:
    text = printable("✓ ✗ ○ … −∞ → é ã · █ ░ 語", encoding)
    assert text.encode(encoding or "ascii")
    assert "inf" in text or encoding == "utf-8"


def test_a_table_shows_where_results_differ() -> None:
    want = torch.arange(8.0).reshape(1, 2, 2, 2)
    got = want.clone()
    got[0, 1, 0, 1] = float("nan")
    c = Comparison(want, got, ("batch", "head", "token", "number"), ~(want == got))
    t = Texts("en")
    assert (
        first_difference(c, t)[0]
        == "First difference: head 1, token 0, number 1: expected 5, your code gave nan."
    )
    assert side_by_side(c, t) == [
        "                  expected     your code",
        "head 0  token 0   0  1           0     1",
        "        token 1   2  3           2     3",
        "head 1  token 0   4  5           4   nan*",
        "        token 1   6  7           6     7",
    ]
    assert blocks(want, t) == ["head 0", "  0  1", "  2  3", "head 1", "  4  5", "  6  7"]
    assert blocks(want[:, :1], t) == ["0  1", "2  3"]
    assert blocks(want.reshape(2, 1, 2, 2), Texts("pt-BR"))[3:] == ["frase 1", "  4  5", "  6  7"]
    assert blocks(want.reshape(2, 2, 2), t)[0] == "sentence 0"
    wide = torch.arange(40.0).reshape(2, 20) * 1.25
    stacked = side_by_side(Comparison(wide, wide, ("token", "number"), wide > 0), t)
    assert len(stacked) == 6
