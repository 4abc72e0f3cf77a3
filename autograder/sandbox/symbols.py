"""Which file of a submission each exercise's symbol belongs to: from course.toml."""

from __future__ import annotations

from functools import cache

from ..assignment import Assignment, load_assignment


def default_symbols() -> dict[str, str]:
    """Symbol -> file, by the kit's own course.toml. Raises AssignmentError."""
    return dict(_kits_own())


@cache
def _kits_own() -> dict[str, str]:
    return symbols_of(load_assignment())


def symbols_of(assignment: Assignment) -> dict[str, str]:
    """Symbol -> file; where two exercises name a symbol, the first one's file counts."""
    out: dict[str, str] = {}
    for exercise in assignment.exercises:
        for symbol in exercise.symbols:
            out.setdefault(symbol, exercise.file)
    return out
