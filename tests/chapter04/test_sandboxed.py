"""The real judge, with submissions in locked-down processes, says what the quick way of grading.py says."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from autograder.assignment import load_assignment
from autograder.checks.runner import run
from autograder.sandbox import Sandbox, reference_files
from tests.chapter04.grading import assignment, case_of
from tests.chapter04.pieces import HERE, Written, read

COST = ("kv_cache/a_new_token_costs_a_fraction", "kv_cache/cost_does_not_grow")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(assignment(), "unsafe") as one:  # what is run here is ours
        yield one


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "styles/relative_imports",
        "styles/registered_mask",
        "styles/cache_preallocated",
        "styles/generate_token_by_token",
        "wrong/split_first_sentence_only",
        "wrong/softmax_bfloat16_broken",
        "wrong/module_no_training",
        "wrong/cache_global",
        "wrong/cache_of_tokens",
        "wrong/generate_does_not_ask_the_length",
    ],
)
def test_the_judge_says_the_same(sandbox: Sandbox, path: str):
    written = read(HERE / f"{path}.py")
    quick = {o.id: (o.verdict, o.message) for o in case_of(written.files).first_run()}
    found = {o.id: (o.verdict, o.message) for o in _judged(sandbox, written)}
    assert {id: v for id, (v, _) in found.items()} == {id: v for id, (v, _) in quick.items()}
    for id, (verdict, message) in found.items():
        if verdict == "failed":
            assert message == quick[id][1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "verdict"),
    [
        ("styles/head_loop", "passed"),
        ("wrong/cache_of_tokens", "failed"),
        ("wrong/cache_whole_text_again_fast", "failed"),
    ],
)
def test_cost_is_told_from_outside(sandbox: Sandbox, path: str, verdict: str):
    found = _judged(sandbox, read(HERE / f"{path}.py"), timing=True)
    assert {o.id: o.verdict for o in found} == dict.fromkeys(COST, verdict)


@pytest.mark.slow
def test_what_asks_to_be_compiled_gets_full_marks(sandbox: Sandbox):
    """No compiler can run in there, and none is needed: the code is right without it."""
    files = {}
    for name, source in reference_files(load_assignment()).items():
        text = re.sub(rb"^( *)(def (?!__))", rb"\1@torch.compile(dynamic=True)\n\1\2", source, flags=re.M)
        files[name] = text.replace(b"\n\n", b"\n\nimport torch\n", 1)  # behind the docstring
    assert all(b"@torch.compile" in source for source in files.values())
    with sandbox.student(files) as student, sandbox.student(reference_files(load_assignment())) as reference:
        found = run(assignment(), student, lambda: reference, timing=False)
    assert {o.id: o.message for o in found if not o.earns} == {}


def _judged(sandbox: Sandbox, written: Written, *, timing: bool = False) -> list:
    files = {k: v.replace("from solutions.", "from exercises.").encode() for k, v in written.files.items()}
    with sandbox.student(files) as student, sandbox.student(reference_files(load_assignment())) as reference:
        return run(
            assignment(), student, lambda: reference, only=set(COST) if timing else None, timing=timing
        )
