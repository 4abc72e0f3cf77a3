"""What a student is told first: what is wrong before what is unwritten, what tells most, and nothing untrue."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.exercises.run import NO_GPT2, ROOT, folder, run

pytestmark = pytest.mark.slow
WRONG_SPLIT = """
def split_heads(x, n_head):
    B, n, d = x.shape
    return x.reshape(B, n_head, n, d // n_head)
"""
WRONG_MASK = """
def causal_mask(n, device=None):
    return torch.zeros(n, n, dtype=torch.bool)
"""
START_IS_ALWAYS_0 = """
@torch.no_grad()
def generate(model, ids, max_new_tokens, use_cache=True):
    if ids.shape[1] + max_new_tokens > model.n_positions:
        raise ValueError
    cache, new = None, ids
    for _ in range(max_new_tokens):
        logits, kept = model(new, cache=cache, start=0)
        ids = torch.cat([ids, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
        cache, new = (kept, ids[:, -1:]) if use_cache else (None, ids)
    return ids
"""
ALWAYS_AN_ERROR = """
def generate(model, ids, max_new_tokens, use_cache=True):
    return ids["oops"]
"""


def test_wrong_comes_before_unwritten(tmp_path: Path) -> None:
    code = folder(tmp_path / "code", {"mask.py": WRONG_MASK})
    shutil.copy(ROOT / "exercises/heads.py", code / "heads.py")
    r = run("exercises/", "--exercise", "heads", "--exercise", "mask", "--code", str(code))
    assert r.state("Split into heads") == "○ not written yet"
    assert "Next: The triangular mask" in r.out


def test_the_trace_of_the_calls_comes_before_the_numbers(tmp_path: Path) -> None:
    code = folder(tmp_path / "code", {"kv_cache.py": START_IS_ALWAYS_0})
    r = run("exercises/", "--exercise", "generate", "--code", str(code))
    first = r.out.split("✗ generate: ")[1].split("✗")[0]
    assert first.startswith("no token goes in twice")
    assert " 2. " in first  # the second call


def test_an_error_of_every_call_is_no_refusal(tmp_path: Path) -> None:
    code = folder(tmp_path / "code", {"kv_cache.py": ALWAYS_AN_ERROR})
    r = run("exercises/", "--exercise", "generate", "--code", str(code))
    assert r.state("Generate token by token") == "✗ 0 of 9 tests pass"
    assert "9 not right yet" in r.out


def test_a_refusal_that_only_comes_for_what_must_be_refused_stays_one(tmp_path: Path) -> None:
    code = folder(tmp_path / "code", {"kv_cache.py": START_IS_ALWAYS_0})
    r = run("exercises/", "-k", "refused", "--code", str(code))
    assert r.code == 0


@pytest.mark.parametrize(
    "chosen", [(NO_GPT2,), ("-k", "two_sentences_into"), ("--exercise", "split_heads"), ("-x",)]
)
def test_a_mistake_is_named_whatever_was_run(chosen: tuple[str, ...], tmp_path: Path) -> None:
    code = folder(tmp_path / "code", {"heads.py": WRONG_SPLIT})
    r = run("exercises/", *chosen, "--code", str(code))
    assert (
        "This is exactly what comes out with this mistake: heads cut out without exchanging axes." in r.text
    )


def test_a_mistake_is_named_beside_another_exercise_that_is_wrong(tmp_path: Path) -> None:
    merge = "\n\ndef merge_heads(y):\n    B, h, n, d = y.shape\n    return y.reshape(B, n, h * d)\n"
    code = folder(tmp_path / "code", {"heads.py": merge})
    alone = run("exercises/", "--exercise", "merge_heads", "--code", str(code))
    assert "This is exactly what comes out with this mistake" in alone.text
    code = folder(
        tmp_path / "both",
        {"heads.py": 'def split_heads(x, n_head):\n    raise NotImplementedError("split_heads")\n' + merge},
    )
    both = run("exercises/", "--exercise", "heads", "--code", str(code))
    assert "This is exactly what comes out with this mistake" in both.text


def test_a_file_that_python_cannot_read_is_not_introduced_by_an_input(tmp_path: Path) -> None:
    code = folder(tmp_path / "code", {"heads.py": b"def split_heads(x, n_head):\n    return (\n"})
    r = run("exercises/", "--exercise", "split_heads", "--code", str(code))
    told = r.out.split("✗ heads.py\n")[1]
    assert told.split("\n")[0].strip().startswith("Python cannot read heads.py")
    assert "Your code was called" not in r.out


def test_junit_and_editors_get_the_whole_story(tmp_path: Path) -> None:
    code, file = folder(tmp_path / "code", {"heads.py": WRONG_SPLIT}), tmp_path / "junit.xml"
    r = run("exercises/", "--exercise", "split_heads", "--code", str(code), "--junitxml", str(file))
    text = file.read_text(encoding="utf-8")
    for told in ("split_heads(x, n_head=2)", "First difference: head 0, token 1", "102*  103*"):
        assert told in text
        assert r.out.count(told) == 1  # the screen shows the first test in full, and no other


def test_with_xdist_a_sentence_says_how_to_see_the_report() -> None:
    pytest.importorskip("xdist")
    r = run("exercises/", "--exercise", "split_heads", "-n", "1", real=True)
    assert "without -n" in r.text
