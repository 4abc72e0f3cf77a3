"""What a statement binds, needs and changes among a module's names."""

from __future__ import annotations

import ast
import builtins
import symtable
from dataclasses import dataclass

from .statements import PARSE_ERRORS, Statement

BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__", "__class__"}


@dataclass(frozen=True)
class Names:
    """Names of the module: it `binds`, `needs` anywhere inside, `changes`: x.y = …, x[i] += …

    `now`: those of `needs` that must be bound when the statement is run, not only when what it defines is
    called: bases, decorators, defaults, a class's body.
    """

    binds: frozenset[str]
    needs: frozenset[str]
    changes: frozenset[str]
    star: bool = False  # from … import *
    now: frozenset[str] = frozenset()


def names_of(statement: Statement) -> Names:
    """The names of one statement; none at all when Python cannot make sense of it."""
    node = statement.node
    if isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names):
        return Names(frozenset(), frozenset(), frozenset(), star=True)
    try:
        top = symtable.symtable(statement.text, "cell", "exec")
    except PARSE_ERRORS:
        return Names(frozenset(), frozenset(), frozenset())
    symbols = top.get_symbols()
    binds = {s.get_name() for s in symbols if s.is_assigned() or s.is_imported() or s.is_namespace()}
    now = {s.get_name() for s in symbols if s.is_referenced()}
    needs = set(now)
    for child in top.get_children():
        needs |= _globals(child)
        if child.get_type() == "class":
            now |= {s.get_name() for s in child.get_symbols() if s.is_global()}
    changed = frozenset(_changed(node))
    return Names(frozenset(binds), frozenset(needs) - BUILTINS, changed, now=frozenset(now) - BUILTINS)


def _globals(table: symtable.SymbolTable) -> set[str]:
    found = {s.get_name() for s in table.get_symbols() if s.is_global()}
    for child in table.get_children():
        found |= _globals(child)
    return found


def _changed(node: ast.stmt) -> set[str]:
    """Roots of targets like `FeedForward.forward = …`, and of setattr(FeedForward, …)."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value
        if isinstance(called.func, ast.Name) and called.func.id == "setattr" and called.args:
            return {called.args[0].id} if isinstance(called.args[0], ast.Name) else set()
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    else:
        return set()
    roots = set()
    for target in targets:
        inner: ast.expr = target
        while isinstance(inner, ast.Attribute | ast.Subscript):
            inner = inner.value
        if inner is not target and isinstance(inner, ast.Name):
            roots.add(inner.id)
    return roots


def is_stub(node: ast.stmt) -> bool:
    """A function (or a class with a method) that does nothing but raise NotImplementedError."""
    if isinstance(node, ast.ClassDef):
        return any(is_stub(inner) for inner in node.body)
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    body = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    if not body:
        return True
    raised = body[0].exc if isinstance(body[0], ast.Raise) else None
    raised = raised.func if isinstance(raised, ast.Call) else raised
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
