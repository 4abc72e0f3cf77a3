"""The self-check (`pytest exercises/`) for any assignment: the kit's own package, and what it must be told."""

from __future__ import annotations

import json

from autograder.assignment import KIT, Assignment
from autograder.nbgrader.build.sources import SELFCHECK

FACTS = "assignment.json"  # in exercises/: what students may know of course.toml


def facts(assignment: Assignment) -> str:
    """The text of assignment.json: same course.toml, same text."""
    own = {e.id: [s for s in e.symbols if s in assignment.own_symbols(e.id)] for e in assignment.exercises}
    told = {
        "chapter": assignment.course.chapter,
        "title": {lang: assignment.course.title_in(lang) for lang in assignment.languages},
        "modules": assignment.modules,
        "keeps": {name: symbol.keeps for name, symbol in assignment.symbol.items() if symbol.keeps},
        "exercises": [
            {
                **e.model_dump(include={"id", "file", "sheet", "section", "needs", "title"}),
                "symbols": own[e.id],
            }
            for e in assignment.exercises
        ],
    }
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def package() -> dict[str, bytes]:
    """Path in exercises/ -> bytes, of the files that are the same for every assignment."""
    top = KIT / "exercises"
    paths = [top / "conftest.py", *SELFCHECK.rglob("*")]
    return {
        path.relative_to(top).as_posix(): path.read_bytes()
        for path in sorted(paths)
        if path.is_file() and path.suffix in (".py", ".toml")
    }
