"""Every sentence exists in every language, and every id that is used has one."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from pydantic import JsonValue

from autograder import assignment as module
from autograder.assignment import Assignment, load_assignment
from autograder.course import Language
from autograder.feedback.rich import parameters
from autograder.feedback.texts import TextError, problems, texts
from tests.feedback.languages import KIT, LANGUAGES, say, t
from tests.feedback.used_ids import hidden_tests, python_uses, strings, template_uses

# Ids that are put together in the code.
MADE = {
    *(f"status.{s}" for s in ("right", "fix", "not_written", "waiting")),
    *(f"isolation.{s}" for s in ("strong", "no-namespaces", "none")),
    *(
        f"block.{s}"
        for s in ("mistake", "load", "raised", "timeout", "died", "bad_reply", "unknown", "several")
    ),
    *(f"gradebook.{s}" for s in ("not_written", "waiting")),
    *(f"died.{s}" for s in ("exit", "signal", "memory", "cpu")),
    *(f"timeout.{s}" for s in ("cpu", "wall", "repeated", "loading")),
    *(f"class.undefined.{s}" for s in ("few", "same_item", "same_rest")),
    *(f"page.hint.{n}" for n in (1, 2, 3)),
    "load.syntax",
    "load.failed",
}
# What begins like this ends in what a result says.
KINDS = ("about.", "axis.", "class.flag.", "concept.", "explain.", "hint.")


def test_nothing_is_missing() -> None:
    assert problems(KIT) == []


def test_every_id_used_has_a_text() -> None:
    used = [*python_uses(), *template_uses()]
    assert len(used) > 100, "the search for ids finds too little to prove anything"
    missing = sorted({f"{u.id} ({u.where})" for u in used if u.id not in say().sentences})
    assert missing == []
    assert sorted(MADE - set(say().sentences)) == []


def test_every_text_is_used() -> None:
    """Its id, or the end of it where the beginning is put before it, is a string of the kit."""
    said = strings() | MADE
    idle = []
    for id in say().sentences:
        plain = id.split(":")[0].removesuffix(".text")
        steps = plain.split(".")
        ends = {".".join(steps[i:]) for i in range(len(steps))} | {id.split(":")[0]}
        if not id.startswith(KINDS) and not ends & said:
            idle.append(id)
    assert idle == []


def test_texts_ask_only_for_parameters_that_are_given() -> None:
    wrong = []
    for use in python_uses():
        for id in say().variants(use.id):
            asked = parameters(say().sentences.get(id, ""))
            if id.endswith(":with_cell"):  # given by extract.places to whatever has file and line
                asked -= {"cell", "cell_line"}
            if use.params is not None and not asked <= use.params:
                wrong.append(f"{use.where}: {id} asks for {sorted(asked - use.params)}")
    assert wrong == []


def test_every_hidden_test_has_its_concept_in_words() -> None:
    ids = list(hidden_tests())
    assert len(ids) > 50
    assert [id for id in ids if f"concept.{id}" not in say().sentences] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_exercise_has_three_hints(lang: str) -> None:
    hints = {id: text for id, text in say(lang).sentences.items() if id.startswith("hint.")}
    assert set(hints) == {f"hint.{e.id}.{n}" for e in load_assignment().exercises for n in (1, 2, 3)}
    assert lang == "en" or not {*hints.values()} & {*say("en").sentences.values()}


def test_concepts_of_tests_that_are_gone_are_gone() -> None:
    concepts = {id.removeprefix("concept.") for id in say().sentences if id.startswith("concept.")}
    assert sorted(concepts - set(hidden_tests())) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_variant_belongs_to_an_id(lang: str) -> None:
    said = say(lang).sentences
    assert [id for id in said if ":" in id and id.split(":")[0] not in said] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_files_are_sorted(lang: str) -> None:
    for folder in (module.MESSAGES, KIT.chapter_folder / "messages"):
        ids = list(tomllib.loads((folder / f"{lang}.toml").read_text(encoding="utf-8")))
        assert ids == sorted(ids)


def test_the_languages_are_not_the_same() -> None:
    longer = [id for id, text in say().sentences.items() if len(text) > 25 and "{" not in text]
    longer.remove("page.done.command")  # people type it
    assert len(longer) > 50
    assert [id for id in longer if say("pt-BR").sentences[id] == say().sentences[id]] == []


def test_portuguese_has_a_decimal_comma_in_prose_only() -> None:
    said = t("cost.too_slow", "pt-BR", ratio=1.5, threshold=3.0, prompt=256)
    assert "1,5" in said
    assert "1.5" in t("cost.too_slow", "en", ratio=1.5, threshold=3.0, prompt=256)
    assert "`" not in said
    assert "0.25" in t("page.got_value", "pt-BR", value=0.25)  # in code a dot in every language


def content(folder: Path, engine: str, chapter: str = "", lang: str = "en") -> Path:
    """Two messages files of a language."""
    for name, text in (("engine", engine), ("chapter/messages", chapter)):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / f"{lang}.toml").write_text(text, encoding="utf-8")
    return folder


def assignment_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Assignment:
    """The kit's assignment, with these texts instead of its own."""
    monkeypatch.setattr(module, "MESSAGES", folder / "engine")
    own = KIT.content.model_copy(update={"chapter": "chapter"})
    return KIT.model_copy(update={"root": folder, "content": own})


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content(tmp_path, '"a" = "one {x}"\n"b" = "two"\n', '"c" = ""\n"d" = "four"\n')
    content(tmp_path, '"a" = "um {y}"\n', '"c" = "três"\n', "pt-BR")
    found = "\n".join(problems(assignment_in(tmp_path, monkeypatch)))
    assert "engine/pt-BR.toml: 'b' is missing" in found
    assert "chapter/messages/en.toml: 'c' is empty" in found
    assert "chapter/messages/pt-BR.toml: 'd' is missing" in found
    assert "'a': the languages use different parameters (en: x; pt-BR: y)" in found


def test_a_broken_file_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = assignment_in(content(tmp_path, "a = = 1"), monkeypatch)
    with pytest.raises(TextError, match="is not TOML"):
        texts("en", broken)
    content(tmp_path, 'locale = "qq"', lang="en")
    with pytest.raises(TextError, match="'qq' is no locale"):
        texts("en", broken)


def test_variants() -> None:
    assert t("class.students", "en", n=1) == "1 student"
    assert t("class.students", "pt-BR", n=2) == "2 estudantes"
    given = {"what": "weights", "nan": 3, "inf": 0, "total": 9}
    assert "rows" in t("values.not_finite", "en", rows=[0, 2], **given)
    assert "0 and 2" in t("values.not_finite", "en", rows=[0, 2], **given)
    assert "0 e 2" in t("values.not_finite", "pt-BR", rows=[0, 2], **given)
    assert "rows" not in t("values.not_finite", "en", rows=[], **given)
    place = {"file": "heads.py", "line": 3, "kind": "SystemExit", "text": ""}
    for lang in LANGUAGES:  # nothing was said, so nothing is quoted
        assert "SystemExit. N" in t("load.failed", lang, **place)
        assert "4" in t("load.failed", lang, cell=7, cell_line=4, **place)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_of_a_kind_is_not_many(lang: Language) -> None:
    rows: dict[str, JsonValue] = {"schedule": [1, 1], "what": "output", "rows": [0], "use_cache": True}
    one = dict.fromkeys(("past", "got", "fed", "new", "n", "wrong", "cells", "n_query"), 1)
    other = {"step": 2, "expected": 4, "total": 9, "n_positions": 9, "n_key": 4, "row": 0, "allowed": [0]}
    more = {"first": [0], "query": 0, "key": 1, "start": 3, "detail": "x", "rows": 1}
    for id in (
        *("cache.step", "cache.past_changed", "certain.cache_length", "certain.cache_passed", "certain.fed"),
        *("certain.first_wrong_step", "certain.length", "certain.mask_row", "generate.not_whole"),
        *("generate.past_the_end", "generate.old_cache", "values.differ", "weights.future"),
        "problem.notebook.damaged",
    ):
        given = rows | one | other | (more if id != "certain.first_wrong_step" else {})
        said = t(id, lang, **given)
        assert not re.search(r"(?<![+\d] )\b1 (\w+s|new ones|novos)\b", said), said
        assert id not in said, said


def test_an_unknown_id_still_says_something() -> None:
    assert t("from.a.newer.kit", "en", n=3) == "from.a.newer.kit n=3"
    assert t("raised", "en").startswith("raised")  # parameters missing
