"""Public tests of kv_cache.py. The cache is passed on as it came: nobody looks inside."""

import torch

from exercises.selfcheck.inputs import eye, fill, wave, waves
from exercises.selfcheck.numbers import stored
from exercises.selfcheck.toy_model import ToyModel

X = torch.tensor([[[6, 60], [0, 0], [3, 90], [3, 10]]]).float()  # 1 sentence, 4 tokens, 2 numbers
MEANS = torch.tensor([[[6, 60], [3, 30], [3, 50], [3, 40]]]).float()  # of each token and all before it


def means(MultiHeadAttention):
    """Q = K = 0, V = x: attention that gives every token the mean of itself and its past."""
    return fill(MultiHeadAttention(d_model=2, n_head=2), q=0, k=0, v=eye(2), out=eye(2))


def test_the_first_call_is_plain_attention(MultiHeadAttention, attend_with_cache, check):
    out, _ = attend_with_cache(means(MultiHeadAttention), X, None)
    check.same(out, MEANS, "batch token number")


def test_one_token_after_another(MultiHeadAttention, attend_with_cache, check):
    attention, cache = means(MultiHeadAttention), None
    for t in range(4):
        out, cache = attend_with_cache(attention, X[:, t : t + 1], cache)
        check.same(out, MEANS[:, t : t + 1], "batch token number")


def test_two_tokens_after_two(MultiHeadAttention, attend_with_cache, check):
    attention = means(MultiHeadAttention)
    _, cache = attend_with_cache(attention, X[:, :2], None)
    out, _ = attend_with_cache(attention, X[:, 2:], cache)
    check.same(out, MEANS[:, 2:], "batch token number")


def test_all_weights_uneven_in_pieces(MultiHeadAttention, attend_with_cache, check):
    attention, cache = waves(MultiHeadAttention(d_model=6, n_head=3)), None
    x, expected = wave(2, 4, 6, start=900), stored("attention, causal")
    for start, end in ((0, 1), (1, 3), (3, 4)):
        out, cache = attend_with_cache(attention, x[:, start:end], cache)
        check.same(out, expected[:, start:end], "batch token number")


def test_two_texts_do_not_mix(MultiHeadAttention, attend_with_cache, check):
    attention = means(MultiHeadAttention)
    _, mine = attend_with_cache(attention, X[:, :2], None)
    _, yours = attend_with_cache(attention, 10 * X[:, :2], None)
    out, _ = attend_with_cache(attention, X[:, 2:3], mine)
    check.same(out, MEANS[:, 2:3], "batch token number")
    out, _ = attend_with_cache(attention, 10 * X[:, 2:3], yours)
    check.same(out, 10 * MEANS[:, 2:3], "batch token number")


def test_the_cache_is_k_and_v(MultiHeadAttention, attend_with_cache, check):
    _, cache = attend_with_cache(waves(MultiHeadAttention(d_model=6, n_head=3)), wave(2, 4, 6), None)
    parts = cache if isinstance(cache, tuple | list) else ()
    shapes = [tuple(part.shape) for part in parts if isinstance(part, torch.Tensor)]
    check.advise(shapes == [(2, 3, 4, 2)] * 2, "advice.cache_form")


def test_only_new_tokens_are_worked_on(MultiHeadAttention, attend_with_cache, check):
    attention = means(MultiHeadAttention)
    _, cache = attend_with_cache(attention, X[:, :3], None)
    seen = {"c_attn": 0, "c_proj": 0}  # tokens that go through each layer
    for name in seen:

        def count(layer, args, output, name=name):
            seen[name] += args[0].numel() // args[0].shape[-1]

        attention.layer(name).register_forward_hook(count)
    attend_with_cache(attention, X[:, 3:], cache)
    check.note("tokens through c_proj", seen["c_proj"])
    check.that(seen["c_proj"] <= 1, "wrong.all_again", tokens=seen["c_proj"])
    check.advise(seen["c_attn"] <= 1, "advice.kv_again", tokens=seen["c_attn"])


def test_the_likeliest_token_comes_next(generate, check):
    got = generate(ToyModel(), torch.tensor([[3, 5]]), max_new_tokens=4, use_cache=False)
    check.same(got, [[3, 5, 9, 19, 39, 79]], "batch position")


def test_the_cache_gives_the_same_tokens(generate, check):
    got = generate(ToyModel(), torch.tensor([[3, 5]]), max_new_tokens=4, use_cache=True)
    check.same(got, [[3, 5, 9, 19, 39, 79]], "batch position")


def test_no_token_goes_in_twice(generate, check):
    model = ToyModel()
    generate(model, torch.tensor([[3, 5]]), max_new_tokens=4, use_cache=True)
    fed = [start + i for ids, start, _ in model.calls for i in range(len(ids[0]))]
    check.note("positions that went in", fed)
    check.that(fed in ([0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5]), "wrong.fed", calls=model.calls)


def test_two_sentences_at_once(generate, check):
    got = generate(ToyModel(), torch.tensor([[3, 5], [0, 1]]), max_new_tokens=3)
    check.same(got, [[3, 5, 9, 19, 39], [0, 1, 2, 5, 11]], "batch position")


def test_more_than_the_model_can_see_is_refused(generate, check):
    check.refuses(lambda: generate(ToyModel(n_positions=4), torch.tensor([[3, 5]]), max_new_tokens=3))


def test_the_prompt_stays_as_it_is(generate, check):
    ids = torch.tensor([[3, 5]])
    generate(ToyModel(), ids, max_new_tokens=2)
    check.unchanged("ids", ids, torch.tensor([[3, 5]]))
