"""The exercises in the order of the chapter, out of assignment.json, which is made from the course's own data."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Exercise:
    """One exercise."""

    id: str
    file: str  # where it is written
    sheet: str  # its tests: test_<sheet>.py
    section: str  # of the chapter
    needs: tuple[str, ...]  # ids of the exercises that must work before this one can
    symbols: tuple[str, ...]  # functions and classes to write; none: earlier ones are tried out
    title: Mapping[str, str]  # language -> title


def _read() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((HERE / "assignment.json").read_text(encoding="utf-8"))
    return data


def _exercise(data: Mapping[str, Any]) -> Exercise:
    needs, symbols = tuple(data["needs"]), tuple(data["symbols"])
    return Exercise(
        data["id"], data["file"], data["sheet"], data["section"], needs, symbols, title=data["title"]
    )


_DATA = _read()
CHAPTER: str = _DATA["chapter"]
TITLE: Mapping[str, str] = _DATA["title"]  # language -> title
EXERCISES = tuple(map(_exercise, _DATA["exercises"]))
BY_ID = {e.id: e for e in EXERCISES}
ORDER = {e.id: i for i, e in enumerate(EXERCISES)}
FILES = tuple(dict.fromkeys(e.file for e in EXERCISES))
OWNER = {symbol: e.id for e in EXERCISES for symbol in e.symbols}
FILE_OF = {symbol: BY_ID[id].file for symbol, id in OWNER.items()}
MODULES = frozenset(_DATA["modules"])  # symbols that are classes of modules
KEEPS: Mapping[str, list[int]] = _DATA["keeps"]  # symbol -> parts of its result whose form is free, from 0


def place(name: str) -> int:
    """Where in the chapter an exercise, or the one of a symbol, stands; a file stands before all."""
    return ORDER.get(OWNER.get(name, name), -1)


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
    """The exercise of a test that `wants` these fixtures: of its sheet the last one it uses, else the last."""
    of_sheet = [e.id for e in EXERCISES if e.sheet == sheet]
    used = {OWNER[name] for name in wants if name in OWNER}
    return max([id for id in of_sheet if id in used] or of_sheet, key=ORDER.__getitem__)


@cache
def all_tests() -> dict[str, str]:
    """TEST ("norm/each_token_by_itself") -> its exercise, for all public tests, run or not."""
    found = {}
    for sheet in dict.fromkeys(e.sheet for e in EXERCISES):
        path = HERE / f"test_{sheet}.py"
        if not path.exists():
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                wants = [a.arg for a in node.args.args]
                found[f"{sheet}/{node.name.removeprefix('test_')}"] = exercise_of(sheet, wants)
    return found
