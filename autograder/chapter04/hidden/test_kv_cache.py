"""Sheet 4: attend_with_cache and generate."""

from __future__ import annotations

import torch
from torch import Tensor

from autograder.assignment import Assignment
from autograder.chapter04.hidden import cost, expected
from autograder.chapter04.hidden.decode import RETURNED, Text, again, follow, in_turn, keys_and_values
from autograder.chapter04.hidden.leak import sees_others
from autograder.chapter04.hidden.recorded_model import RecordedModel, Step, sentences
from autograder.checks.check import Check, Wrong, points
from autograder.checks.inputs import SeededInputs
from autograder.sandbox.api import Student
from autograder.sandbox.errors import NotWritten, StudentRaised
from solutions.kv_cache import generate

from ..inputs import attention_weights

H, D_K = 3, 5
D = H * D_K


def _text(
    student: Student, draw: SeededInputs, check: Check, B: int, n: int, *, h: int = H, d_k: int = D_K,
    dtype: torch.dtype = torch.float32,
) -> Text:  # fmt: skip
    """A text of n tokens for B sentences, with weights of its own."""
    return _texts(1, student, draw, check, B, n, h=h, d_k=d_k, dtype=dtype)[0]


def _texts(
    many: int, student: Student, draw: SeededInputs, check: Check, B: int, n: int, *,
    h: int = H, d_k: int = D_K, dtype: torch.dtype = torch.float32,
) -> list[Text]:  # fmt: skip
    """Several texts of the same size on one module."""
    d = h * d_k
    weights = attention_weights(draw, d, std=0.3, dtype=dtype)
    attention = student.MultiHeadAttention(d_model=d, n_head=h, causal=True, state_dict=weights, dtype=dtype)
    right = expected.attention(weights, h)
    xs = [draw.normal(B, n, d, dtype=dtype) for _ in range(many)]
    return [Text(student, attention, x, right(x), check) for x in xs]


@points(
    1,
    exercise="attend_with_cache",
    side=True,
    concept="an output for each new token, and a cache to go on with",
)
def test_cache_shapes(student: Student, draw: SeededInputs, check: Check) -> None:
    text = _text(student, draw, check, 2, 6)
    for m in (3, 1, 2):
        check.shape(text.step(m), (2, m, D), "output")


@points(2, exercise="attend_with_cache", concept="without a past it is plain attention")
def test_prompt_alone(student: Student, draw: SeededInputs, check: Check) -> None:
    for B, n, h, d_k in ((2, 7, 3, 5), (1, 4, 2, 6), (3, 1, 3, 5)):
        follow(_text(student, draw, check, B, n, h=h, d_k=d_k), [n])


@points(3, exercise="attend_with_cache", concept="token by token gives what the whole sentence gives")
def test_token_by_token(student: Student, draw: SeededInputs, check: Check) -> None:
    follow(_text(student, draw, check, 2, 7), [1] * 7)
    follow(_text(student, draw, check, 1, 4, h=1, d_k=6), [1] * 4)


@points(2, exercise="attend_with_cache", concept="a prompt first, then token by token")
def test_prompt_then_tokens(student: Student, draw: SeededInputs, check: Check) -> None:
    follow(_text(student, draw, check, 2, 12), [8, 1, 1, 1, 1])


@points(2, exercise="attend_with_cache", concept="several new tokens at once do not see each other's future")
def test_several_new_tokens(student: Student, draw: SeededInputs, check: Check) -> None:
    follow(_text(student, draw, check, 2, 12), [5, 4, 3])
    follow(_text(student, draw, check, 3, 12, h=2, d_k=4), [1, 7, 4])


@points(1, exercise="attend_with_cache", concept="K and V of the past never change")
def test_the_past_never_changes(student: Student, draw: SeededInputs, check: Check) -> None:
    text = _text(student, draw, check, 2, 8)
    kept: list[tuple[int, tuple[Tensor, Tensor]]] = []
    for m in (4, 1, 2, 1):
        text.feed(m)
        now = keys_and_values(text.cache, 2, H, text.done, D_K)
        if now is None:
            continue  # a form of its own: its outputs, just compared, are all that counts
        for n, old in kept:
            for name, then, new in zip("KV", old, now, strict=True):
                if not torch.equal(new[:, :, :n], then):  # (B, h, n, d_k), as they were
                    raise Wrong("cache.past_changed", what=name, past=n, schedule=list(text.fed))
        kept.append((text.done, now))


@points(0, exercise="attend_with_cache", concept="a new token gets something from the tokens around it")
def test_a_new_token_gets_something_from_others(student: Student, draw: SeededInputs, check: Check) -> None:
    def output(weights: dict[str, Tensor], x: Tensor, causal: bool) -> object:
        attention = student.MultiHeadAttention(d_model=D, n_head=H, causal=causal, state_dict=weights)
        return student.attend_with_cache(attention, x)

    student.fresh()  # what an earlier text has left behind is another mistake
    sees_others(draw, D, output, check)


@points(0, exercise="attend_with_cache", concept="the old cache can still be used")
def test_the_old_cache_stays(student: Student, draw: SeededInputs, check: Check) -> None:
    text = _text(student, draw, check, 2, 5)
    text.feed(3)
    old, then = text.cache, keys_and_values(text.cache, 2, H, 3, D_K)
    text.feed(2)
    if then is None:
        return  # a form of its own may grow in place, as preallocated caches do
    now = keys_and_values(old, 2, H, 3, D_K)
    if now is None or not all(map(torch.equal, then, now)):
        raise Wrong("input.changed", what="cache")


@points(1, exercise="attend_with_cache", concept="texts of the same length, in turn, share nothing")
def test_texts_of_equal_length_in_turn(student: Student, draw: SeededInputs, check: Check) -> None:
    # A memory kept on the module, in a global or by size or number of something is written over by the other
    # text at the very same places. Another module of the same size takes part.
    one, two = _texts(2, student, draw, check, 2, 6)
    other = _text(student, draw, check, 2, 6)
    in_turn([(text, m) for m in (2, 1, 1, 2) for text in (one, two, other)])
    in_turn([(again(two), 2), (again(one), 6), (again(other), 1)])  # nothing is left over either


@points(1, exercise="attend_with_cache", concept="texts written at the same time do not disturb each other")
def test_two_texts_at_once(student: Student, draw: SeededInputs, check: Check) -> None:
    one = _text(student, draw, check, 2, 8)
    two = again(one)  # the same module and the same text, at another place
    other = _text(student, draw, check, 1, 7, h=2, d_k=4)
    in_turn([(one, 3), (two, 2), (one, 1), (other, 4), (two, 3), (one, 2), (other, 1), (two, 1), (one, 2)])


@points(1, exercise="attend_with_cache", side=True, concept="the new tokens are left as they were")
def test_new_tokens_are_left_alone(student: Student, draw: SeededInputs, check: Check) -> None:
    text = _text(student, draw, check, 2, 4)
    got, after = student.echo("attend_with_cache", text.attention, text.x, None)
    output, _ = check.pair(got, RETURNED)
    check.unchanged(after[1], text.x, "x_new")
    check.shape(output, (2, 4, D), "output")


@points(1, exercise="attend_with_cache", concept="the cache works in double and half precision")
def test_cache_dtypes(student: Student, draw: SeededInputs, check: Check) -> None:
    for dtype in (torch.float64, torch.bfloat16):
        text = _text(student, draw, check, 2, 6, dtype=dtype)
        for m in (3, 1, 2):
            check.dtype(text.feed(m), dtype, "output")


@points(2, exercise="attend_with_cache", concept="with the cache a new token costs a fraction", timing=True)
def test_a_new_token_costs_a_fraction(
    student: Student, reference: Student, assignment: Assignment, check: Check
) -> None:
    cost.faster_than_without(student, reference, assignment, check)


@points(
    1, exercise="attend_with_cache", concept="a new token costs much the same after a long past", timing=True
)
def test_cost_does_not_grow(
    student: Student, reference: Student, assignment: Assignment, check: Check
) -> None:
    cost.nearly_flat(student, reference, assignment, check)


@points(1.5, exercise="generate", concept="the likeliest next token goes behind the text")
def test_greedy_tokens(student: Student, draw: SeededInputs, check: Check) -> None:
    for B, n in ((2, 5), (1, 3)):
        model = RecordedModel(draw)
        ids = draw.ids(B, n, model.vocab)
        right = generate(model, ids, 6)
        got = check.shape(student.generate(model.again(), ids, 6), (B, n + 6), "ids")
        check.equal(check.dtype(got, torch.int64, "ids"), right, "ids")


def _prompt(draw: SeededInputs, B: int, n: int, vocab: int) -> Tensor:
    """(B, n) ids, no two sentences beginning alike, so that each can be followed through the calls."""
    ids = draw.ids(B, n, vocab)
    ids[:, 0] = (ids[0, 0] + torch.arange(B)) % vocab
    return ids


def _steps(model: RecordedModel, prompt: Tensor) -> list[list[Step]]:
    """What was fed of each sentence. Raises Wrong when the model was not asked about one of them."""
    steps = sentences(model.calls, prompt)
    if not all(steps):
        raise Wrong("generate.model_unused")
    return steps


@points(1, exercise="generate", concept="with the cache each token goes into the model once")
def test_each_token_is_fed_once(student: Student, draw: SeededInputs, check: Check) -> None:
    model = RecordedModel(draw)
    ids = _prompt(draw, 2, 5, model.vocab)
    check.shape(student.generate(model, ids, 6), (2, 11), "ids")
    for steps in sentences(model.calls, ids):
        rows = [step.rows for step in steps]
        # 5 of the prompt and 5 new ones; nobody needs what comes after the last, but asking is no mistake
        if sum(rows) not in (10, 11):
            raise Wrong("generate.rows", rows=list(rows), needed=10)


@points(1, exercise="generate", concept="each token stands at its true position")
def test_true_positions(student: Student, draw: SeededInputs, check: Check) -> None:
    for n in (5, 1):
        model = RecordedModel(draw)
        ids = _prompt(draw, 2, n, model.vocab)
        check.shape(student.generate(model, ids, 4), (2, n + 4), "ids")
        for steps in _steps(model, ids):
            seen = 0
            for number, step in enumerate(steps, 1):
                if step.past is None:
                    seen = 0  # without a cache the text begins anew
                if step.start != seen:
                    raise Wrong("generate.position", step=number, expected=seen, got=step.start)
                seen += step.rows
            if len(steps) < 4:
                raise Wrong("generate.model_unused")


@points(1, exercise="generate", concept="the cache that came back goes into the next step")
def test_the_newest_cache_is_passed_on(student: Student, draw: SeededInputs, check: Check) -> None:
    model = RecordedModel(draw)
    ids = _prompt(draw, 2, 4, model.vocab)
    check.shape(student.generate(model, ids, 5), (2, 9), "ids")
    for steps in _steps(model, ids):
        if len(steps) < 2:
            raise Wrong("generate.model_unused")
        for number, step in enumerate(steps[1:], 2):
            if step.past is None:
                raise Wrong("generate.no_cache", step=number)
            if not step.newest_cache:
                raise Wrong("generate.old_cache", step=number, past=step.past)


@points(0.5, exercise="generate", concept="without the cache the whole text goes in each time")
def test_without_cache(student: Student, draw: SeededInputs, check: Check) -> None:
    model = RecordedModel(draw)
    ids = _prompt(draw, 2, 4, model.vocab)
    right = generate(model, ids, 4)
    plain = model.again()
    got = check.shape(student.generate(plain, ids, 4, use_cache=False), (2, 8), "ids")
    for steps in sentences(plain.calls, ids):
        for number, step in enumerate(steps, 1):
            if step.past is not None:
                raise Wrong("generate.cache_though_not_wanted", step=number)
            if step.start != 0 or step.rows != 3 + number:
                raise Wrong("generate.not_whole", step=number, rows=step.rows, start=step.start)
    check.equal(got, right, "ids")


@points(0.5, exercise="generate", side=True, concept="no new token and one new token work too")
def test_no_token_and_one_token(student: Student, draw: SeededInputs, check: Check) -> None:
    for k in (0, 1):
        for use_cache in (True, False):
            model = RecordedModel(draw)
            ids = draw.ids(2, 4, model.vocab)
            right = generate(model, ids, k)
            check.equal(student.generate(model.again(), ids, k, use_cache=use_cache), right, "ids")


@points(0.5, exercise="generate", side=True, concept="the prompt is left as it was, and leads the text")
def test_prompt_stays(student: Student, draw: SeededInputs, check: Check) -> None:
    model = RecordedModel(draw)
    ids = draw.ids(2, 4, model.vocab)
    got, after = student.echo("generate", model, ids, 3)
    check.unchanged(after[1], ids, "ids")
    check.equal(check.shape(got, (2, 7), "ids")[:, :4], ids, "ids")


@points(0.5, exercise="generate", side=True, concept="a text that just fits is written to its end")
def test_the_last_position(student: Student, draw: SeededInputs, check: Check) -> None:
    fits = RecordedModel(draw, n_positions=9)
    check.shape(student.generate(fits, draw.ids(1, 5, fits.vocab), 4), (1, 9), "ids")


@points(0.5, exercise="generate", side=True, concept="a text longer than the model can see is refused")
def test_past_the_last_position(student: Student, draw: SeededInputs) -> None:
    for use_cache in (True, False):
        model = RecordedModel(draw, n_positions=9)
        try:
            student.generate(model, draw.ids(1, 5, model.vocab), 8, use_cache=use_cache)
        except NotWritten:
            raise
        except StudentRaised:
            if not model.past_the_end:
                continue  # refused, and before the model had to
        id = "generate.past_the_end" if model.past_the_end else "generate.not_refused"
        raise Wrong(id, n=5, new=8, n_positions=9)
