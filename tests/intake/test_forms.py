"""Right work in every form in which it comes: each exercise is taken from where the work is."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from autograder.course import Language, Limits
from autograder.extract.reading import FILES, stubs
from autograder.intake import Submission, incoming
from autograder.intake.read import read
from autograder.sandbox import reference_for
from autograder.sandbox.inprocess import InProcessStudent
from autograder.sandbox.symbols import default_symbols
from tests.intake.forms import Files, forms

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
    found, _ = incoming(folder)
    return read(next(one for one in found if one.student == "ana"), LIMITS)


def works(got: Submission, *replaced: str) -> None:
    """Runs all of it in this process: the tests' own code is no stranger's."""
    from solutions.attention import MultiHeadAttention
    from solutions.kv_cache import attend_with_cache

    files = {name: stub.encode() for name, stub in stubs().items()} | dict(got.files)
    student = InProcessStudent(LIMITS, files, reference_for(replaced) if replaced else {}, default_symbols())
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
    assert set(FILES) <= set(got.files)
    works(got)
    told = {f.id for f in got.flags}
    assert told or all(s.expected for s in got.sources), "what is not where it is expected is told"
