"""What two definitions have in common is told by what they do, not by their names, and is bounded."""

from __future__ import annotations

import ast

import pytest

from autograder.extract.shape import LARGEST, shape_of

FUNCTION = """
def f(x, n_head):
    B, n, d = x.shape
    y = x.view(B, n, n_head, d // n_head)
    return y.transpose(1, 2)
"""


def shape(text: str) -> str:
    return shape_of(ast.parse(text).body[0])


@pytest.mark.parametrize(
    ("old", "new"),
    [("B", "batch"), ("n_head", "heads"), ("y =", "y: object ="), ("(x, n_head)", "(x: int, n_head=None) -> int"),
     ("    B,", '    "says what it does"\n    # and more\n    B,'),
     ("return y.transpose(1, 2)", "return (\n        y.transpose(1, 2)\n    )")],
)  # fmt: skip
def test_names_comments_and_layout_change_nothing(old: str, new: str) -> None:
    if "None" in new:  # a default is something else
        assert shape(FUNCTION.replace(old, new)) != shape(FUNCTION)
    else:
        assert shape(FUNCTION.replace(old, new)) == shape(FUNCTION)


@pytest.mark.parametrize(("old", "new"), [("(1, 2)", "(2, 1)"), (".view", ".reshape"), ("d // n_head", "-1")])
def test_another_way_to_write_it_is_another_shape(old: str, new: str) -> None:
    assert shape(FUNCTION.replace(old, new)) != shape(FUNCTION)


def test_of_a_class_only_the_methods_that_count() -> None:
    method = FUNCTION.replace("def f(x, n_head)", "def forward(x, n_head)").strip().replace("\n", "\n    ")
    one = ast.parse(f"class A:\n    def __init__(self): self.a = 1\n    {method}\n").body[0]
    other = ast.parse(f"class B:\n    def __init__(self): self.b = 2\n    {method}\n").body[0]
    assert shape_of(one, ["forward"]) == shape_of(other, ["forward"]) == shape(FUNCTION)


@pytest.mark.parametrize("text", ["f = 1", "f = lambda x: x", "import f"])
def test_what_is_no_definition_has_none(text: str) -> None:
    assert shape(text) == ""


def test_a_very_large_definition_has_none() -> None:
    assert shape("def f():\n" + "    x = 1\n" * LARGEST) == ""
    deep = "x" + "[0]" * 60
    assert shape(f"def f(x):\n    return {deep}\n") != ""
