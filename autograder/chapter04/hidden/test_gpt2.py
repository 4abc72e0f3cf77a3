"""Sheet 5: the submission's attention in every layer of a GPT-2, against the logits of Hugging Face's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from autograder.assignment import Assignment
from autograder.chapter04.hidden import gpt2
from autograder.chapter04.hidden.decode import RETURNED
from autograder.chapter04.hidden.leak import no_leak
from autograder.chapter04.settings import gpt2_of
from autograder.checks.check import Check, points
from autograder.checks.inputs import SeededInputs
from autograder.sandbox.api import Student
from lab.gpt2 import GPT2


@points(2, exercise="gpt2", concept="with your attention GPT-2 predicts what GPT-2 predicts")
def test_all_logits(student: Student, draw: SeededInputs, check: Check, assignment: Assignment) -> None:
    with _around(assignment, student, check) as model:
        for B, n in ((2, 11), (1, 1)):
            ids = draw.ids(B, n, model.config.vocab_size)
            check.close(model.logits(ids), gpt2.right_logits(gpt2_of(assignment), ids), "logits")


@points(2, exercise="gpt2", concept="with your cache GPT-2 predicts the same, token by token")
def test_all_logits_with_the_cache(
    student: Student, draw: SeededInputs, check: Check, assignment: Assignment
) -> None:
    with _around(assignment, student, check) as model:
        ids = draw.ids(2, 12, model.config.vocab_size)
        right = gpt2.right_logits(gpt2_of(assignment), ids)
        done, cache = 0, None
        for m in (6, 1, 1, 3, 1):
            logits, cache = model(ids[:, done : done + m], cache=cache, start=done)
            check.close(logits, right[:, done : done + m], "logits")
            done += m


@points(1, exercise="gpt2", side=True, concept="inside GPT-2 too, no prediction is moved by a later token")
def test_no_leak_through_all_layers(
    student: Student, draw: SeededInputs, check: Check, assignment: Assignment
) -> None:
    with _around(assignment, student, check) as model:
        ids = draw.ids(1, 5, model.config.vocab_size)

        def change(t: int) -> Tensor:
            changed, vocab = ids.clone(), model.config.vocab_size
            changed[0, t] = (changed[0, t] + draw.integer(1, vocab)) % vocab
            return changed

        no_leak(model.logits, ids, change, check, "logits", looks_back=True)


@contextmanager
def _around(assignment: Assignment, student: Student, check: Check) -> Iterator[GPT2]:
    """GPT-2 around the submission's attention; what does not fit into it is the submission's mistake."""
    try:
        with torch.no_grad(), gpt2.ours():
            yield gpt2.around(gpt2_of(assignment), student)
    except gpt2.OddAnswer as odd:
        if odd.shape is None:
            check.pair(odd.got, RETURNED)
        else:
            check.dtype(check.shape(odd.got, odd.shape, "output"), torch.float32, "output")
        raise  # one of them has said what is wrong
