"""Imports in autograder/ run one way: no circle between modules, no arrow against README's order of rooms."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import autograder
from autograder.assignment import load_assignment

ROOT = Path(autograder.__file__).parent
# README, "Arrows go one way": a room imports nothing from a room that stands before it in one of these rows.
ROWS = (
    ("commands", "release", "nbgrader", "batch", "grading", "intake", "extract", "assignment", "results"),
    ("commands", "batch", "grading", "diagnosis", "checks", "sandbox", "assignment"),
    ("commands", "gradebook", "assignment", "results"),
)
NOT_SHIPPED = {"sample_class", "styles", "written_out"}  # submissions, right and wrong


def modules() -> dict[str, Path]:
    """Name -> file of every module of the kit."""
    found = {}
    for path in ROOT.rglob("*.py"):
        parts = path.relative_to(ROOT.parent).with_suffix("").parts
        if not NOT_SHIPPED & set(parts):
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(name: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The kit's modules that a module imports, also inside functions."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            wanted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            wanted = [f"{module}.{a.name}" if f"{module}.{a.name}" in known else module for a in node.names]
        else:
            continue
        yield from (one for one in wanted if one in known and one != name)


def graph() -> dict[str, set[str]]:
    """Module -> those that it imports. A package's own __init__ gathers its modules, and is no arrow."""
    known = modules()
    return {name: set(imported(name, path, known)) for name, path in known.items()}


def room(module: str) -> str:
    """autograder.intake.read -> intake"""
    return (module.split(".") + [""])[1]


def test_no_module_imports_itself_by_way_of_others():
    TopologicalSorter(graph()).prepare()  # raises CycleError, with the circle


def test_no_arrow_runs_back():
    against = [
        f"{one} imports {other}"
        for row in ROWS
        for one, others in graph().items()
        for other in sorted(others)
        if room(one) in row and room(other) in row and row.index(room(other)) < row.index(room(one))
    ]
    assert against == []


@pytest.mark.parametrize("outside", ["collect", "exporters"])
def test_only_commands_know_of_other_platforms(outside: str):
    """A platform's room knows the class and its grades; nothing of the kit knows it."""
    known = {"assignment", "class_folder", "gradebook", "results", "store", "bounded", "course", "intake"}
    arrows = [(room(one), room(other)) for one, others in graph().items() for other in others]
    assert {one for one, other in arrows if other == outside} <= {outside, "commands"}
    assert {other for one, other in arrows if one == outside} <= {outside, *known}


def test_the_engine_imports_nothing_of_the_chapter():
    """It reaches the content by the folder that course.toml names (autograder/content.py)."""
    chapter = room(f"autograder.{load_assignment().chapter_folder.name}")
    against = [f"{one} imports {other}" for one, others in graph().items() for other in others
               if room(other) == chapter and room(one) != chapter]  # fmt: skip
    assert against == []


def test_the_graph_is_seen():
    found = graph()
    assert "autograder.checks.runner" in found["autograder.grading.attempt"]
    assert "autograder.extract.cells" in found["autograder.extract.modules"]


def test_a_module_is_a_screen_or_three():
    long = {name: n for name, path in modules().items()
            if (n := len(path.read_text(encoding="utf-8").splitlines())) > 300}  # fmt: skip
    assert long == {}
