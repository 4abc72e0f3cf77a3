"""What must never reach a student, as fingerprints: function bodies by what they do, lines by their text."""

from __future__ import annotations

import ast
import hashlib
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from autograder.assignment import Assignment

MARKS = ("BEGIN SOLUTION", "END SOLUTION", "BEGIN HIDDEN TESTS", "END HIDDEN TESTS")
SMALL = 12  # nodes of a syntax tree: a shorter body says nothing by itself (it still counts in solutions)
LINE = 45  # letters: a shorter line may be anybody's
PLACEHOLDER = "change me"  # the seed that the kit ships with is no secret
# Of the chapter, what holds no test and no answer.
PLUMBING = {"__init__.py", "conftest.py", "lengths.py", "ready.py", "settings.py", "usable.py"}
HARMLESS = {"diagnosis"}


@dataclass
class Secrets:
    """Fingerprint or line -> where it comes from."""

    bodies: dict[str, str] = field(default_factory=dict)
    lines: dict[str, str] = field(default_factory=dict)

    def add(self, text: str, where: str, *, every_size: bool = False, lines: bool = True) -> None:
        """All functions of a Python source, as a whole and (`lines`) line by line."""
        for name, body in functions(text):
            size = sum(1 for statement in body for _ in ast.walk(statement))
            if not raises_only(body) and (every_size or size >= SMALL):
                self.bodies.setdefault(fingerprint(body), f"{where}: {name}")
            for line in code_lines(text, body) if lines else ():
                self.lines.setdefault(line, f"{where}: {name}")


def secrets(assignment: Assignment) -> Secrets:
    """Everything in the solutions, the hidden tests, the known mistakes and the chapter's other code."""
    found = Secrets()
    for path in sorted(assignment.solutions_folder.glob("*.py")):
        found.add(_read(path), f"solutions/{path.name}", every_size=True)
    chapter = assignment.chapter_folder
    for path in sorted((chapter / "mistakes").rglob("*.toml")):
        for variant in tomllib.loads(_read(path))["variant"]:
            found.add(str(variant.get("code", "")), f"the mistake {path.stem}", lines=False)
    for path in sorted(chapter.rglob("*.py")):
        room = path.relative_to(chapter).parts[0]
        if path.name not in PLUMBING and room not in HARMLESS:
            found.add(_read(path), path.relative_to(chapter).as_posix(), lines=room == "hidden")
    seed = assignment.course.seed
    if not seed.startswith(PLACEHOLDER):
        found.lines[seed] = "course.toml: seed"
    for mark in MARKS:
        found.lines[mark] = "nbgrader's marks"
    return found


def functions(text: str) -> Iterator[tuple[str, list[ast.stmt]]]:
    """Name and body (without docstring) of every function; __init__ is given to students as it is."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name != "__init__":
            has_doc = ast.get_docstring(node) is not None
            yield node.name, node.body[has_doc:]


def fingerprint(body: list[ast.stmt]) -> str:
    """The same for code that does the same steps: names, comments, docstrings and layout do not count.

    Names of attributes (x.transpose) stay as they are: they are what is done.
    """
    names: dict[str, str] = {}
    parts = []
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                parts.append(names.setdefault(node.id, f"n{len(names)}"))
            elif isinstance(node, ast.arg):
                parts.append(names.setdefault(node.arg, f"n{len(names)}"))
            elif isinstance(node, ast.Attribute):
                parts.append(f"Attribute {node.attr}")
            elif isinstance(node, ast.Constant):
                parts.append(f"Constant {node.value!r}")
            else:
                parts.append(type(node).__name__)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def raises_only(body: list[ast.stmt]) -> bool:
    """A stub, or nothing at all."""
    return not body or isinstance(body[0], ast.Raise | ast.Pass)


def code_lines(text: str, body: list[ast.stmt]) -> Iterator[str]:
    """The lines of a body that are long enough to be recognised, without comments and outer spaces."""
    if not body:
        return
    for line in text.split("\n")[body[0].lineno - 1 : body[-1].end_lineno]:
        plain = re.sub(r"\s+#.*$", "", line).strip()
        anybody = plain.startswith(("#", "import ", "from ", "raise ", '"', "'"))
        if len(plain) >= LINE and not anybody:
            yield plain


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
