"""What the notebook is made of, cut out of exercises/ and solutions/ so that nothing is written twice."""

from __future__ import annotations

import ast
import io
import tokenize
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path

from autograder.assignment import KIT, Assignment
from autograder.course import Language
from autograder.extract.reading import ALSO_GIVEN
from autograder.feedback.texts import texts
from autograder.nbgrader.build.docstrings import in_language
from autograder.sandbox.trusted import package_names

HERE = Path(__file__).resolve().parent
SELFCHECK = KIT / "exercises" / "selfcheck"  # the same for every assignment
BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
Def = ast.FunctionDef | ast.ClassDef


def solution_cell(symbol: str, assignment: Assignment, lang: Language = "en") -> str:
    """The exercise's stub with the solution between nbgrader's marks where the stub raises."""
    file = assignment.symbols[symbol]
    stub, solved = in_language(assignment.stubs[file], file, assignment, lang), assignment.solutions[file]
    gap = _raising(definition(stub, symbol))
    function, statement = gap
    body = _body(solved, definition(solved, symbol), function.name)
    indent = " " * statement.col_offset
    lines = stub.split("\n")
    first, last = span(definition(stub, symbol))
    assert statement.end_lineno is not None
    return "\n".join(
        [
            *lines[first - 1 : statement.lineno - 1],
            indent + BEGIN,
            *body,
            indent + END,
            *lines[statement.end_lineno : last],
        ]
    ).rstrip("\n")


def definition(text: str, name: str) -> Def:
    """The top-level function or class of that name."""
    for node in ast.parse(text).body:
        if isinstance(node, Def) and node.name == name:
            return node
    raise LookupError(f"there is no {name}")


def span(node: ast.stmt) -> tuple[int, int]:
    """First and last line, decorators included."""
    assert node.end_lineno is not None
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]), node.end_lineno


def source(text: str, node: ast.stmt) -> str:
    """The statement's own lines."""
    first, last = span(node)
    return "\n".join(text.split("\n")[first - 1 : last])


def _raising(node: Def) -> tuple[ast.FunctionDef, ast.Raise]:
    """The function in which the stub raises NotImplementedError, and that statement."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef):
            for statement in inner.body:
                if isinstance(statement, ast.Raise):
                    return inner, statement
    raise LookupError(f"{node.name} is no stub: nothing in it raises NotImplementedError")


def _body(text: str, node: Def, function: str) -> list[str]:
    """The lines of the solution's function, without its docstring, with all its comments."""
    inner = next(n for n in ast.walk(node) if isinstance(n, ast.FunctionDef) and n.name == function)
    has_doc = ast.get_docstring(inner) is not None
    before = inner.body[0].end_lineno if has_doc else inner.body[0].lineno - 1
    assert before is not None
    return text.split("\n")[before : inner.end_lineno]


def given(assignment: Assignment) -> str:
    """Imports and names that the exercises' files give, once each."""
    imports: dict[str, None] = dict.fromkeys((*ALSO_GIVEN, "import os"))
    names: dict[str, None] = {}
    for text in assignment.stubs.values():
        for node in ast.parse(text).body:
            if isinstance(node, ast.Import) or (
                isinstance(node, ast.ImportFrom) and not ours(node, assignment)
            ):
                imports |= dict.fromkeys(_one_by_one(node))
            elif isinstance(node, ast.Assign):
                names[source(text, node)] = None
    return "\n".join(sorted_imports(imports)) + "\n\n" + "\n".join(names)


def ours(node: ast.ImportFrom, assignment: Assignment) -> bool:
    """An import between the exercises' own files."""
    return (node.module or "").split(".")[0] == package_names(assignment)[0]


def _one_by_one(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [f"import {ast.unparse(a)}" for a in node.names]
    return [f"from {node.module} import {ast.unparse(a)}" for a in node.names]


def sorted_imports(lines: Iterable[str]) -> list[str]:
    """As a person would sort them: `import` before `from`, names from one module in one line."""
    plain = sorted(line for line in lines if line.startswith("import "))
    from_module: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith("from "):
            module, _, name = line.removeprefix("from ").partition(" import ")
            from_module.setdefault(module, []).append(name)
    return plain + [f"from {m} import {', '.join(sorted(set(n)))}" for m, n in sorted(from_module.items())]


def said(assignment: Assignment, lang: Language) -> Mapping[str, str]:
    """Sentences for students by dotted key: those of the self-check and the notebook's own."""
    found: dict[str, str] = {}
    for each in ("en", lang):  # English stands in for what is missing
        for folder in (SELFCHECK, assignment.exercises_folder):
            path = folder / "texts" / f"{each}.toml"
            if path.exists():
                flatten(tomllib.loads(path.read_text(encoding="utf-8")), "", found)
    own = texts(lang, assignment).sentences
    return found | {key: text for key, text in own.items() if key.startswith(("about.", "notebook."))}


def flatten(table: Mapping[str, object], prefix: str, found: dict[str, str]) -> None:
    """Puts the texts of a table into `found`, by dotted key after `prefix`; those of a list by number, from 1."""
    for key, value in table.items():
        if isinstance(value, dict):
            flatten(value, f"{prefix}{key}.", found)
        elif isinstance(value, list):
            found |= {f"{prefix}{key}.{i + 1}": str(one) for i, one in enumerate(value)}
        else:
            found[prefix + key] = str(value)


def replace_names(text: str, values: Mapping[str, str]) -> str:
    """Puts values in the place of names, token by token."""
    lines = text.split("\n")
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for token in reversed(tokens):
        if token.type == tokenize.NAME and token.string in values:
            row, column = token.start
            line = lines[row - 1]
            lines[row - 1] = line[:column] + values[token.string] + line[column + len(token.string) :]
    return "\n".join(lines)
