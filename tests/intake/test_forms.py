"""Right work in every form in which it comes: each exercise is taken from where the work is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

from autograder.assignment import load_assignment
from autograder.course import Language, Limits
from autograder.intake import Submission, incoming
from autograder.intake.read import read
from autograder.sandbox import NotWritten, reference_for
from autograder.sandbox.inprocess import InProcessStudent
from tests.intake.forms import GOOD, Files, forms

LIMITS = Limits()
NAMES = sorted(forms("en"))
x = torch.arange(2 * 3 * 4.0).reshape(2, 3, 4)


def hand_in(folder: Path, files: Files) -> Submission:
    for name, text in files.items():
        path = folder / "ana" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    (folder / "bea").mkdir(parents=True, exist_ok=True)  # nobody is alone in a class
    (folder / "bea" / "heads.py").write_text("x = 1\n", encoding="utf-8")
    found, _ = incoming(folder, load_assignment())
    return read(next(one for one in found if one.student == "ana"), load_assignment())


def works(got: Submission, *replaced: str) -> None:
    """Runs all of it in this process: the tests' own code is no stranger's."""
    from solutions.attention import MultiHeadAttention
    from solutions.kv_cache import attend_with_cache

    files = {name: stub.encode() for name, stub in load_assignment().stubs.items()} | dict(got.files)
    student = InProcessStudent(
        LIMITS, files, reference_for(replaced, load_assignment()) if replaced else {}, load_assignment()
    )
    heads = student.split_heads(x, 2)
    assert torch.equal(heads, x.reshape(2, 3, 2, 2).transpose(1, 2))
    assert torch.equal(student.merge_heads(heads), x)
    assert torch.equal(student.causal_mask(3), torch.ones(3, 3).triu(1).bool())
    module = MultiHeadAttention(4, 2)
    theirs = student.MultiHeadAttention(4, 2, state_dict=module.state_dict())
    assert torch.allclose(theirs(x), module(x))
    out, _ = student.attend_with_cache(theirs, x, None)
    assert torch.allclose(out, attend_with_cache(module, x)[0])


@pytest.mark.parametrize("lang", ["en", "pt-BR"])
@pytest.mark.parametrize("name", NAMES)
def test_every_form(tmp_path: Path, name: str, lang: Language) -> None:
    files, expected = forms(lang)[name]
    got = hand_in(tmp_path, files)
    assert got.problems == ()
    assert {s.symbol: s.file for s in got.sources} == expected
    assert set(load_assignment().files) <= set(got.files)
    works(got)
    told = {f.id for f in got.flags}
    assert told or all(s.expected for s in got.sources), "what is not where it is expected is told"


class Silent:
    """A model that nobody asks."""

    n_positions = 8

    def __call__(self, *_: object) -> None:
        raise AssertionError("asked")


@pytest.mark.parametrize(
    ("file", "symbol"),
    [(f, s) for s, f in load_assignment().symbols.items() if s != "generate"],
)
def test_an_exercise_that_its_file_does_not_name_keeps_no_other_file_from_loading(
    tmp_path: Path, file: str, symbol: str
) -> None:
    renamed = re.sub(rf"^(def|class) {symbol}\b", r"\1 my_own", GOOD[file], flags=re.M)
    assert renamed != GOOD[file]
    got = hand_in(tmp_path, {**GOOD, file: renamed})
    assert got.problems == ()
    student = InProcessStudent(LIMITS, dict(got.files), {}, load_assignment())
    ids = torch.ones(1, 3, dtype=torch.int64)
    assert torch.equal(student.generate(Silent(), ids, 0), ids)
    with pytest.raises(NotWritten):
        getattr(student, symbol)(*(() if symbol == "MultiHeadAttention" else (x,)))


@pytest.mark.parametrize(
    "other", ["globals()['causal_mask'] = _it", "from exercises.own import *", "exec('causal_mask = _it')"]
)
def test_an_exercise_that_is_defined_in_an_odd_way_stays(tmp_path: Path, other: str) -> None:
    renamed = GOOD["mask.py"].replace("def causal_mask(", "def _it(") + f"\n\n{other}\n"
    own = GOOD["mask.py"]
    got = hand_in(tmp_path, {**GOOD, "mask.py": renamed, "own.py": own})
    student = InProcessStudent(LIMITS, dict(got.files), {}, load_assignment())
    assert torch.equal(student.causal_mask(3), torch.ones(3, 3).triu(1).bool())


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_notebook_as_windows_saves_it(tmp_path: Path, encoding: str) -> None:
    text = forms("en")["a notebook that writes files"][0]["homework.ipynb"]
    hand_in(tmp_path, {"x.txt": ""})
    (tmp_path / "ana" / "homework.ipynb").write_text(text, encoding=encoding)
    found, _ = incoming(tmp_path, load_assignment())
    got = read(next(one for one in found if one.student == "ana"), load_assignment())
    assert got.problems == ()
    works(got)
