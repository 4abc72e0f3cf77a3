"""The notebook that formgrader shows: the student's cells as they were read, the verdicts as outputs.

It is put together from plain text and never run. Locked cells are the course's own, whatever the student made
of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.assignment import Assignment
from autograder.extract.reading import Cell
from autograder.results import SubmissionResult

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


def autograded(
    cells: Sequence[Cell], source_cells: Sequence[Any], result: SubmissionResult, course: Assignment
) -> str:
    """The notebook as JSON text. `source_cells`: nbgrader's own record of the cells it knows."""
    known = {cell.name: cell for cell in source_cells}
    points = {f"test-{e.id}": e.points for e in course.exercises}
    outputs = {f"test-{e.id}": _outputs(e.id, result) for e in course.exercises}
    all_cells = [*_once(cells, set(known)), *_missing(cells, set(known), course)]
    made = [_cell(cell, known, points, outputs) for cell in all_cells]
    for i, cell in enumerate(made):
        cell["id"] = f"cell-{i}"  # instead of a random one
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": KERNEL}, "cells": made}
    text: str = nbformat.writes(nbformat.from_dict(notebook))
    return text + "\n"


def _once(cells: Sequence[Cell], known: set[str]) -> list[Cell]:
    """A name that occurs twice stays with the last cell that has it, as in nbgrader."""
    seen: set[str] = set()
    kept: list[Cell] = []
    for cell in reversed(cells):
        name = cell.grade_id if cell.grade_id in known and cell.grade_id not in seen else ""
        seen.add(cell.grade_id)
        kept.append(Cell(cell.type, cell.source, name))
    return kept[::-1]


def _missing(cells: Iterable[Cell], known: set[str], course: Assignment) -> list[Cell]:
    """Cells that are not there, of a notebook or where files were handed in: comments and scores are shown
    in them."""
    there = {cell.grade_id for cell in cells}
    wanted = [name for e in course.exercises for name in (*course.own_symbols(e.id), f"test-{e.id}")]
    return [Cell("code", "", name) for name in wanted if name in known and name not in there]


def _cell(
    cell: Cell,
    known: Mapping[str, Any],
    points: Mapping[str, float],
    outputs: Mapping[str, list[NotebookNode]],
) -> dict[str, Any]:
    source = known.get(cell.grade_id)
    if source is None:
        return _new(cell.type, cell.source)
    graded = cell.grade_id in points
    metadata: dict[str, Any] = {
        "schema_version": 3,
        "grade_id": cell.grade_id,
        "grade": graded,
        "solution": not source.locked,
        "locked": bool(source.locked),
        "task": False,
        "cell_type": source.cell_type,
        "checksum": source.checksum,
    }
    if graded:
        metadata["points"] = points[cell.grade_id]
    text = source.source if source.locked else cell.source
    made = _new(source.cell_type, text, {"nbgrader": metadata})
    if graded:
        made["outputs"] = outputs[cell.grade_id]
        made["execution_count"] = 1
    return made


def _new(type: str, source: str, metadata: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A cell; nbformat's own functions check each one by the schema, which `writes` does for all of them."""
    made: dict[str, Any] = {"cell_type": type, "metadata": dict(metadata or {}), "source": source}
    return made | ({"outputs": [], "execution_count": None} if type == "code" else {})


def _outputs(exercise: str, result: SubmissionResult) -> list[NotebookNode]:
    """A line per hidden test, and the points as nbgrader's partial credit."""
    tests = [t for t in result.tests if t.exercise == exercise]
    lines = "".join(f"[{'ok' if t.points == t.max_points else '  '}] {t.concept}\n" for t in tests)
    printed = nbformat.v4.new_output("stream", name="stdout", text=lines or "not graded\n")
    points = nbformat.v4.new_output(
        "execute_result", execution_count=1, data={"text/plain": str(float(result.points_of(exercise)))}
    )
    return [printed, points]
