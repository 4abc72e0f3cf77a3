"""Strings that a program puts together out of constants: "scaled_dot" + "_product", "".join([…]), f"…" …

Nothing is run: only what is plainly a constant is worked out, and no more than `LONGEST` letters of it.
"""

from __future__ import annotations

import ast
import base64
import codecs
from collections import Counter

LONGEST = 1000  # letters of one string
_PASSES = 3  # a name's constant may be made of another name's

Value = str | int | tuple["Value", ...]


def constants_of(nodes: list[ast.AST]) -> dict[ast.AST, Value]:
    """The expressions whose value can be told. nodes: all of a tree, parents before their children."""
    named: dict[str, Value] = {}
    values: dict[ast.AST, Value] = {}
    assigned = _assigned_once(nodes)
    for _ in range(_PASSES):
        values = {}
        for node in reversed(nodes):  # children first, so that nothing here goes deep
            value = _value(node, values, named)
            if value is not None and _size(value) <= LONGEST:
                values[node] = value
        known = {name: values[node] for name, node in assigned.items() if node in values}
        if known == named:
            break
        named = known
    return values


def _assigned_once(nodes: list[ast.AST]) -> dict[str, ast.AST]:
    """Name -> what it is set to, for names that are set in one place of the file."""
    found: dict[str, ast.AST] = {}
    stores: Counter[str] = Counter()
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            stores[node.id] += 1
        elif isinstance(node, ast.Assign):
            found.update({t.id: node.value for t in node.targets if isinstance(t, ast.Name)})
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            found.update({t.id: node.value for t in [node.target] if isinstance(t, ast.Name)})
    return {name: node for name, node in found.items() if stores[name] == 1}


def _size(value: Value) -> int:
    if isinstance(value, tuple):
        return sum(map(_size, value)) + len(value)
    return len(value) if isinstance(value, str) else 1


def _value(node: ast.AST, values: dict[ast.AST, Value], named: dict[str, Value]) -> Value | None:
    match node:
        case ast.Constant(value=bytes() as data):
            return data[:LONGEST].decode("latin-1")
        case ast.Constant(value=str() | int() as plain):
            return plain if isinstance(plain, str) else max(-(10**6), min(plain, 10**6))
        case ast.Name(ctx=ast.Load()):
            return named.get(node.id)
        case ast.List() | ast.Tuple():
            parts = [values.get(e) for e in node.elts[: LONGEST + 1]]
            return tuple(p for p in parts if p is not None) if None not in parts else None
        case ast.FormattedValue():
            return values.get(node.value)
        case ast.JoinedStr():
            return _joined("", [values.get(v) for v in node.values])
        case ast.UnaryOp(op=ast.USub()):
            number = values.get(node.operand)
            return -number if isinstance(number, int) else None
        case ast.BinOp():
            return _operation(node.op, values.get(node.left), values.get(node.right))
        case ast.Subscript():
            return _part(values.get(node.value), node.slice, values)
        case ast.Call():
            return _call(node, values)
    return None


def _joined(between: str, parts: list[Value | None]) -> str | None:
    if any(p is None or isinstance(p, tuple) for p in parts):
        return None
    texts = [str(p) for p in parts]
    return between.join(texts) if sum(map(len, texts)) + len(between) * len(texts) <= LONGEST else None


def _operation(op: ast.operator, left: Value | None, right: Value | None) -> Value | None:
    match op, left, right:
        case ast.Add(), str() as a, str() as b:
            return a + b
        case ast.Add(), tuple() as c, tuple() as d:
            return c + d
        case ast.Add(), int() as e, int() as f:
            return e + f
        case ast.Sub(), int() as e, int() as f:
            return e - f
        case ast.Mod(), str() as text, _ if right is not None:
            return _filled(text, "%s", right if isinstance(right, tuple) else (right,))
    return None


def _filled(text: str, hole: str, parts: tuple[Value, ...]) -> str | None:
    for part in parts:
        if isinstance(part, tuple) or len(text) > LONGEST:
            return None
        text = text.replace(hole, str(part), 1)
    return text


def _part(whole: Value | None, index: ast.expr, values: dict[ast.AST, Value]) -> Value | None:
    """x[3], x[2:7], x[::-1]"""
    if not isinstance(whole, str | tuple):
        return None
    if isinstance(index, ast.Slice):
        first, last, step = (_number(n, values) for n in (index.lower, index.upper, index.step))
        return None if step == 0 else whole[first:last:step]
    at = values.get(index)
    return whole[at] if isinstance(at, int) and -len(whole) <= at < len(whole) else None


def _number(node: ast.expr | None, values: dict[ast.AST, Value]) -> int | None:
    value = None if node is None else values.get(node)
    return value if isinstance(value, int) else None


_PLAIN = frozenset({"lower", "upper", "strip", "lstrip", "rstrip", "casefold", "swapcase", "title"})
_SAME = frozenset({"decode", "encode", "__str__"})  # of ASCII, which is all that is looked for
_THROUGH = frozenset(
    {"str", "tuple", "list", "bytes", "intern", "reversed"}
)  # what it is given, or its letters


def _call(node: ast.Call, values: dict[ast.AST, Value]) -> Value | None:
    if len(node.args) > LONGEST or node.keywords:
        return None
    args = [values.get(a) for a in node.args]
    how = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if args and isinstance(text := args[0], str) and len(text) <= LONGEST:
        last = args[1] if len(args) == 2 and how == "decode" else how
        if (decoded := _decoded(str(last), text)) is not None:
            return decoded
    if isinstance(node.func, ast.Attribute):
        return _method(values.get(node.func.value), node.func.attr, args)
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    match name, args:
        case "chr", [int() as n] if 0 <= n < 0x110000:
            return chr(n)
        case "map", [_, tuple() as numbers] if (
            isinstance(node.args[0], ast.Name) and node.args[0].id == "chr"
        ):
            return tuple(chr(n) for n in numbers if isinstance(n, int) and 0 <= n < 0x110000)
        case "bytes" | "bytearray", [tuple() as numbers]:
            return "".join(chr(n) for n in numbers if isinstance(n, int) and 0 <= n < 256)
        case "reversed", [str() | tuple() as whole]:
            return tuple(reversed(whole))
        case _, [str() | tuple() as whole, *_] if name in _THROUGH:
            return whole
    return None


def _decoded(how: str, text: str) -> str | None:
    """base64.b64decode(text), bytes.fromhex(text), codecs.decode(text, "rot13") …"""
    try:
        if how in ("b64decode", "urlsafe_b64decode", "standard_b64decode"):
            return base64.b64decode(text).decode("latin-1")
        if how in ("fromhex", "unhexlify", "a2b_hex"):
            return bytes.fromhex(text).decode("latin-1")
        return codecs.decode(text, "rot13") if how in ("rot13", "rot_13", "rot-13") else None
    except ValueError:
        return None


def _method(owner: Value | None, name: str, args: list[Value | None]) -> Value | None:
    """text.name(*args)"""
    if not isinstance(owner, str):
        return None
    match name, args:
        case "join", [tuple() as parts]:
            return _joined(owner, list(parts))
        case "join", [str() as letters]:
            return _joined(owner, list(letters))
        case "format", _:
            filled = owner
            for number, arg in enumerate(args):
                filled = filled.replace(f"{{{number}}}", str(arg)) if len(filled) <= LONGEST else filled
            return _filled(filled, "{}", tuple("" if a is None else a for a in args))
        case "replace", [str() as old, str() as new] if old and len(new) < LONGEST:
            return owner.replace(old, new) if len(owner) // len(old) * len(new) < 10 * LONGEST else None
        case "removeprefix" | "removesuffix", [str() as end]:
            return owner.removeprefix(end) if name == "removeprefix" else owner.removesuffix(end)
        case "split", [str() as at] if at:
            return tuple(owner.split(at))
        case "split", []:
            return tuple(owner.split())
    if name in _PLAIN and not args:
        return str(getattr(owner, name)())
    return owner if name in _SAME else None
