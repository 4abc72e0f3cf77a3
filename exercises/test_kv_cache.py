"""Public tests of kv_cache.py. The cache is passed on as it came: nobody looks inside."""

import torch

from exercises.selfcheck.inputs import KINDS, eye, of_kind, wave
from exercises.selfcheck.numbers import stored
from exercises.support.toy_model import ToyModel
from exercises.support.weights import fill, waves

MEANS = torch.tensor([[[6, 60], [3, 30], [3, 50], [3, 40]]]).float()  # of each token and all before it


def text():
    """1 sentence, 4 tokens, 2 numbers. A new one each time: nobody can have changed it."""
    return torch.tensor([[[6, 60], [0, 0], [3, 90], [3, 10]]]).float()


def means(MultiHeadAttention):
    """Q = K = 0, V = x: attention that gives every token the mean of itself and its past."""
    return fill(MultiHeadAttention(d_model=2, n_head=2), q=0, k=0, v=eye(2), out=eye(2))


def test_the_first_call_is_plain_attention(MultiHeadAttention, attend_with_cache, check):
    out, _ = attend_with_cache(means(MultiHeadAttention), text(), None)
    check.same(out, MEANS, "batch token number")


def test_one_token_after_another(MultiHeadAttention, attend_with_cache, check):
    attention, cache = means(MultiHeadAttention), None
    for t in range(4):
        out, cache = attend_with_cache(attention, text()[:, t : t + 1], cache)
        check.same(out, MEANS[:, t : t + 1], "batch token number")


def test_two_tokens_after_two(MultiHeadAttention, attend_with_cache, check):
    attention = means(MultiHeadAttention)
    _, cache = attend_with_cache(attention, text()[:, :2], None)
    out, _ = attend_with_cache(attention, text()[:, 2:], cache)
    check.same(out, MEANS[:, 2:], "batch token number")


def test_all_weights_uneven_in_pieces(MultiHeadAttention, attend_with_cache, check):
    attention, cache = waves(MultiHeadAttention(d_model=6, n_head=3)), None
    x, expected = wave(2, 4, 6, start=900), stored("attention, causal")
    for start, end in ((0, 1), (1, 3), (3, 4)):
        out, cache = attend_with_cache(attention, x[:, start:end], cache)
        check.same(out, expected[:, start:end], "batch token number")


def test_two_texts_do_not_mix(MultiHeadAttention, attend_with_cache, check):
    attention = means(MultiHeadAttention)
    _, mine = attend_with_cache(attention, text()[:, :2], None)
    _, yours = attend_with_cache(attention, 10 * text()[:, :2], None)
    out, _ = attend_with_cache(attention, text()[:, 2:3], mine)
    check.same(out, MEANS[:, 2:3], "batch token number")
    out, _ = attend_with_cache(attention, 10 * text()[:, 2:3], yours)
    check.same(out, 10 * MEANS[:, 2:3], "batch token number")


def test_a_long_text(MultiHeadAttention, attend_with_cache, check):
    for steps in ((8, 1, 1, 1, 1), (5, 4, 3), (1, 7, 4)):
        attention, x = means(MultiHeadAttention), wave(3, 12, 2)
        expected = x.cumsum(dim=1) / torch.arange(1, 13).reshape(1, 12, 1)  # the mean of each token's past
        out, cache = attend_with_cache(attention, x[:, : steps[0]])  # no cache at all: a new text
        check.same(out, expected[:, : steps[0]], "batch token number")
        done = steps[0]
        for m in steps[1:]:
            out, cache = attend_with_cache(attention, x[:, done : done + m], cache)
            check.same(out, expected[:, done : done + m], "batch token number")
            done += m


def test_one_head_and_many(MultiHeadAttention, attend_with_cache, check):
    for B, n_head, d_k in ((2, 1, 6), (1, 2, 6), (3, 3, 5)):
        d = n_head * d_k
        attention = fill(MultiHeadAttention(d, n_head), q=0, k=0, v=eye(d), out=eye(d))
        x, cache = wave(B, 4, d), None
        expected = x.cumsum(dim=1) / torch.arange(1, 5).reshape(1, 4, 1)
        for t in range(4):
            out, cache = attend_with_cache(attention, x[:, t : t + 1], cache)
            check.same(out, expected[:, t : t + 1], "batch token number")


def test_the_cache_keeps_the_kind_of_number(MultiHeadAttention, attend_with_cache, check):
    for kind in KINDS:
        attention, cache = of_kind(means(MultiHeadAttention), kind), None
        for start, end in ((0, 2), (2, 3), (3, 4)):
            out, cache = attend_with_cache(attention, text()[:, start:end].to(kind), cache)
            check.dtype(out, kind)
            check.same(out, MEANS[:, start:end], "batch token number", rough=kind == torch.bfloat16)


def test_the_new_tokens_stay_as_they_are(MultiHeadAttention, attend_with_cache, check):
    x = text()
    attend_with_cache(waves(MultiHeadAttention(2, 2)), x, None)
    check.unchanged("x_new", x, text())


def test_the_past_never_changes(MultiHeadAttention, attend_with_cache, check):
    attention, cache = waves(MultiHeadAttention(6, 3)), None
    x, kept = wave(2, 6, 6, start=900), []
    for start, end in ((0, 3), (3, 4), (4, 6)):
        _, cache = attend_with_cache(attention, x[:, start:end], cache)
        parts = cache if isinstance(cache, tuple | list) else ()
        for before, now in zip(kept, parts, strict=False):
            check.that(torch.equal(now[:, :, :start], before), "wrong.past_changed", past=start)
        form = [isinstance(part, torch.Tensor) and part.shape == (2, 3, end, 2) for part in parts]
        kept = [part.clone() for part in parts] if form == [True, True] else []


def test_the_cache_is_k_and_v(MultiHeadAttention, attend_with_cache, check):
    _, cache = attend_with_cache(waves(MultiHeadAttention(d_model=6, n_head=3)), wave(2, 4, 6), None)
    parts = cache if isinstance(cache, tuple | list) else ()
    shapes = [tuple(part.shape) for part in parts if isinstance(part, torch.Tensor)]
    check.advise(shapes == [(2, 3, 4, 2)] * 2, "advice.cache_form")


def test_only_new_tokens_are_worked_on(MultiHeadAttention, attend_with_cache, check):
    attention = means(MultiHeadAttention)
    _, cache = attend_with_cache(attention, text()[:, :3], None)
    seen = {"c_attn": 0, "c_proj": 0}  # tokens that go through each layer
    for name, times in (("c_attn", 3), ("c_proj", 1)):

        def count(layer, args, output, name=name):
            seen[name] += args[0].numel() // args[0].shape[-1]

        attention.layer(name, times).register_forward_hook(count)
    attend_with_cache(attention, text()[:, 3:], cache)
    check.note("tokens through c_proj", seen["c_proj"])
    check.that(seen["c_proj"] <= 1, "wrong.all_again", tokens=seen["c_proj"])
    check.advise(seen["c_attn"] <= 1, "advice.kv_again", tokens=seen["c_attn"])


def test_the_likeliest_token_comes_next(generate, check):
    got = generate(ToyModel(), torch.tensor([[3, 5]]), 4, use_cache=False)
    check.same(got, [[3, 5, 9, 19, 39, 79]], "batch position")
    check.dtype(got, torch.int64)


def test_the_cache_gives_the_same_tokens(generate, check):
    got = generate(ToyModel(), torch.tensor([[3, 5]]), 4, use_cache=True)
    check.same(got, [[3, 5, 9, 19, 39, 79]], "batch position")
    check.dtype(got, torch.int64)


def test_no_token_goes_in_twice(generate, check):
    for prompt in ([[3, 5]], [[3, 5], [0, 1]], [[7]]):
        model = ToyModel()
        generate(model, torch.tensor(prompt), 4, use_cache=True)
        last = len(prompt[0]) + 3  # positions 0, 1, ...; the newest token may go in or not
        for steps in model.steps(prompt):
            fed = [start + i for m, start, _ in steps for i in range(m)]
            check.note("positions that went in", fed)
            check.that(fed in (list(range(last)), list(range(last + 1))), "wrong.fed", calls=model.shown())
            check.that(all(start == past for _, start, past in steps), "wrong.fed", calls=model.shown())


def test_without_the_cache_the_whole_text_goes_in(generate, check):
    for prompt in ([[3, 5]], [[3, 5], [0, 1]]):
        model = ToyModel()
        generate(model, torch.tensor(prompt), 3, use_cache=False)
        for steps in model.steps(prompt):
            whole = [(m, 0, 0) for m in range(2, 2 + len(steps))]
            check.that(steps == whole, "wrong.not_whole", calls=model.shown())


def test_two_sentences_at_once(generate, check):
    got = generate(ToyModel(), torch.tensor([[3, 5], [0, 1]]), 3)
    check.same(got, [[3, 5, 9, 19, 39], [0, 1, 2, 5, 11]], "batch position")


def test_no_new_token_and_one(generate, check):
    for use_cache in (True, False):
        for new, expected in ((0, [[3, 5]]), (1, [[3, 5, 9]])):
            got = generate(ToyModel(), torch.tensor([[3, 5]]), new, use_cache=use_cache)
            check.same(got, expected, "batch position")


def test_a_text_that_just_fits_is_written(generate, check):
    for use_cache in (True, False):
        got = generate(ToyModel(n_positions=5), torch.tensor([[3, 5]]), 3, use_cache=use_cache)
        check.same(got, [[3, 5, 9, 19, 39]], "batch position")


def test_more_than_the_model_can_see_is_refused(generate, check):
    for new in (3, 8):
        for use_cache in (True, False):
            model = ToyModel(n_positions=4)
            check.refuses(
                lambda m=model, n=new, u=use_cache: generate(m, torch.tensor([[3, 5]]), n, use_cache=u)
            )
            check.that(not model.past_the_end, "wrong.refused_late", calls=model.shown())


def test_the_prompt_stays_as_it_is(generate, check):
    ids = torch.tensor([[3, 5]])
    generate(ToyModel(), ids, 2)
    check.unchanged("ids", ids, torch.tensor([[3, 5]]))
