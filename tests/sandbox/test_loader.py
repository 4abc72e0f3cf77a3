"""A submission's files as the package `exercises`: ways to import, ways to fail, and replacements."""

from __future__ import annotations

import marshal
from pathlib import Path
from types import CodeType

import pytest
import torch
from torch import nn

from autograder.assignment import load_assignment
from autograder.sandbox import NotWritten, Sandbox, StudentRaised, reference, reference_files, reference_for

HEADS = b"def split_heads(x, n_head):\n    return 'split'\n\ndef merge_heads(y):\n    return 'merged'\n"


@pytest.mark.parametrize(
    "line",
    [
        "from exercises.heads import merge_heads",
        "from heads import merge_heads",
        "from .heads import merge_heads",
        "from exercises.heads import merge_heads as m; merge_heads = m",
        "import heads; merge_heads = heads.merge_heads",
        "import exercises.heads; merge_heads = exercises.heads.merge_heads",
        "from exercises import heads; merge_heads = heads.merge_heads",
        "from . import heads; merge_heads = heads.merge_heads",
        "from heads import *",
        "import heads, exercises.heads, sys; assert heads is exercises.heads is sys.modules['heads']\n"
        "from heads import merge_heads",
        "import importlib; merge_heads = importlib.import_module('exercises.heads').merge_heads",
        "def merge_heads(y):\n    from .heads import merge_heads\n    return merge_heads(y)",
        "def merge_heads(y):\n    import heads\n    from .heads import merge_heads as m\n    return m(y)",
    ],
)
def test_every_way_to_import_another_exercise(sandbox: Sandbox, line: str) -> None:
    text = f"{line}\ndef concat_and_project(y, c_proj):\n    return merge_heads(y)\n".encode()
    with sandbox.student({"heads.py": HEADS, "attention.py": text}) as student:
        assert student.concat_and_project(torch.zeros(1), nn.Linear(1, 1)) == "merged"


@pytest.mark.parametrize(
    "name", ["solutions.heads", "solutions", "autograder", "troch", "flash_attn", "tests", "numpyy"]
)
def test_what_is_not_there_for_submissions(sandbox: Sandbox, name: str) -> None:
    text = f"import {name}\ndef split_heads(x, n_head):\n    return 1\n".encode()
    with sandbox.student({"heads.py": text}) as student:
        with pytest.raises(StudentRaised) as caught:
            student.split_heads(torch.zeros(1), 1)
        assert caught.value.kind == "ModuleNotFoundError"
        assert caught.value.where == "load"


def test_nobody_answers_an_input(sandbox: Sandbox) -> None:
    text = b"n = int(input('how many? '))\ndef split_heads(x, n_head):\n    return 1\n"
    with sandbox.student({"heads.py": text}) as student:
        with pytest.raises(StudentRaised) as caught:
            student.split_heads(torch.zeros(1), 1)
        assert caught.value.kind == "EOFError"
        assert "how many? " in student.output


def test_a_broken_file_fails_only_those_that_import_it(sandbox: Sandbox) -> None:
    files = {
        "heads.py": b"x = 1\ndef split_heads(x, n_head)\n    return x\n",
        "mask.py": b"def causal_mask(n_query, n_key=None, device=None):\n    return 'mask'\n",
        "attention.py": b"from exercises.heads import merge_heads\n",
    }
    with sandbox.student(files) as student:
        assert student.causal_mask(1) == "mask"
        for _ in range(2):
            with pytest.raises(StudentRaised) as caught:
                student.concat_and_project(torch.zeros(1), nn.Linear(1, 1))
            assert (caught.value.kind, caught.value.where) == ("SyntaxError", "load")
            assert caught.value.place is not None
            assert (caught.value.place.file, caught.value.place.line) == ("heads.py", 2)
            assert caught.value.place.text == "def split_heads(x, n_head)"
        assert student.causal_mask(1) == "mask"


@pytest.mark.parametrize(
    "source",
    [
        b"\x00",
        b"\xff\xfe\xff",
        b"# coding: no-such-coding\n",
        b"(" * 5000,
        b"x = " + b"-" * 100_000 + b"1",
        b"raise ValueError('at load')",
        b"import no_such_module",
        b"1 / 0",
    ],
)
def test_files_that_do_not_load(sandbox: Sandbox, source: bytes) -> None:
    with sandbox.student({"heads.py": source}) as student, pytest.raises(StudentRaised) as caught:
        student.split_heads(torch.zeros(1), 1)
    assert caught.value.where == "load"


def test_a_missing_file_is_not_written(sandbox: Sandbox) -> None:
    with sandbox.student({"heads.py": HEADS}) as student, pytest.raises((NotWritten, StudentRaised)):
        student.causal_mask(3)


@pytest.mark.parametrize("name", ["../heads.py", "heads", "a//b.py", "/b.py", "a b.py", ".py", "heads.py\n"])
def test_file_names_that_are_none(sandbox: Sandbox, name: str) -> None:
    with pytest.raises(ValueError, match="name of a Python file"):
        sandbox.student({name: b""})


def test_the_solutions_as_a_submission(sandbox: Sandbox) -> None:
    with sandbox.student(reference_files(load_assignment())) as student:
        attention = student.MultiHeadAttention(6, 3)
        out, _ = student.attend_with_cache(attention, torch.zeros(1, 2, 6), None)
        assert out.shape == (1, 2, 6)


WRONG = {
    "heads.py": b"def split_heads(x, n_head):\n    return x\n\ndef merge_heads(y):\n    return y\n",
    "attention.py": b"""
from torch import nn
from exercises.heads import merge_heads
print("hello")

def concat_and_project(y, c_proj):
    return c_proj(merge_heads(y))
""",
}


def test_an_earlier_symbol_replaced_by_the_reference(sandbox: Sandbox) -> None:
    y, layer = torch.randn(1, 3, 2, 2), nn.Linear(6, 6)
    with sandbox.student(WRONG) as student, pytest.raises(StudentRaised):
        student.concat_and_project(y, layer)
    with sandbox.student(WRONG, replace=reference_for(["merge_heads"], load_assignment())) as student:
        got = student.concat_and_project(y, layer)
        assert torch.allclose(got, layer(y.transpose(1, 2).reshape(1, 2, 6)).detach())
        assert student.split_heads(torch.ones(2), 1).equal(torch.ones(2))  # the student's own
        assert student.output == ""


def test_a_replacement_stands_in_for_a_file_that_does_not_load(sandbox: Sandbox) -> None:
    broken = {**WRONG, "heads.py": b"this is no Python"}
    y, layer = torch.randn(1, 3, 2, 2), nn.Linear(6, 6)
    with sandbox.student(broken, replace=reference_for(["merge_heads"], load_assignment())) as student:
        assert student.concat_and_project(y, layer).shape == (1, 2, 6)
        with pytest.raises(NotWritten):
            student.split_heads(torch.zeros(1), 1)


@pytest.mark.parametrize(
    ("symbol", "there", "absent"),
    [
        ("split_heads", {"split_heads"}, {"merge_heads"}),
        ("causal_mask", {"causal_mask"}, {"causal_softmax"}),
        ("concat_and_project", {"concat_and_project", "merge_heads"}, {"MultiHeadAttention", "split_heads"}),
        ("MultiHeadAttention", {"MultiHeadAttention", "causal_softmax"}, {"attend_with_cache", "generate"}),
        ("attend_with_cache", {"attend_with_cache"}, {"generate"}),
    ],
)
def test_a_replacement_holds_no_more_than_it_needs(symbol: str, there: set[str], absent: set[str]) -> None:
    code = marshal.loads(reference_for([symbol], load_assignment())[symbol])
    assert there <= set(code.co_names)
    assert not absent & {part.co_name for part in _all(code)}
    for part in _all(code):
        assert part.co_filename == reference.FILENAME
        texts = [c for c in part.co_consts if isinstance(c, str)]
        assert not any(len(text.split()) > 12 for text in texts), "a docstring"


def _all(code: CodeType) -> list[CodeType]:
    return [code, *(inner for c in code.co_consts if isinstance(c, CodeType) for inner in _all(c))]


def test_two_files_that_mean_different_things_by_a_name_are_refused(tmp_path: Path) -> None:
    kit = load_assignment()
    for file, text in kit.solutions.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    (tmp_path / "heads.py").write_text("K = 1\ndef split_heads():\n    return K\n", encoding="utf-8")
    clash = "K = 2\ndef causal_mask():\n    return split_heads() + K\n"
    content = kit.content.model_copy(update={"solutions": str(tmp_path)})
    text = f"from {tmp_path.name}.heads import split_heads\n{clash}"
    (tmp_path / "mask.py").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="two things"):
        reference_for(["causal_mask"], kit.model_copy(update={"content": content}))
