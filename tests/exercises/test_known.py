"""--record, and naming a known mistake by what the code returned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from exercises.selfcheck import known, record
from tests.exercises.run import NO_GPT2, ROOT, copied, folder, run
from tests.exercises.test_run import WRONG_SPLIT


def record_of(*wrong: float, outcome: str = "wrong") -> dict[str, Any]:
    """A record of one test of split_heads that returned these numbers."""
    value = record.of_value(torch.tensor(wrong))
    return {"heads/a": {"exercise": "split_heads", "outcome": outcome, "cases": {"split_heads": value}}}


def mistake(name: str, *values: float) -> dict[str, Any]:
    words = {"name": name, "why": "because", "hints": ["1", "2", "3"]}
    cases = {"split_heads": record.of_value(torch.tensor(values))}
    return {
        "id": name,
        "exercises": ["split_heads"],
        "section": "2",
        "tests": {"heads/a": cases},
        "en": words,
    }


def names(tests: dict[str, Any], *mistakes: dict[str, Any]) -> list[str]:
    return [m.name for m in known.matching("split_heads", tests, list(mistakes), "pt-BR")]


def test_only_an_exact_match_is_named() -> None:
    nan = float("nan")
    assert names(record_of(1.0, nan), mistake("a", 1.000001, nan), mistake("b", 1.0, 2.0)) == ["a"]
    assert names(record_of(1.0, nan), mistake("a", 1.1, nan)) == []
    assert names(record_of(1.0, 2.0), mistake("a", 1.0, 2.0), mistake("b", 1.0, 2.0)) == ["a", "b"]
    assert names(record_of(1.0, outcome="passed"), mistake("a", 1.0)) == []
    assert names(record_of(1.0, outcome="waiting"), mistake("a", 1.0)) == []
    assert names(record_of(1.0), {**mistake("a", 1.0), "exercises": ["merge_heads"]}) == []


def test_another_wrong_test_that_the_mistake_passes_is_no_match() -> None:
    both = record_of(1.0) | {"heads/b": {"exercise": "split_heads", "outcome": "wrong", "cases": {}}}
    assert names(both, mistake("a", 1.0)) == []


def test_an_exception_without_a_text_proves_nothing() -> None:
    raised = {"exception": "RuntimeError", "text": ""}
    tests = {"heads/a": {"exercise": "split_heads", "outcome": "wrong", "cases": {"split_heads": raised}}}
    one = {**mistake("a"), "tests": {"heads/a": {"split_heads": raised}}}
    assert names(tests, one) == []
    raised["text"] = "view size is not compatible"
    assert names(tests, one) == ["a"]


@pytest.mark.parametrize(
    "value",
    [
        torch.tensor([[True, False]]), torch.tensor([1.5, float("inf"), float("-inf"), float("nan")]),
        torch.zeros(0, 3), torch.zeros(2, 3, dtype=torch.bfloat16), torch.zeros(3, device="meta"),
        torch.zeros(100, 100), None, 3, 0.5, True, (torch.ones(2), [None]), object(), torch.tensor(2.0),
    ],
)  # fmt: skip
def test_every_value_survives_json_and_is_like_itself(value: object) -> None:
    form = json.loads(json.dumps(record.of_value(value), allow_nan=False))
    assert record.alike(form, record.of_value(value))
    assert not record.alike(form, record.of_value(torch.tensor([[7.5]])))


def test_numbers_in_a_text_do_not_matter() -> None:
    assert record.of_exception("E", "shape '[2, 3]' at 12x4") == record.of_exception(
        "E", "shape '[5, 7]' at 6x4"
    )


@pytest.mark.slow
def test_a_recorded_mistake_is_named_and_right_code_is_not(tmp_path: Path) -> None:
    copied(tmp_path, "exercises")
    (tmp_path / "exercises/known_mistakes.json").unlink(missing_ok=True)
    code = str(folder(tmp_path / "code", {"heads.py": WRONG_SPLIT}))
    r = run("exercises/", NO_GPT2, "--code", code, "--record", "record.json", cwd=tmp_path)
    assert "What your code returned is in record.json" in r.out
    data = json.loads((tmp_path / "record.json").read_text(encoding="utf-8"))
    assert data["format"] == 1
    assert len(data["tests"]) == 69
    wrong = {
        name: test["cases"] for name, test in data["tests"].items()
        if test["exercise"] == "split_heads" and test["outcome"] == "wrong"
    }  # fmt: skip
    assert wrong["heads/each_head_reads_its_own_slice"]["split_heads"]["shape"] == [1, 2, 3, 2]
    words = {
        "name": "whole tokens dealt out",
        "why": "reshape reads on.",
        "hints": ["Which?", "Order.", "transpose"],
    }
    entry = {
        "id": "m",
        "exercises": ["split_heads"],
        "section": "2",
        "tests": wrong,
        "en": words,
        "pt-BR": words,
    }
    text = json.dumps({"format": 1, "mistakes": [entry]})
    (tmp_path / "exercises/known_mistakes.json").write_text(text, encoding="utf-8")
    r = run("exercises/test_heads.py", "--code", code, "--hint", cwd=tmp_path)
    assert "This is exactly what comes out with this mistake: whole tokens dealt out." in r.text
    assert "Which?" in r.out  # the mistake's own hints
    other = folder(tmp_path / "other", {"heads.py": WRONG_SPLIT.replace("x.reshape", "-x.reshape")})
    r = run("exercises/test_heads.py", "--code", str(other), cwd=tmp_path)
    assert r.code == 1
    assert "this mistake" not in r.out  # the folder is called after the test


CACHE = (ROOT / "solutions/kv_cache.py").read_text("utf-8").replace("from solutions.", "from exercises.")
MASK = """
def causal_mask(n_query, n_key=None, device=None):
    n_key = n_query if n_key is None else n_key
    return torch.ones(n_query, n_key, dtype=torch.bool, device=device).TRIANGLE
"""


def in_cache(*edits: tuple[str, str]) -> tuple[str, bytes]:
    """The solution, which calls the earlier exercises, with these edits."""
    text = CACHE
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return "kv_cache.py", text.encode()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mistake_id", "change"),
    [
        ("cat-wrong-dim", in_cache(("k], dim=2)", "k], 1)"), ("v], dim=2)", "v], 1)"))),
        ("cache-new-first", in_cache(("[k_past, k]", "[k, k_past]"), ("[v_past, v]", "[v, v_past]"))),
        ("tril-forbidden", ("mask.py", MASK.replace("TRIANGLE", "tril()"))),
        ("anticausal", ("mask.py", MASK.replace("TRIANGLE", "tril(-1)"))),
    ],
)  # fmt: skip
def test_common_mistakes_are_named_however_they_are_written(
    tmp_path: Path, mistake_id: str, change: tuple[str, str | bytes]
) -> None:
    names = {m["id"]: m["en"]["name"] for m in known.read()}
    code = folder(tmp_path / "code", dict([change]))
    sheet = f"exercises/test_{change[0]}"
    r = run(sheet, "--code", str(code))
    assert names[mistake_id] in r.text, r.out
