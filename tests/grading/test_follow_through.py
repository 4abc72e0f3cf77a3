"""The same mistake is not taken off twice, and nothing is given for work that is not there."""

from __future__ import annotations

import pytest

from autograder.results import SubmissionResult, Verdict
from tests.grading.conftest import Grade, lost

NO_TRANSPOSE = b"""

def split_heads(x, n_head):
    B, n, d = x.shape
    return x.reshape(B, n_head, n, d // n_head)
"""
NO_SCALE = b"(self.d_k ** 0.0)"


def credited(result: SubmissionResult) -> set[str]:
    return {t.exercise for t in result.tests if t.follow_through}


def test_one_wrong_function_costs_only_its_own_points(grade: Grade, solved: dict[str, bytes]) -> None:
    files = solved | {"heads.py": solved["heads.py"] + NO_TRANSPOSE}
    result = grade(files, timing=True)
    assert set(lost(result)) == {"split_heads"}
    assert {"MultiHeadAttention", "attend_with_cache", "gpt2"} <= credited(result)
    assert all(t.follow_through_of == ["split_heads"] for t in result.tests if t.follow_through)
    assert all(t.verdict is Verdict.PASSED for t in result.tests if t.follow_through)


def test_a_file_that_does_not_load_costs_only_its_own_points(grade: Grade, solved: dict[str, bytes]) -> None:
    result = grade(solved | {"heads.py": b"def split_heads(x, n_head:\n    return x\n"})
    assert set(lost(result)) == {"split_heads", "merge_heads"}
    first = next(t for t in result.tests if t.exercise == "split_heads")
    assert first.message is not None
    assert first.message.id == "load.syntax"
    assert first.message.params["line"] == 1


def test_what_is_not_written_earns_nothing(grade: Grade) -> None:
    result = grade({})
    assert result.score == 0
    assert not credited(result)
    assert {t.verdict for t in result.tests} <= {Verdict.FAILED, Verdict.SKIPPED}


def test_only_the_last_exercises_written(grade: Grade, solved: dict[str, bytes]) -> None:
    """Whoever leaves the first sheets out still gets what attention and cache are worth."""
    result = grade({name: solved[name] for name in ("attention.py", "kv_cache.py")})
    assert set(lost(result)) == {"split_heads", "merge_heads", "causal_mask", "causal_softmax"}


def test_the_module_cannot_be_had_for_nothing(grade: Grade, solved: dict[str, bytes]) -> None:
    """gpt2 is judged on the student's module and cache: the reference never stands in for those two."""
    module = solved["attention.py"].replace(b"return concat_and_project(", b"return 0 * (")
    result = grade(solved | {"attention.py": module, "kv_cache.py": b""})
    assert {"MultiHeadAttention", "attend_with_cache", "generate", "gpt2"} <= set(lost(result))
    assert result.points_of("gpt2") == 0


@pytest.mark.parametrize("inline", [True, False])
def test_the_same_named_mistake_in_two_places(grade: Grade, solved: dict[str, bytes], inline: bool) -> None:
    """A scale that is wrong in the module and again in the cache is one mistake."""
    module = solved["attention.py"].replace(b"scores / math.sqrt(self.d_k)", b"scores")
    cache = solved["kv_cache.py"]
    if inline:
        cache = cache.replace(b"scores / math.sqrt(attention.d_k)", b"scores")
    assert module != solved["attention.py"]
    result = grade(solved | {"attention.py": module, "kv_cache.py": cache})
    assert set(lost(result)) == {"MultiHeadAttention"}
    assert {m for t in result.tests for m in t.mistakes} == {"no-scale"}
    assert ("attend_with_cache" in credited(result)) == inline
    again = [t for t in result.tests if t.follow_through and t.mistakes and t.exercise == "attend_with_cache"]
    assert bool(again) == inline
    assert all(set(t.shown) <= {"line"} for t in again)  # where, and nothing else: it was given back


def test_what_costs_nothing_is_not_told_twice_either(grade: Grade, solved: dict[str, bytes]) -> None:
    """A mask that does not follow its device is told of, where it is made and not where it is used."""
    result = grade(solved | {"mask.py": solved["mask.py"] + ON_THE_CPU})
    assert not lost(result)
    assert {t.exercise for t in result.tests if not t.verdict.earns} == {"causal_mask"}
    assert "causal_softmax" in credited(result)
    assert {m for t in result.tests for m in t.mistakes} == {"mask-cpu"}


ON_THE_CPU = b"""

def causal_mask(n_query, n_key=None, device=None):
    n_key = n_query if n_key is None else n_key
    return torch.ones(n_query, n_key, dtype=torch.bool).triu(n_key - n_query + 1)
"""


def test_tensors_without_numbers_are_no_fault_of_ours(grade: Grade, solved: dict[str, bytes]) -> None:
    """A meta tensor has the right shape and dtype, and stops whoever computes with it."""
    files = {name: code + META for name, code in solved.items()}
    result = grade(files)
    assert not [t.id for t in result.tests if t.verdict is Verdict.GRADER_FAULT]
    assert {"causal_softmax", "MultiHeadAttention", "attend_with_cache"} <= set(lost(result))


META = b"""

import sys
import torch

def _empty(f):
    def call(*args, **kwargs):
        got = f(*args, **kwargs)
        if isinstance(got, tuple):
            return tuple(_meta(v) for v in got)
        return _meta(got)
    return call

def _meta(v):
    if isinstance(v, tuple):
        return tuple(_meta(x) for x in v)
    return v.to("meta") if isinstance(v, torch.Tensor) else v

for _name in ("split_heads", "causal_softmax", "concat_and_project", "attend_with_cache", "generate"):
    if _name in globals() and globals()[_name].__module__ == __name__:
        globals()[_name] = _empty(globals()[_name])
if "MultiHeadAttention" in globals() and MultiHeadAttention.__module__ == __name__:
    MultiHeadAttention.forward = _empty(MultiHeadAttention.forward)
"""


CUT = {  # exercise -> a change of its own text after which its file does not load
    "split_heads": ("heads.py", b"def split_heads(", b"def split_heads(,"),
    "merge_heads": ("heads.py", b"    y = y.transpose(1, 2)", b"      y = y.transpose(1, 2)"),
    "causal_mask": ("mask.py", b"def causal_mask(", b"def causal mask("),
    "causal_softmax": ("mask.py", b"def causal_softmax(", b"def causal_softmax(]"),
    "MultiHeadAttention": ("attention.py", b"MultiHeadAttention(nn.Module)", b"MultiHeadAttention(nn.Modul)"),
    "generate": ("kv_cache.py", b"def generate(", b"@no_such_decorator\ndef generate("),
}  # fmt: skip


@pytest.mark.parametrize("exercise", CUT)
def test_what_stops_a_file_costs_the_exercise_at_fault(
    grade: Grade, solved: dict[str, bytes], exercise: str
) -> None:
    file, old, new = CUT[exercise]
    assert solved[file].count(old) == 1
    result = grade(solved | {file: solved[file].replace(old, new)})
    assert set(lost(result)) - {"gpt2"} == {exercise}  # which may be what GPT-2 runs on
    assert any(t.message and t.message.id.startswith("load.") for t in result.tests if t.exercise == exercise)
    for test in result.tests:
        assert not test.follow_through or test.follow_through_of == [exercise], test


@pytest.mark.parametrize(
    "stray",
    [b"this is my work", b"print(split_heads(1, 2))", b"import nowhere", b"return None", b"1 / 0"],
)
def test_what_stands_beside_the_exercises_is_taken_off_once(
    grade: Grade, solved: dict[str, bytes], stray: bytes
) -> None:
    result = grade(solved | {"heads.py": solved["heads.py"] + b"\n\n" + stray + b"\n"})
    # What is not code at all is put down to the function above it.
    bears, other = ("merge_heads", "split_heads")[:: 1 if b"my" in stray or b"return" in stray else -1]
    assert set(lost(result)) == {bears}
    assert {t.exercise for t in result.tests if t.follow_through} >= {other}


@pytest.mark.parametrize(("exercise", "name"), [("split_heads", b"x"), ("merge_heads", b"y")])
def test_an_import_that_fails_costs_the_exercise_that_needs_it(
    grade: Grade, solved: dict[str, bytes], exercise: str, name: bytes
) -> None:
    heads = solved["heads.py"].replace(name + b".transpose(1, 2)", name + b".transpose(*nowhere.axes)")
    assert heads != solved["heads.py"]
    result = grade(solved | {"heads.py": b"import nowhere\n" + heads})
    assert set(lost(result)) == {exercise}


def test_a_mended_file_hides_no_other_mistake(grade: Grade, solved: dict[str, bytes]) -> None:
    """What is cut out gives nothing to work that is wrong besides."""
    heads = solved["heads.py"].replace(b"    y = y.transpose(1, 2)", b"    pass")
    result = grade(solved | {"heads.py": heads + b"\n\n1 / 0\n"})
    assert set(lost(result)) == {"split_heads", "merge_heads"}


RIGHT_MERGE = b"    B, h, n, d = y.shape\n    return y.transpose(1, 2).reshape(B, n, h * d)\n"
BROKEN = (b"def split_heads(", b"def split_heads(,")


def test_text_in_a_string_is_never_code(grade: Grade, solved: dict[str, bytes]) -> None:
    wrong = solved["heads.py"].replace(b"    y = y.transpose(1, 2)", b"    pass").replace(*BROKEN)
    text = b'"""\nbefore\n\ndef merge_heads(y):\n' + RIGHT_MERGE + b'"""\n'
    result = grade(solved | {"heads.py": wrong + text})
    assert set(lost(result)) == {"split_heads", "merge_heads"}


def test_a_comment_at_the_left_edge_ends_nothing(grade: Grade, solved: dict[str, bytes]) -> None:
    """Neither does a right function lose its rest, nor does a wrong one get rid of it."""
    right = solved["heads.py"].replace(*BROKEN) + b"def merge_heads(y):\n# so:\n" + RIGHT_MERGE
    assert set(lost(grade(solved | {"heads.py": right}))) == {"split_heads"}
    wrong = solved["heads.py"].replace(*BROKEN)
    wrong = wrong.replace(b"    y = y.transpose(1, 2)", b"# so:\n    return y * 0")
    assert set(lost(grade(solved | {"heads.py": wrong}))) == {"split_heads", "merge_heads"}


@pytest.mark.parametrize(
    ("file", "old", "new", "exercise"),
    [
        ("mask.py", b"def causal_mask(", b"def causal_mask(,", "causal_mask"),
        ("attention.py", b"def concat_and_project(", b"def concat_and_project(,", "concat_and_project"),
        ("mask.py", b"    return everything", b"    retrun everything", "causal_mask"),
    ],
)
def test_who_only_calls_the_broken_exercise_is_not_at_fault(
    grade: Grade, solved: dict[str, bytes], file: str, old: bytes, new: bytes, exercise: str
) -> None:
    assert old in solved[file]
    assert set(lost(grade(solved | {file: solved[file].replace(old, new)}))) == {exercise}


def test_several_statements_that_stop_a_file_are_cut_one_after_the_other(
    grade: Grade, solved: dict[str, bytes]
) -> None:
    heads = b"import nowhere\nimport nothing\n" + solved["heads.py"] + b"\n1 / 0\n"
    result = grade(solved | {"heads.py": heads})
    assert set(lost(result)) == {"split_heads"}


def test_what_is_wrong_besides_has_its_own_name_and_its_flags(grade: Grade, solved: dict[str, bytes]) -> None:
    heads = solved["heads.py"].replace(b"    y = y.transpose(1, 2)", b"    import socket").replace(*BROKEN)
    heads = heads.replace(b"    d_k =", b"   d_k =")  # what reads tokens stops here
    result = grade(solved | {"heads.py": heads})
    named = {m for t in result.tests if t.exercise == "merge_heads" for m in t.mistakes}
    assert "merge-no-transpose" in named
    assert any(f.id == "needless" and f.params["name"] == "socket" for f in result.flags)


def test_a_coding_line_that_nobody_knows_costs_only_its_own_file(
    grade: Grade, solved: dict[str, bytes]
) -> None:
    result = grade(solved | {"heads.py": b"# -*- coding: utf8mb4 -*-\n" + solved["heads.py"]})
    assert set(lost(result)) == {"split_heads", "merge_heads"}
