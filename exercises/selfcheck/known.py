"""Names a known mistake when the student's code returned exactly what that mistake returns.

known_mistakes.json (beside the exercises; made by the course's authors, it holds values and texts, no code):

    {"format": 1,
     "mistakes": [{"id": "unbiased-variance",           as often as it has different results
                   "exercises": ["layer_norm"],         where it belongs, ids as in assignment.json
                   "section": "2",                      of the chapter
                   "tests": {TEST: {CASE: VALUE}},      record.py: of the tests it fails there, all cases
                   "en": {"name": ..., "why": ..., "hints": [question, concept, named operation]},
                   "pt-BR": {the same}}, ...]}

An exercise's result matches a mistake when, of the tests of that exercise that were run,
  - the same ones are wrong as with the mistake, at least one, and none is waiting or not written; and
  - in each of these every case of the mistake came out the same: same shape and type, all values within
    tolerance, NaN where it has NaN, or the same exception with the same text.
Cases that hold exceptions only prove little: at least one case must be a value, or an exception with a text.
Several matches are all returned: they cannot be told apart here. No match: nothing is said. Never a guess.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from exercises.selfcheck import record

FILE = Path(__file__).resolve().parent.parent / "known_mistakes.json"
Records = Mapping[str, Mapping[str, Any]]  # TEST -> {"exercise", "outcome", "cases"}


@dataclass(frozen=True)
class Mistake:
    """A mistake as a student reads it."""

    id: str
    name: str
    why: str
    hints: tuple[str, ...]
    section: str


def read(path: Path = FILE) -> list[dict[str, Any]]:
    """The known mistakes; none when the file is not there or has another form."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return list(data["mistakes"]) if isinstance(data, dict) and data.get("format") == record.FORMAT else []


def matching(exercise: str, tests: Records, mistakes: list[dict[str, Any]], lang: str) -> list[Mistake]:
    """The known mistakes that explain all that is wrong with `exercise`; `tests` is what was recorded."""
    ours = {name: test for name, test in tests.items() if test["exercise"] == exercise}
    if any(test["outcome"] in ("waiting", "not written") for test in ours.values()):
        return []
    wrong = {name for name, test in ours.items() if test["outcome"] == "wrong"}
    found: list[Mistake] = []
    for mistake in mistakes:
        if exercise not in mistake["exercises"] or not wrong or mistake["id"] in {f.id for f in found}:
            continue
        theirs = {name: cases for name, cases in mistake["tests"].items() if name in ours}
        if (
            set(theirs) == wrong
            and _says_something(theirs)
            and all(_same_cases(ours[name]["cases"], cases) for name, cases in theirs.items())
        ):
            words = mistake.get(lang) or mistake["en"]
            found.append(
                Mistake(mistake["id"], words["name"], words["why"], tuple(words["hints"]), mistake["section"])
            )
    return found


def _same_cases(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> bool:
    return all(case in mine and record.alike(mine[case], value) for case, value in theirs.items())


def _says_something(tests: Mapping[str, Mapping[str, Any]]) -> bool:
    values = [value for cases in tests.values() for value in cases.values()]
    return any("exception" not in value or value["text"] for value in values)
