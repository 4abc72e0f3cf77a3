"""What a definition is apart from how it is written down, and whether anything is written in it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection
from typing import Any

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_INNER = (*FUNCTIONS, ast.ClassDef, ast.Lambda)
# Calls that make a function of another one, whatever they are imported from.
_MAKERS = frozenset(
    [
        "partial",
        "compile",
        "script",
        "trace",
        "jit",
        "vmap",
        "cache",
        "lru_cache",
        "no_grad",
        "inference_mode",
        "wraps",
        "staticmethod",
    ]
)


class _Plain(ast.NodeTransformer):
    """Takes out docstrings and annotations. (Comments and layout are not in a tree.)"""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        body = getattr(node, "body", None)
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and isinstance(body, list):
            body[:] = [s for s in body if not _is_text(s)] or [ast.Pass()]
        return super().generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = node.type_comment = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = node.type_comment = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = node.type_comment = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.Pass()
        return self.generic_visit(ast.Assign(targets=[node.target], value=node.value))


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def plain_node(node: ast.AST) -> ast.AST:
    """A copy without docstrings and annotations. Raises RecursionError."""
    bare: ast.AST = _Plain().visit(copy.deepcopy(node))
    return bare


def plain(node: ast.stmt) -> tuple[str, frozenset[str]]:
    """(a text that is equal for definitions that do the same in the same words, the names in it)."""
    try:
        bare = plain_node(node)
        names = {n.id for n in ast.walk(bare) if isinstance(n, ast.Name)}
        return ast.dump(bare), frozenset(names)
    except RecursionError:  # nested deeper than anybody writes: equal to nothing
        return f"deep {id(node)}", frozenset()


def gives_back(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function can give back a value: not one that only raises, passes, prints or returns None.
    What runs for ever does something too."""
    body = [s for s in node.body if not _is_text(s)]
    if not body or isinstance(body[0], ast.Raise):
        return False
    todo: list[ast.AST] = list(body)
    returned: list[ast.expr | None] = []
    none: set[str] = set()  # names that are None
    other = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    while todo:
        inner = todo.pop()
        if isinstance(inner, ast.Yield | ast.YieldFrom):
            return True
        if isinstance(inner, ast.While) and isinstance(inner.test, ast.Constant) and inner.test.value:
            return True
        if isinstance(inner, ast.Return):
            returned.append(inner.value)
        if isinstance(inner, ast.Assign) and _is_nothing(inner.value):
            none |= {t.id for t in inner.targets if isinstance(t, ast.Name)}
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            other.add(inner.id)
        elif isinstance(inner, ast.Global | ast.Nonlocal):
            other.update(inner.names)
        elif not isinstance(inner, _INNER):
            todo += ast.iter_child_nodes(inner)
    none -= other
    return any(not _is_nothing(v) and not (isinstance(v, ast.Name) and v.id in none) for v in returned)


def _is_nothing(value: ast.expr | None) -> bool:
    if value is None or (isinstance(value, ast.Constant) and value.value in (None, ...)):
        return True
    return isinstance(value, ast.Name) and value.id in ("NotImplemented", "NotImplementedError")


def methods_to_write(stub: ast.stmt) -> list[str]:
    """The methods that a stub of a class leaves to be written; [] for a function."""
    if not isinstance(stub, ast.ClassDef):
        return []
    return [
        m.name for m in stub.body if isinstance(m, FUNCTIONS) and not gives_back(m) and m.name[:2] != "__"
    ]


def is_written(
    node: ast.stmt, symbol: str, methods: Collection[str], functions: Collection[str]
) -> bool | None:
    """Whether a statement that binds `symbol` writes the exercise. None: it does not define it at all.

    methods: those of a class that are the exercise; functions: names of the module that are functions.
    """
    if isinstance(node, FUNCTIONS):
        return gives_back(node)
    if isinstance(node, ast.ClassDef):
        return _class_is_written(node, methods)
    if isinstance(node, ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return _value_is_written(node.value, functions)
    if isinstance(node, ast.If) and "__name__" in ast.dump(node.test):
        return None
    found = [is_written(inner, symbol, methods, functions) for inner in _inside(node, symbol)]
    return any(found) if any(f is not None for f in found) else None


def imports_of(node: ast.stmt, symbol: str) -> list[ast.stmt]:
    """The imports that bind a symbol in a statement, when nothing else in it does: `import` itself, or in a
    `try` or `if TYPE_CHECKING`. [] when it is defined there."""
    bare = isinstance(node, ast.Import | ast.ImportFrom)
    compound = isinstance(node, ast.Try | ast.If | ast.With)
    found = [node] if bare else _inside(node, symbol) if compound else []
    return found if all(isinstance(n, ast.Import | ast.ImportFrom) for n in found) else []


def _inside(node: ast.stmt, symbol: str) -> list[ast.stmt]:
    """Statements in an `if`, `try` … that define the symbol."""
    found: list[ast.stmt] = []
    todo: list[Any] = list(ast.iter_child_nodes(node))
    while todo:
        inner = todo.pop()
        if isinstance(inner, (*FUNCTIONS, ast.ClassDef)):
            found += [inner] * (inner.name == symbol)
        elif isinstance(inner, ast.Assign):
            found += [inner] * any(isinstance(t, ast.Name) and t.id == symbol for t in inner.targets)
        elif isinstance(inner, ast.Import | ast.ImportFrom):
            found += [inner] * any((a.asname or a.name) == symbol for a in inner.names)
        elif isinstance(inner, ast.stmt | ast.excepthandler | ast.match_case):
            todo += ast.iter_child_nodes(inner)
    return found


def _class_is_written(node: ast.ClassDef, methods: Collection[str]) -> bool:
    if not methods:
        return any(isinstance(m, FUNCTIONS) and gives_back(m) for m in node.body)
    for inner in node.body:
        if isinstance(inner, FUNCTIONS) and inner.name in methods:
            return gives_back(inner)
        if isinstance(inner, ast.Assign):
            names = {t.id for t in inner.targets if isinstance(t, ast.Name)}
            if names & set(methods):
                return True
    bases = {b.attr if isinstance(b, ast.Attribute) else getattr(b, "id", "?") for b in node.bases}
    return bool(bases - {"Module", "object"})  # inherited, as far as can be seen from here


def _value_is_written(value: ast.expr | None, functions: Collection[str]) -> bool | None:
    """Whether a value is a function that gives something back. None: it is no function, as far as is seen."""
    if isinstance(value, ast.Lambda):
        return not _is_nothing(value.body)
    if isinstance(value, ast.Name):
        return True if value.id in functions else None
    if isinstance(value, ast.Attribute):
        return True
    if isinstance(value, ast.Call):
        callee = value.func
        called = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "")
        own = isinstance(callee, ast.Name) and callee.id in functions
        given = {a.id for a in value.args if isinstance(a, ast.Name)} & set(functions)
        has_lambda = any(isinstance(a, ast.Lambda) for a in value.args)
        return True if called in _MAKERS or own or given or has_lambda else None
    return None
