"""The exercises' texts, which are their docstrings, in the students' language. The code stays as it is."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from autograder.assignment import Assignment
from autograder.course import Language

Documented = ast.Module | ast.ClassDef | ast.FunctionDef


@cache
def docstrings(assignment: Assignment, lang: Language) -> Mapping[str, str]:
    """File, function, class or Class.method -> its text; empty for the language the exercises are in."""
    path = _file(assignment, lang)
    if not path.exists():
        return {}
    return {key: text.strip("\n") for key, text in tomllib.loads(path.read_text(encoding="utf-8")).items()}


def files_of(assignment: Assignment) -> dict[str, str]:
    """The files with docstrings for students, and their texts."""
    paths = [assignment.exercises_folder / name for name in ("__init__.py", *assignment.files)]
    return {path.name: path.read_text(encoding="utf-8") for path in paths if path.exists()}


def _file(assignment: Assignment, lang: Language) -> Path:
    return assignment.chapter_folder / "docstrings" / f"{lang}.toml"


def in_language(source: str, file: str, assignment: Assignment, lang: Language) -> str:
    """A file of exercises/ with its docstrings exchanged; one that is not translated stays as it is."""
    translated = docstrings(assignment, lang)
    lines = source.split("\n")
    for key, node in reversed(list(documented(source, file))):
        if key not in translated:
            continue
        text = node.body[0]
        assert text.end_lineno is not None
        lines[text.lineno - 1 : text.end_lineno] = _quoted(translated[key], text.col_offset)
    return "\n".join(lines)


def problems(assignment: Assignment) -> list[str]:
    """What is not translated, and translations of what is not there. Empty when complete."""
    wanted = {key for file, text in files_of(assignment).items() for key, _ in documented(text, file)}
    found = []
    for lang in assignment.languages:
        path = f"docstrings/{lang}.toml"
        there = wanted if lang == "en" else set(docstrings(assignment, lang))
        found += [f"{path}: {key} is missing; add it" for key in sorted(wanted - there)]
        found += [f"{path}: exercises/ has no {key}; take it out" for key in sorted(there - wanted)]
    return found


def documented(source: str, file: str) -> Iterator[tuple[str, Documented]]:
    """Everything in a file that has a docstring, by its key, in the file's order."""
    module = ast.parse(source)
    if ast.get_docstring(module) is not None:
        yield file, module
    for node in module.body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        if ast.get_docstring(node) is not None:
            yield node.name, node
        for inner in node.body if isinstance(node, ast.ClassDef) else []:
            if isinstance(inner, ast.FunctionDef) and ast.get_docstring(inner) is not None:
                yield f"{node.name}.{inner.name}", inner


def _quoted(text: str, indent: int) -> list[str]:
    """As lines of source: one line, or the closing quotes on a line of their own."""
    space = " " * indent
    if "\n" not in text:
        return [f'{space}"""{text}"""']
    first, *rest = text.split("\n")
    return [f'{space}"""{first}', *(space + line if line else "" for line in rest), f'{space}"""']
