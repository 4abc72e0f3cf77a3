"""What counts as written, where a function has no value to give back."""

from __future__ import annotations

import ast

import pytest

from autograder.extract.written import gives_back


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("pass", False),
        ("print(x)", False),
        ("x.add_(1)\n return None", False),
        ("while True: x.append(1)", True),  # the last definition of a name is what Python runs
        ("for _ in x: pass", False),
        ("while True:\n  if x: return x", True),
        ("return x", True),
    ],
)
def test_gives_back(body: str, written: bool) -> None:
    (function,) = ast.parse(f"def f(x):\n {body}\n").body
    assert isinstance(function, ast.FunctionDef)
    assert gives_back(function) is written
