"""Submissions that are alike beyond chance: a question for a person, never an accusation.

Compared is what a definition is without its names (extract/shape.py). Left out is what says nothing: short
definitions, those of the kit's own right code, and those that many of a class have.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from autograder.assignment import Assignment
from autograder.extract.shape import shape_of
from autograder.extract.written import methods_to_write
from autograder.results import SubmissionResult

LEAST = 70  # nodes of a definition that is long enough to say anything
TOGETHER = 180  # nodes that two must have in common in all, unless they share a wrong result, too
COMMON = 4  # who share a definition; of more it is how people write it
RIGHT = ("styles", "written_out")  # folders of the chapter with right code


@dataclass(frozen=True)
class Similar:
    """Students who share definitions. symbols: which; nodes: how long they are in all; wrong: unexplained wrong
    results that they share, too."""

    students: tuple[str, ...]
    symbols: tuple[str, ...]
    nodes: int
    wrong: int


def similar(
    results: Sequence[SubmissionResult], assignment: Assignment, outputs: Mapping[str, frozenset[str]]
) -> list[Similar]:
    """Groups of students, those with most in common first. outputs: student -> what tells their unexplained
    wrong results apart."""
    known = ordinary(assignment)
    owners: dict[tuple[str, str], list[str]] = {}
    for result in results:
        for source in result.sources:
            if _nodes(source.shape) >= LEAST and source.shape not in known:
                owners.setdefault((source.symbol, source.shape), []).append(result.student)
    most = max(COMMON, len(results) // 50)
    shared: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for key, students in owners.items():
        if 1 < len(students) <= most:
            shared.setdefault(tuple(students), []).append(key)
    found = []
    for together, keys in shared.items():
        nodes = sum(_nodes(shape) for _, shape in keys)
        wrong = len(frozenset.intersection(*(outputs.get(s, frozenset()) for s in together)))
        if nodes >= TOGETHER or wrong:
            found.append(Similar(together, tuple(symbol for symbol, _ in keys), nodes, wrong))
    return sorted(found, key=lambda one: (-one.nodes, one.students))


def _nodes(shape: str) -> int:
    count = shape.partition(":")[0]
    return int(count) if count.isdecimal() else 0


@cache
def ordinary(assignment: Assignment) -> frozenset[str]:
    """The shapes of the kit's own right code, in every style that comes along."""
    stubs = {
        node.name: methods_to_write(node)
        for text in assignment.stubs.values()
        for node in ast.parse(text).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    texts = [*assignment.solutions.values()]
    for folder in RIGHT:
        texts += [p.read_text(encoding="utf-8") for p in sorted(_of(assignment, folder))]
    return frozenset(
        shape_of(node, stubs.get(node.name, ()))  # a method by itself has the shape of its class
        for text in texts
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    )


def _of(assignment: Assignment, folder: str) -> list[Path]:
    return list((assignment.chapter_folder / folder).glob("*.py"))
