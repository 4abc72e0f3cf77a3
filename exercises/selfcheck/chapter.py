"""The exercises in the order of the chapter, as data. Their titles and hints are in texts/."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Exercise:
    """One exercise: the name of its function or class is its id."""

    id: str
    file: str  # where it is written
    sheet: str  # its tests: test_<sheet>.py
    section: str  # of the chapter
    needs: tuple[str, ...] = ()  # what must work before this can


EXERCISES = (
    Exercise("split_heads", "heads.py", "heads", "2"),
    Exercise("merge_heads", "heads.py", "heads", "2"),
    Exercise("causal_mask", "mask.py", "mask", "3"),
    Exercise("causal_softmax", "mask.py", "mask", "3", ("causal_mask",)),
    Exercise("concat_and_project", "attention.py", "attention", "2", ("merge_heads",)),
    Exercise(
        "MultiHeadAttention", "attention.py", "attention", "4",
        ("split_heads", "causal_softmax", "concat_and_project"),
    ),
    Exercise(
        "attend_with_cache", "kv_cache.py", "kv_cache", "3",
        ("split_heads", "causal_softmax", "concat_and_project", "MultiHeadAttention"),
    ),
    Exercise("generate", "kv_cache.py", "kv_cache", "3"),
    Exercise("gpt2", "attention.py", "gpt2", "4", ("MultiHeadAttention", "attend_with_cache")),
)  # fmt: skip

BY_ID = {e.id: e for e in EXERCISES}
ORDER = {e.id: i for i, e in enumerate(EXERCISES)}
FILES = ("heads.py", "mask.py", "attention.py", "kv_cache.py")
FILE_OF = {e.id: e.file for e in EXERCISES if e.id != "gpt2"}  # symbol -> file


def needed_by(exercise: str) -> list[str]:
    """Ids of all exercises that must work before this one, in the order of the chapter."""
    wanted: set[str] = set()
    todo = list(BY_ID[exercise].needs)
    while todo:
        one = todo.pop()
        if one not in wanted:
            wanted.add(one)
            todo += BY_ID[one].needs
    return sorted(wanted, key=ORDER.__getitem__)


def exercise_of(sheet: str, wants: Iterable[str]) -> str:
    """The exercise of a test that `wants` these fixtures: the last one it uses."""
    if sheet == "gpt2":
        return "gpt2"
    return max((name for name in wants if name in FILE_OF), key=ORDER.__getitem__)


@cache
def all_tests() -> dict[str, str]:
    """TEST ("heads/merge_undoes_split") -> its exercise, for all public tests, run or not."""
    found = {}
    for sheet in dict.fromkeys(e.sheet for e in EXERCISES):
        path = Path(__file__).resolve().parent.parent / f"test_{sheet}.py"
        if not path.exists():
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                wants = [a.arg for a in node.args.args]
                found[f"{sheet}/{node.name.removeprefix('test_')}"] = exercise_of(sheet, wants)
    return found
