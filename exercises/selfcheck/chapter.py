"""The exercises in the order of the chapter, as data. Their titles and hints are in texts/."""

from __future__ import annotations

from dataclasses import dataclass


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
