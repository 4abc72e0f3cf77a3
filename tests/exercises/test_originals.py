"""`--reset FILE` gives the fresh stub and loses nothing; a kit's file that was changed is told."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from autograder.assignment import load_assignment
from autograder.release.selfcheck import ORIGINALS, exercises_of, originals
from tests.exercises.run import NO_GPT2, ROOT, copied, run

KIT = load_assignment()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """exercises/ as it is handed out."""
    folder = copied(tmp_path, "exercises") / "exercises"
    text = originals(exercises_of(KIT), KIT, own=False)
    (folder / ORIGINALS).write_text(text, encoding="utf-8")
    return folder


def test_the_stubs_that_are_kept_are_those_of_the_exercises() -> None:
    kept = (ROOT / "exercises" / ORIGINALS).read_text(encoding="utf-8")
    assert kept == originals(exercises_of(KIT), KIT, own=True), "run `autograder notebook build`"


@pytest.mark.parametrize(
    ("name", "lang", "said"),
    [("heads.py", "en", "heads.py is as it came."), ("exercises/heads.py", "en", "heads.py is as it came."),
     ("split_heads", "pt-BR", "heads.py está como veio."), ("heads", "pt-BR", "heads.py está como veio.")],
)  # fmt: skip
def test_reset(name: str, lang: str, said: str, home: Path) -> None:
    fresh = (home / "heads.py").read_bytes()
    for text in (b"first try", b"second try"):
        (home / "heads.py").write_bytes(text)
        r = run("exercises/", "--reset", name, "--lang", lang, cwd=home.parent)
        assert r.code == 0
        assert said in r.out
        assert (home / "heads.py").read_bytes() == fresh
    assert (home / "heads.py.kept").read_bytes() == b"first try"
    assert (home / "heads.py.kept2").read_bytes() == b"second try"
    run("exercises/", "--reset", name, cwd=home.parent)
    assert len(list(home.glob("heads*"))) == 3  # what is fresh is not kept again


@pytest.mark.parametrize("name", ["test_heads.py", "../course.toml", "nothing"])
def test_what_there_is_no_fresh_one_of(name: str, home: Path) -> None:
    before = {path: path.read_bytes() for path in home.rglob("*.*") if path.is_file()}
    r = run("exercises/", "--reset", name, cwd=home.parent)
    assert r.code == 4
    assert "There is one of heads.py, mask.py, attention.py, kv_cache.py" in r.text
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize(
    ("file", "text"),
    [("test_heads.py", "def test_one(split_heads):\n    pass\n"), ("test_mask.py", "def broken(:\n"),
     ("selfcheck/report.py", "def broken(:\n"), ("selfcheck/texts/en.toml", "broken ["),
     ("conftest.py", "# mine"),
     ("test_attention.py", None)],
)  # fmt: skip
def test_a_changed_file_of_the_kit_is_told(file: str, text: str | None, home: Path) -> None:
    if text is None:
        (home / file).unlink()
    else:
        before = (home / file).read_text(encoding="utf-8")
        (home / file).write_text(before + text if text.startswith("#") else text, encoding="utf-8")
    r = run("exercises/", NO_GPT2, "--exercise", "split_heads", cwd=home.parent)
    assert "These files belong to the kit and were changed" in r.text
    assert file in r.out
    assert "INTERNALERROR" not in r.out


def test_line_ends_settings_and_own_files_are_no_change(home: Path) -> None:
    (home / "test_heads.py").write_bytes((home / "test_heads.py").read_bytes().replace(b"\n", b"\r\n"))
    (home / "selfcheck/settings.toml").write_text('language = "en"\nseconds = 20\n', encoding="utf-8")
    (home / "my_helper.py").write_text("x = 1\n", encoding="utf-8")
    shutil.copy(home / "test_heads.py", home / "test_mine.txt")
    r = run("exercises/", NO_GPT2, "--exercise", "split_heads", cwd=home.parent)
    assert "belong to the kit" not in r.text


def test_no_file_that_is_given_out_is_left_without_a_hash() -> None:
    told = json.loads(originals(exercises_of(KIT), KIT, own=False))
    assert {*told["stubs"], *told["kit"], ORIGINALS, KIT.notebook, "selfcheck/settings.toml"} == {
        *exercises_of(KIT), ORIGINALS
    }  # fmt: skip
