"""What a definition is apart from its names: for the question whether two were written by one hand.

Nothing of it is a judgement. Renamed variables, comments, docstrings, annotations, layout and constants of
messages change nothing; another order of steps or another way to write one does.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Collection
from itertools import islice

from .sources import Kit
from .written import FUNCTIONS, methods_to_write, plain_node

LARGEST = 5_000  # nodes of one definition, before anything is done with it; of more nobody asks


def shape_in(node: ast.AST, symbol: str, kit: Kit) -> str:
    """The shape of a symbol's definition; of a class only the methods that its stub leaves to be written."""
    stub = ast.parse(kit.stubs[kit.symbols[symbol]]).body
    given = next((s for s in stub if getattr(s, "name", None) == symbol), None)
    return shape_of(node, methods_to_write(given) if given is not None else [])


def shape_of(node: ast.AST, methods: Collection[str] = ()) -> str:
    """ "<number of nodes>:<hash>" of a definition; "" where it is none, or too large. methods: of a class, those
    that count (the others are given)."""
    parts: list[ast.AST] = [node]
    if isinstance(node, ast.ClassDef):
        parts = [m for m in node.body if isinstance(m, FUNCTIONS) and m.name in methods]
    elif not isinstance(node, FUNCTIONS):
        return ""
    if sum(1 for part in parts for _ in islice(ast.walk(part), LARGEST + 1)) > LARGEST:
        return ""
    said: list[str] = []
    names: dict[str, str] = {}
    for part in parts:
        try:
            bare = plain_node(part)
        except RecursionError:
            return ""
        for inner in ast.walk(bare):  # breadth first: no recursion, whatever the depth
            said.append(_word(inner, names))
    if not said:
        return ""
    return f"{len(said)}:{hashlib.sha256(' '.join(said).encode()).hexdigest()[:16]}"


def _word(node: ast.AST, names: dict[str, str]) -> str:
    """The kind of a node; of a name its number, in the order in which names come up; attributes as they are."""
    kind = type(node).__name__
    if isinstance(node, ast.Name | ast.arg):
        name = node.id if isinstance(node, ast.Name) else node.arg
        return f"{kind}{names.setdefault(name, str(len(names)))}"
    if isinstance(node, ast.Attribute):
        return f"{kind}.{node.attr}"
    if isinstance(node, ast.Constant) and not isinstance(node.value, str):
        return f"{kind}={node.value!r}"[:80]
    children = sum(1 for _ in ast.iter_child_nodes(node))
    return f"{kind}/{children}"
