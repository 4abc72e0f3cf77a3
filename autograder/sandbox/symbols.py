"""Which file of a submission each exercise's symbol belongs to: from course.toml."""

from __future__ import annotations

from functools import cache

from ..course import Course, load_course


def default_symbols() -> dict[str, str]:
    """Symbol -> file, by the kit's own course.toml. Raises CourseError."""
    return dict(_kits_own())


@cache
def _kits_own() -> dict[str, str]:
    return symbols_of(load_course())


def symbols_of(course: Course) -> dict[str, str]:
    """Symbol -> file; where two exercises name a symbol, the first one's file counts."""
    out: dict[str, str] = {}
    for exercise in course.exercises:
        for symbol in exercise.symbols:
            out.setdefault(symbol, exercise.file)
    return out
