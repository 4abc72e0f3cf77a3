"""Weights worked back from a module's output: nothing false is told of them, and what is true still is."""

from __future__ import annotations

import pytest
import torch

from autograder.assignment import load_assignment
from autograder.chapter04.diagnosis import pictures, revealed
from autograder.chapter04.diagnosis.certain import certain
from autograder.diagnosis.mutants import local_student
from tests.diagnosis.test_diagnosis import source_of

CHUNK = "q, k, v = self.c_attn(x).chunk(3, dim=-1)"
RESULT = "return concat_and_project(y, self.c_proj)"
MIX = "y = weights @ v"
SOFTMAX = "weights = causal_softmax(scores / math.sqrt(self.d_k), self.causal)"


def changed(old: str, new: str):
    text = source_of("attention.py")
    assert text.count(old) == 1
    return local_student(load_assignment(), {"attention.py": text.replace(old, new)})


OTHER = {  # the weights are right, or right ones of other queries and keys, or cannot be told from the output
    "order k v q": (CHUNK, CHUNK.replace("q, k, v", "k, v, q")),
    "order v q k": (CHUNK, CHUNK.replace("q, k, v", "v, q, k")),
    "order q v k": (CHUNK, CHUNK.replace("q, k, v", "q, v, k")),
    "order v k q": (CHUNK, CHUNK.replace("q, k, v", "v, k, q")),
    "residual": (RESULT, RESULT + " + x"),
    "one more": (MIX, MIX + " + 1"),
    "a little more": (MIX, MIX + " + 0.01"),
    "result halved": (RESULT, RESULT + " * 0.5"),
    "result doubled": (RESULT, RESULT + " * 2"),
    "heads' results halved": (MIX, MIX + " * 0.5"),
    "heads' results doubled": (MIX, MIX + " * 2"),
    "values doubled": (MIX, "y = weights @ (2 * v)"),
    "values of the keys": (MIX, "y = weights @ k"),
    "values normalised": (MIX, "y = weights @ v.softmax(dim=-1)"),
    "heads rolled": (MIX, "y = (weights @ v).roll(1, dims=1)"),
    "bounded": (RESULT, RESULT + ".sigmoid()"),
}


@pytest.mark.parametrize("name", OTHER)
def test_where_the_output_is_not_explained_nothing_is_said_of_weights(name: str) -> None:
    student = changed(*OTHER[name])
    assert revealed.weights(student, 5, 3) is None
    said = certain("MultiHeadAttention", student)
    assert said is None or said.id == "certain.more_than_c_proj"
    drawn = pictures.picture("MultiHeadAttention", student)
    assert drawn is None or drawn["kind"] == "leak_map"


def test_queries_and_keys_exchanged_are_weights_all_the_same() -> None:
    student = changed(CHUNK, CHUNK.replace("q, k, v", "k, q, v"))
    weights = revealed.weights(student, 5, 3)
    assert weights is not None
    assert torch.allclose(weights.sum(dim=-1), torch.ones(3, 5, dtype=torch.float64), atol=1e-4)
    assert certain("MultiHeadAttention", student) is None
    drawn = pictures.picture("MultiHeadAttention", student)
    assert drawn is not None
    assert (drawn["kind"], drawn["head"]) == ("attention", 0)


def test_the_right_module_shows_its_weights() -> None:
    weights = revealed.weights(local_student(load_assignment()), 4, 2)
    assert weights is not None
    assert certain("MultiHeadAttention", local_student(load_assignment())) is None


@pytest.mark.parametrize(
    ("new", "id", "picture"),
    [
        ("weights = causal_softmax(scores / 2, False)", "certain.nothing_masked", "leak_map"),
        (SOFTMAX.replace("self.causal)", "self.causal).tril(-1)"), "certain.row_sums", "leak_map"),
        (
            "weights = (scores / math.sqrt(self.d_k)).softmax(dim=-1).tril()",
            "certain.row_sums",
            "leak_map",
        ),
        (SOFTMAX.replace("math.sqrt(self.d_k)", "3.0"), "certain.scale", "attention"),
        (
            "weights = 0.9 * causal_softmax(scores, self.causal) + 0.1 / n",
            "certain.future_weight",
            "leak_map",
        ),
        ("weights = causal_softmax(scores, self.causal).square()", "certain.row_sums", "attention"),
        ("weights = causal_softmax(scores, self.causal) * math.nan", "certain.nan_rows", "leak_map"),
    ],
)
def test_true_leaks_and_rows_that_do_not_sum_to_1_are_told(new: str, id: str, picture: str) -> None:
    student = changed(SOFTMAX, new.replace("/ n", "/ x.shape[1]"))
    said = certain("MultiHeadAttention", student)
    assert said is not None
    assert said.id == id
    drawn = pictures.picture("MultiHeadAttention", student)
    assert drawn is not None
    assert drawn["kind"] == picture
