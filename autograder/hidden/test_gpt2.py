"""Sheet 5: the submission's attention in every layer of a GPT-2, against the logits of Hugging Face's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from autograder.course import Course
from autograder.hidden import gpt2
from autograder.hidden.decode import RETURNED
from autograder.hidden.draw import Draw
from autograder.hidden.kit import Check, points
from autograder.hidden.leak import no_leak
from autograder.sandbox.api import Student
from lab.gpt2 import GPT2


@points(2, exercise="gpt2", concept="with your attention GPT-2 predicts what GPT-2 predicts")
def test_all_logits(student: Student, draw: Draw, check: Check, course: Course) -> None:
    with _around(course, student, check) as model:
        for B, n in ((2, 11), (1, 1)):
            ids = draw.ids(B, n, model.config.vocab_size)
            check.close(model.logits(ids), gpt2.right_logits(course.course.model, ids), "logits")


@points(2, exercise="gpt2", concept="with your cache GPT-2 predicts the same, token by token")
def test_all_logits_with_the_cache(student: Student, draw: Draw, check: Check, course: Course) -> None:
    with _around(course, student, check) as model:
        ids = draw.ids(2, 12, model.config.vocab_size)
        right = gpt2.right_logits(course.course.model, ids)
        done, cache = 0, None
        for m in (6, 1, 1, 3, 1):
            logits, cache = model(ids[:, done : done + m], cache=cache, start=done)
            check.close(logits, right[:, done : done + m], "logits")
            done += m


@points(1, exercise="gpt2", side=True, concept="inside GPT-2 too, no prediction is moved by a later token")
def test_no_leak_through_all_layers(student: Student, draw: Draw, check: Check, course: Course) -> None:
    with _around(course, student, check) as model:
        ids = draw.ids(1, 5, model.config.vocab_size)

        def change(t: int) -> Tensor:
            changed, vocab = ids.clone(), model.config.vocab_size
            changed[0, t] = (changed[0, t] + draw.integer(1, vocab)) % vocab
            return changed

        no_leak(model.logits, ids, change, check, "logits", looks_back=True)


@contextmanager
def _around(course: Course, student: Student, check: Check) -> Iterator[GPT2]:
    """GPT-2 around the submission's attention; what does not fit into it is the submission's mistake."""
    try:
        with torch.no_grad(), gpt2.ours():
            yield gpt2.around(course.course.model, student)
    except gpt2.OddAnswer as odd:
        if odd.shape is None:
            check.pair(odd.got, RETURNED)
        else:
            check.dtype(check.shape(odd.got, odd.shape, "output"), torch.float32, "output")
        raise  # one of them has said what is wrong
