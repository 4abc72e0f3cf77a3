"""Finds every message id that the kit uses: in Python by the syntax tree, in templates by their text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CALLS = {"_say", "Wrong", "NotMeasured", "Message", "Problem", "Flag", "Unreadable", "t", "say", "sentence"}
PREFIX = {"_say": "certain.", "Problem": "problem.", "Flag": "flag.", "Unreadable": "problem."}


@dataclass(frozen=True)
class Use:
    """An id, and the parameters given with it (None: not to be told from the source)."""

    where: str
    id: str
    params: frozenset[str] | None


def python_uses() -> Iterator[Use]:
    """Ids in calls of Wrong("…"), Message(id="…"), t("…") … under autograder/."""
    for path in sorted((ROOT / "autograder").rglob("*.py")):
        if "sample_class" in path.parts:  # students' code, some of it no Python at all
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _name(node.func) in CALLS:
                yield from _use(node, _name(node.func), f"{path.relative_to(ROOT)}:{node.lineno}")


def template_uses() -> Iterator[Use]:
    """Ids in t("…") and say("…") of the templates."""
    for path in sorted((ROOT / "autograder" / "feedback" / "templates").glob("*.j2")):
        for id in re.findall(r'\b(?:t|say)\("([^"]+)"(?! ~)', path.read_text(encoding="utf-8")):
            yield Use(path.name, id, None)


def strings() -> frozenset[str]:
    """All strings under autograder/ that could be an id, or the end of one."""
    found: set[str] = set()
    for path in (ROOT / "autograder").rglob("*.py"):
        if "sample_class" not in path.parts:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found |= {
                n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)
            }
    for path in (ROOT / "autograder" / "feedback" / "templates").glob("*.j2"):
        found |= set(re.findall(r'"([\w.]+)(?=")', path.read_text(encoding="utf-8")))
    return frozenset(found)


def hidden_tests() -> Iterator[str]:
    """Ids of all hidden tests: sheet/name."""
    for path in sorted((ROOT / "autograder" / "chapter04" / "hidden").glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield f"{path.stem.removeprefix('test_')}/{node.name.removeprefix('test_')}"


def _name(function: ast.expr) -> str:
    return (
        function.id
        if isinstance(function, ast.Name)
        else function.attr
        if isinstance(function, ast.Attribute)
        else ""
    )


def _use(node: ast.Call, name: str, where: str) -> Iterator[Use]:
    named = {k.arg: k.value for k in node.keywords if k.arg}
    first = named.get("id") or (node.args[0] if node.args else None)
    if not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
        return
    params: frozenset[str] | None = None
    if name in ("Wrong", "NotMeasured", "Unreadable", "t", "say", "_say"):
        if all(k.arg for k in node.keywords):
            params = frozenset(k for k in named if k not in ("id", "fingerprint"))
    elif isinstance(named.get("params"), ast.Dict):
        keys = named["params"].keys  # type: ignore[attr-defined]
        if all(isinstance(k, ast.Constant) for k in keys):
            params = frozenset(str(k.value) for k in keys)
    id = first.value
    prefix = PREFIX.get(name, "")
    yield Use(where, id if id.startswith(prefix) else prefix + id, params)
