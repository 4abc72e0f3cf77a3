"""The public tests as notebook cells, and the tools they lean on."""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

from autograder.assignment import Assignment
from autograder.course import Exercise
from autograder.nbgrader.build.sources import HERE, SELFCHECK, ours, replace_names, source


@dataclass(frozen=True)
class PublicTest:
    """One public test: its function's name and its text, the title as docstring."""

    name: str
    text: str


def tests_of(exercise: Exercise, said: Mapping[str, str], assignment: Assignment) -> list[PublicTest]:
    """The public tests that belong to an exercise: it is the last one they ask for."""
    symbols = list(assignment.symbols)
    own = assignment.own_symbols(exercise.id)
    text = _tests(exercise.sheet, assignment)
    constants = _constants(text)
    found = []
    for node in ast.parse(text).body:
        if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
            continue
        asked = [a.arg for a in node.args.args if a.arg in symbols]
        if asked and max(asked, key=symbols.index) in own:
            found.append(
                PublicTest(
                    node.name,
                    _titled(replace_names(source(text, node), constants), node, exercise.sheet, said),
                )
            )
    return found


def _titled(text: str, node: ast.FunctionDef, sheet: str, said: Mapping[str, str]) -> str:
    """The test with its title as docstring and what is given as a comment."""
    key = f"test.{sheet}.{node.name.removeprefix('test_')}"
    body = [f'    """{said[key + ".title"]}"""']
    if key + ".given" in said:
        wrapped = textwrap.wrap(said[key + ".given"], 95)
        body += [f"    # {line}" for line in wrapped]
    lines = text.split("\n")
    head = 1 + next(i for i, line in enumerate(lines) if line.rstrip().endswith(":"))  # the signature
    return "\n".join([*lines[:head], *body, *lines[head:]])


def helpers_of(sheet: str, assignment: Assignment) -> str:
    """What else the test file defines, without its imports and its tests."""
    text = _tests(sheet, assignment)
    constants = _constants(text)
    kept = []
    for node in ast.parse(text).body:
        test = isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        constant = isinstance(node, ast.Assign) and bool(set(_bound(node)) & constants.keys())
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Expr) or test or constant:
            continue
        kept.append(source(text, node))
    return "\n\n\n".join(kept)


def _constants(text: str) -> dict[str, str]:
    """T, F = True, False: such names would hide the notebook's own F, so their values are written out."""
    found: dict[str, str] = {}
    for node in ast.parse(text).body:
        several = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)
        if several and isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            for name, value in zip(_bound(node), node.value.elts, strict=True):
                if isinstance(value, ast.Constant) and isinstance(value.value, bool):
                    found[name] = repr(value.value)
    return found


def _bound(node: ast.Assign) -> list[str]:
    target = node.targets[0]
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    return [p.id for p in parts if isinstance(p, ast.Name)]


def tools(said: Mapping[str, str], assignment: Assignment) -> str:
    """tools.py and what the tests import from exercises/: text for the first code cell."""
    parts = [_tools()]
    wanted = _imported(assignment)
    numbers = wanted.pop("selfcheck/numbers.py", set())
    for module in sorted(wanted):
        folder = SELFCHECK.parent if module.startswith(f"{SELFCHECK.name}/") else assignment.exercises_folder
        parts += _needed((folder / module).read_text(encoding="utf-8"), wanted[module])
    if numbers:
        parts.append(_numbers(assignment))
    text = "\n\n\n".join(parts)
    return text.replace("TEXTS: dict[str, str] = {}", f"TEXTS = {_texts(text, said, assignment)}")


def _tools() -> str:
    text = (HERE / "tools.py").read_text(encoding="utf-8")
    tree = ast.parse(text)
    kept = [n for n in tree.body if not isinstance(n, ast.Import | ast.ImportFrom | ast.Expr)]
    return "\n\n\n".join(source(text, node) for node in kept)


def _imported(assignment: Assignment) -> dict[str, set[str]]:
    """File of exercises/ ("selfcheck/inputs.py") -> names that the test files import from it."""
    found: dict[str, set[str]] = {}
    for sheet in _sheets(assignment):
        for node in ast.parse(_tests(sheet, assignment)).body:
            if isinstance(node, ast.ImportFrom) and ours(node, assignment):
                module = "/".join((node.module or "").split(".")[1:]) + ".py"
                found.setdefault(module, set()).update(a.name for a in node.names)
    return found


def _needed(text: str, names: set[str]) -> list[str]:
    """The definitions of `names` in a module, and of what they need of the same module, in its order."""
    tree = ast.parse(text)
    by_name: dict[str, ast.stmt] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            by_name[node.name] = node
        elif isinstance(node, ast.Assign):
            by_name |= dict.fromkeys(_bound(node), node)
    todo, wanted = list(names), set[str]()
    while todo:
        name = todo.pop()
        if name in by_name and name not in wanted:
            wanted.add(name)
            todo += [n.id for n in ast.walk(by_name[name]) if isinstance(n, ast.Name)]
    nodes = [node for node in tree.body if any(by_name[w] is node for w in wanted)]
    # Annotations of types that only the self-check has would not be found in the notebook.
    own_types = re.compile(r"(?<!\.)\bModule\b|Sequence\[float\]")
    return [own_types.sub("Any", source(text, node)) for node in nodes]


def _numbers(assignment: Assignment) -> str:
    """Results worked out beforehand, and the function that looks them up."""
    data = json.loads((assignment.exercises_folder / "numbers.json").read_text(encoding="utf-8"))
    rows = ",\n".join(f"    {json.dumps(k)}: {json.dumps(_rounded(v))}" for k, v in data.items())
    wrapped = "\n".join(
        textwrap.fill(line, 110, subsequent_indent="        ", break_long_words=False)
        for line in rows.split("\n")
    )
    return (
        f"STORED = {{\n{wrapped},\n}}\n\n\n"
        'def stored(name: str) -> Tensor:\n    """Results worked out beforehand."""\n'
        "    return torch.tensor(STORED[name], dtype=torch.float64)"
    )


def _rounded(value: object) -> object:
    if isinstance(value, list):
        return [_rounded(v) for v in value]
    return round(value, 7) if isinstance(value, float) else value


def _texts(code: str, said: Mapping[str, str], assignment: Assignment) -> str:
    """The sentences whose keys appear in the tools or in a public test, as a dict display."""
    code += "".join(_tests(sheet, assignment) for sheet in _sheets(assignment))
    keys = set(re.findall(r"[\"']([a-z]+\.[a-z_]+)[\"']", code))
    lines = [
        f"    {key!r}: {json.dumps(text, ensure_ascii=False)},"
        for key, text in said.items()
        if key in keys or key.startswith("axis.")
    ]
    return "{\n" + "\n".join(lines) + "\n}"


def _sheets(assignment: Assignment) -> list[str]:
    """The sheets of the exercises that ask for code: only these have cells of their own."""
    return list(dict.fromkeys(e.sheet for e in assignment.exercises if assignment.own_symbols(e.id)))


def _tests(sheet: str, assignment: Assignment) -> str:
    """The text of a sheet's public tests; "" where there are none."""
    path = assignment.exercises_folder / f"test_{sheet}.py"
    return path.read_text(encoding="utf-8") if path.exists() else ""
