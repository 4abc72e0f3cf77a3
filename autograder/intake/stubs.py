"""The exercises as students get them: they stand in for what is not handed in, so they must be unwritten."""

from __future__ import annotations

import ast
from pathlib import Path

from autograder.assignment import Assignment
from autograder.intake.inbox import IntakeError


def check_stubs(assignment: Assignment, folder: Path | None = None) -> None:
    """Raises IntakeError when an exercise in `folder` (the assignment's own) is written: a missing file would
    earn points."""
    for exercise in assignment.exercises:
        if not exercise.file.endswith(".py"):
            continue
        path = (folder or assignment.exercises_folder) / exercise.file
        try:
            tree = ast.parse(path.read_bytes())
        except (OSError, SyntaxError, ValueError):
            tree = ast.Module(body=[], type_ignores=[])
        unwritten = {
            node.name
            for node in tree.body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and _unwritten(node)
        }
        for symbol in exercise.symbols:
            if symbol not in unwritten and _should_hold(exercise.file, symbol, assignment):
                raise IntakeError(
                    f"{path}: {symbol} is not as students get it. The file stands in for what they do not "
                    "hand in, so it must stay unwritten. Keep your own solution elsewhere, and put this file "
                    "back (git checkout exercises/)."
                )


def _should_hold(file: str, symbol: str, assignment: Assignment) -> bool:
    """Whether this is the file the symbol is written in; a later exercise may only use it."""
    return next(e.file for e in assignment.exercises if symbol in e.symbols) == file


def _unwritten(node: ast.stmt) -> bool:
    """A function that only says that it is not written; a class all of whose methods but __init__ do."""
    if isinstance(node, ast.ClassDef):
        methods = [m for m in node.body if isinstance(m, ast.FunctionDef) and m.name != "__init__"]
        return bool(methods) and all(_unwritten(m) for m in methods)
    if not isinstance(node, ast.FunctionDef):
        return False
    body = node.body[ast.get_docstring(node) is not None :]
    return len(body) == 1 and isinstance(body[0], ast.Raise) and "NotImplementedError" in ast.unparse(body[0])
