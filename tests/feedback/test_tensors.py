"""Small tensors as text."""

from __future__ import annotations

from typing import Any

import pytest

from autograder.feedback.shown import shown
from autograder.feedback.tensors import TensorView, differing, printed, tensor_view
from tests.feedback.languages import say
from tests.feedback.results import tensor


def view(values: Any, dtype: str = "float32") -> TensorView:
    found = tensor_view(tensor(values, dtype))
    assert found
    return found


def test_columns_are_aligned() -> None:
    assert printed(view([[1.0, -2.5], [10.25, 0.0]])).text() == " 1.00  -2.50\n10.25   0.00"
    assert printed(view([[0.0, 12.0]])).text() == " 0  12"


def test_slices_are_labelled() -> None:
    text = printed(view([[[1.0]], [[2.0]]])).text()
    assert text == "[0]\n1\n[1]\n2"


def test_booleans_and_what_is_not_finite() -> None:
    assert printed(view([[True, False]], "bool")).text() == " True  False"
    assert printed(view([["nan", "-inf", 1.5]])).text() == " nan  -inf   1.5"


def test_scalars_and_rows() -> None:
    assert printed(view(3.0)).text() == "3"
    assert printed(view([1.0, 2.0])).text() == "1  2"


def test_small_and_large_numbers_keep_their_meaning() -> None:
    assert printed(view([[0.1] * 6])).text() == "0.1 0.1 0.1 0.1 0.1 0.1"
    assert "1e-07" in printed(view([1e-7, 1.5])).text()
    assert "123456.5" in printed(view([123456.5, 1.0])).text()


def test_what_differs_is_marked() -> None:
    got, expected = view([[1.0, 2.0], [3.0, 9.0]]), view([[1.0, 2.0], [3.0, 4.0]])
    wrong = differing(got, expected)
    assert wrong == [(1, 1)]
    assert printed(got, wrong, (1, 1)).text() == "1  2\n3  9   <--"
    assert differing(view([1.0]), view([[1.0]])) == []
    assert differing(view(["nan", 1.0]), view(["nan", 1.0])) == []
    assert differing(view(["nan", 1.0]), view([0.0, 1.0])) == [(0,)]


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"shape": [2], "dtype": "float32", "values": [1.0]},
        {"shape": [1], "dtype": "float32", "values": ["x"]},
        {"shape": [2, 2], "dtype": "float32", "values": [1.0, 2.0]},
        {"shape": [100, 100], "dtype": "float32", "values": [[0.0] * 100] * 100},
        {"shape": [-1], "dtype": "float32", "values": []},
    ],
)
def test_what_is_no_tensor_is_left_out(value: Any) -> None:
    found = tensor_view(value)
    assert found is None or not found.cells()


def test_the_first_difference_in_words() -> None:
    data: dict[str, Any] = {"expected": tensor([[[1.0, 2.0]]]), "got": tensor([[[1.0, 5.0]]])}
    said = "".join(s.text for s in shown(data, "merge_heads", say()).difference)
    assert said == (
        "They first differ at [0, 0, 1] (sentence 0, token 0, dimension 1): 2 was expected, 5 came back."
    )


def test_other_shapes_in_words() -> None:
    data: dict[str, Any] = {"expected": tensor([[1.0, 2.0]]), "got": tensor([1.0])}
    said = "".join(s.text for s in shown(data, "x", say()).difference)
    assert said == "The shapes differ: (1, 2) was expected, (1,) came back."


def test_what_differs_looks_different() -> None:
    data: dict[str, Any] = {"expected": tensor([[0.12321, 0.5]]), "got": tensor([[0.12342, 0.5]])}
    ready = shown(data, "x", say())
    assert ready.got
    assert ready.expected
    assert (ready.expected.text(), ready.got.text()) == ("0.1232  0.5000   <--", "0.1234  0.5000   <--")


def test_examples_of_something_else_have_no_axes_in_words() -> None:
    data: dict[str, Any] = {"expected": tensor([[1.0, 2.0]]), "got": tensor([[1.0, 5.0]])}
    for call, named in (("causal_mask(4)", True), ("generate(m) -> (m, start)", False), ("f(x); x", False)):
        said = "".join(s.text for s in shown({**data, "call": call}, "causal_mask", say()).difference)
        assert ("query 0, key 1" in said) is named


def test_a_tensor_too_large_to_show() -> None:
    data: dict[str, Any] = {"got": {"shape": [1, 12, 64], "dtype": "float32"}}
    said = "".join(s.text for s in shown(data, "x", say()).got_text)
    assert said == "Came back: a tensor of shape (1, 12, 64), float32, too large to show here."


def test_an_exception_came_back() -> None:
    data: dict[str, Any] = {"got": {"exception": "ValueError", "text": "no"}}
    said = "".join(s.text for s in shown(data, "x", say()).got_text)
    assert said == "Came back: no value. Your code stopped with ValueError: no"


def test_what_is_kept_back_is_outlined() -> None:
    data: dict[str, Any] = {
        "expected": tensor([[[1.0, 2.0]]]),
        "got": {"kept_back": True, "shape": [1, 1, 2], "dtype": "float32"},
        "first_difference": [0, 0, 1],
    }
    ready = shown(data, "merge_heads", say())
    assert ready.got is None
    came = "".join(s.text for s in ready.got_text)
    assert came.startswith("Came back: a tensor of the right shape, float32.")
    said = "".join(s.text for s in ready.difference)
    assert said.startswith("The first wrong number is at [0, 0, 1] (sentence 0, token 0, dimension 1), ")
    assert said.endswith("where 2 was expected.")
    assert ready.expected
    assert [c.text for row in ready.expected.lines for c in row.cells if c.first] == ["2"]
    data["got"] = {"kept_back": True, "dtype": "float32"}
    del data["first_difference"]
    ready = shown(data, "merge_heads", say())
    assert "".join(s.text for s in ready.got_text).startswith("Came back: a tensor of another shape.")
    assert not ready.difference
    data["got"] = {"kept_back": True, "kind": "list"}
    assert "a list" in "".join(s.text for s in shown(data, "x", say()).got_text)
