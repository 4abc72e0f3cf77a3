"""The catalogue's form: what is wrong in an entry is told with the file and the remedy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from autograder.assignment import KIT as ROOT
from autograder.assignment import load_assignment
from autograder.diagnosis import confusion
from autograder.diagnosis.confusion import solution_lines, text_problems
from autograder.diagnosis.entries import CatalogueError, catalogue, read_entry
from autograder.diagnosis.mutants import plant
from autograder.diagnosis.texts import mistake, mistake_words
from autograder.release import known_mistakes as known

FILES = {"split_heads": "heads.py", "MultiHeadAttention": "attention.py"}
WORDS = 'name = "a name"\nwhat = "what"\nwhy = "why"\neffect = "effect"\nhints = ["one?", "two", "three"]\n'
GOOD = f"""
section = "2"
[[variant]]
exercise = "split_heads"
code = "def split_heads(x, n_head): return x"
[en]
{WORDS}
[pt-BR]
{WORDS}
"""


def entry(folder: Path, text: str, name: str = "a-mistake"):
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return read_entry(path)


def test_a_good_entry_is_read(tmp_path):
    read = entry(tmp_path, GOOD)
    assert (read.id, read.exercises, read.words("pt-BR").hints) == (
        "a-mistake", ("split_heads",), ("one?", "two", "three"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('section = "2"', "", "section: Field required; add this key"),
        ('section = "2"', 'section = "2"\nsektion = 1', "sektion"),
        ('"two", "three"]', '"two"]', "hints"),
        ('why = "why"\n', "", "en.why"),
        ('section = "2"', 'section = "2"\nline_pattern = "("', "not a regular expression"),
        ("code =", "kode =", "kode"),
        ("[en]", "[en", "is not TOML"),
    ],
)
def test_an_error_names_file_and_key(tmp_path, old, new, says):
    with pytest.raises(CatalogueError, match="a-mistake.toml") as caught:
        entry(tmp_path, GOOD.replace(old, new))
    assert says in str(caught.value)


def test_a_variant_has_either_code_or_edits(tmp_path):
    both = GOOD.replace("code =", 'edit = [["a", "b"]]\ncode =')
    with pytest.raises(CatalogueError, match="either `code` or `edit`"):
        entry(tmp_path, both)


def test_what_cannot_be_planted_is_told(tmp_path):
    lost = GOOD.replace('code = "def split_heads(x, n_head): return x"', 'edit = [["no such line", "b"]]')
    lost = lost.replace('"split_heads"', '"MultiHeadAttention"')
    with pytest.raises(CatalogueError, match="no line has 'no such line'"):
        plant(entry(tmp_path, lost), load_assignment())
    with pytest.raises(CatalogueError, match="no exercise 'split_head'"):
        plant(entry(tmp_path, GOOD.replace('"split_heads"', '"split_head"')), load_assignment())


def test_each_makes_one_variant_for_each_text(tmp_path):
    text = GOOD.replace("return x", "return FILL").replace("[en]", 'each = { FILL = ["x", "-x"] }\n[en]', 1)
    sources = [p.source for p in plant(entry(tmp_path, text), load_assignment())]
    assert [s.endswith(end) for s, end in zip(sources, ("return x", "return -x"), strict=True)] == [
        True,
        True,
    ]


def test_the_catalogue_is_large_and_its_texts_are_complete():
    assert len(catalogue(load_assignment())) >= 70
    assert text_problems(load_assignment()) == []
    assert "x.transpose(1, 2)" in solution_lines(load_assignment())


def test_names_of_code_stand_in_backticks():
    assert confusion._bare("`c_proj` comes once; `float32` and True, of c_attn or view(1)") == [
        "True", "c_attn", "view(",
    ]  # fmt: skip


def test_texts_need_no_torch():
    code = (
        "import sys; from autograder.diagnosis.texts import mistake_words; "
        "from autograder.assignment import load_assignment; "
        "mistake_words('diagonal-0', 'en', load_assignment()); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_texts_by_id_and_language():
    en, pt = (mistake_words("diagonal-0", lang, load_assignment()) for lang in ("en", "pt-BR"))
    assert en
    assert pt
    assert en.name != pt.name
    assert mistake_words("not-there", "en", load_assignment()) is None
    assert mistake("not-there", load_assignment()) is None


def test_the_selfchecks_file_is_made_from_the_catalogue():
    content = known.json.loads(known.file_of(load_assignment()).read_text(encoding="utf-8"))
    assert content == known.retold(load_assignment())  # texts of today, nothing that has left the catalogue
    ids = {m["id"] for m in content["mistakes"]}
    assert len(ids) >= 20
    assert ids <= {e.id for e in catalogue(load_assignment()).values() if e.selfcheck}
    assert "def " not in known.file_of(load_assignment()).read_text(encoding="utf-8")
