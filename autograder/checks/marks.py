"""What the hidden tests are worth, read off their `@points(…)` marks without running or importing them.

Commands ask here before a class is graded: the tests themselves need torch, which takes a second to import.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache

from autograder.assignment import Assignment, AssignmentError


@dataclass(frozen=True)
class Mark:
    """One hidden test: its id ("norm/shape"), its exercise, and its points."""

    id: str
    exercise: str
    points: float


@cache
def marks(assignment: Assignment) -> tuple[Mark, ...]:
    """The marks of all hidden tests."""
    found = []
    for path in sorted((assignment.chapter_folder / "hidden").glob("test_*.py")):
        sheet = path.stem.removeprefix("test_")
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found += _marks_of(node, f"{sheet}/{node.name.removeprefix('test_')}")
    return tuple(found)


def _marks_of(function: ast.FunctionDef, id: str) -> list[Mark]:
    found = []
    for call in function.decorator_list:
        if not isinstance(call, ast.Call) or ast.unparse(call.func) != "points":
            continue
        named = {k.arg: k.value for k in call.keywords}
        worth = call.args[0] if call.args else named["points"]
        found.append(Mark(id, str(ast.literal_eval(named["exercise"])), float(ast.literal_eval(worth))))
    return found


def tests_of(exercise: str, assignment: Assignment) -> frozenset[str]:
    """Ids of the hidden tests that belong to an exercise."""
    return frozenset(mark.id for mark in marks(assignment) if mark.exercise == exercise)


def misfits(assignment: Assignment) -> list[str]:
    """Where course.toml and the hidden tests contradict each other, with the numbers and what to do."""
    worth: dict[str, float] = {}
    for mark in marks(assignment):
        worth[mark.exercise] = worth.get(mark.exercise, 0.0) + mark.points
    found = []
    for exercise in assignment.exercises:
        tests = worth.pop(exercise.id, None)
        if tests is None:
            found.append(
                f"{exercise.id!r}: course.toml has this exercise, but no hidden test names it; "
                f"correct the id, or write tests for it in {assignment.content.chapter}/hidden/"
            )
        elif abs(tests - exercise.points) > 1e-6:
            found.append(
                f"{exercise.id}: course.toml says {exercise.points:g} points, but its hidden tests add up to "
                f"{tests:g}; say points = {tests:g} in course.toml, or change the numbers in their "
                f"@points(…) marks ({assignment.content.chapter}/hidden/test_{exercise.sheet}.py) until they "
                f"add up to {exercise.points:g}"
            )
    for id, tests in worth.items():
        found.append(
            f"{id!r}: hidden tests worth {tests:g} points name this exercise, but course.toml does not have "
            "it; put it back into course.toml, or take these tests out of the hidden tests"
        )
    return found


def check_points(assignment: Assignment) -> None:
    """Raises AssignmentError when course.toml and the hidden tests contradict each other."""
    if found := misfits(assignment):
        raise AssignmentError("course.toml and the hidden tests do not fit together:\n" + "\n".join(found))
