"""Public tests of attention.py. The weights are set so that a person can follow what must come out."""

import math

import torch

from exercises.selfcheck.inputs import KINDS, eye, of_kind, wave
from exercises.selfcheck.numbers import stored
from exercises.support.weights import fill, waves


def linear(weight, bias):
    layer = torch.nn.Linear(len(bias), len(bias))
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(weight))
        layer.bias.copy_(torch.tensor(bias))
    return layer


def test_heads_are_joined_then_mixed(concat_and_project, check):
    y = torch.tensor([[[[1, 2], [5, 6]], [[3, 4], [7, 8]]]]).float()  # 2 heads, 2 tokens
    sums = linear([[1.0, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]], [0.0, 0, 0, 0])
    expected = [[[1, 3, 6, 10], [5, 11, 18, 26]]]
    check.same(concat_and_project(y, sums), expected, "batch token number")


def test_c_proj_brings_its_bias(concat_and_project, check):
    y = torch.tensor([[[[1, 2], [5, 6]], [[3, 4], [7, 8]]]]).float()
    nothing_but_bias = linear([[0.0] * 4] * 4, [10.0, 20, 30, 40])
    check.same(concat_and_project(y, nothing_but_bias), [[[10, 20, 30, 40]] * 2], "batch token number")


def test_the_heads_stay_as_they_are(concat_and_project, check):
    y = wave(1, 2, 3, 2)
    before = y.clone()
    concat_and_project(y, linear([[1.0] * 4] * 4, [0.0] * 4))
    check.unchanged("y", y, before)


def test_joining_takes_any_sizes_and_kinds(concat_and_project, check):
    for B, n_head, n, d_k in ((2, 3, 1, 5), (2, 1, 7, 5), (1, 5, 3, 1)):
        d = n_head * d_k
        twice = linear((2 * torch.eye(d)).tolist(), [1.0] * d)
        y = torch.arange(float(d)).reshape(1, n_head, 1, d_k).expand(B, n_head, n, d_k)
        expected = (2 * torch.arange(float(d)) + 1).expand(B, n, d)
        for kind in KINDS:
            out = concat_and_project(y.to(kind), twice.to(kind))
            check.dtype(out, kind)
            check.same(out, expected, "batch token number", rough=kind == torch.bfloat16)
        twice.float()


def test_training_reaches_through_the_joining(concat_and_project, check):
    y, c_proj = wave(1, 2, 3, 2), linear(wave(4, 4, start=100).tolist(), [0.0] * 4)
    check.gradient(lambda: concat_and_project(y, c_proj), y=y)


def test_equal_scores_give_the_mean_of_the_past(MultiHeadAttention, check):
    attention = fill(MultiHeadAttention(d_model=4, n_head=2), q=0, k=0, v=eye(4), out=eye(4))
    x = torch.tensor([[[6, 60, 600, 0], [0, 0, 0, 0], [3, 90, 0, 30]]]).float()
    expected = [[[6, 60, 600, 0], [3, 30, 300, 0], [3, 50, 200, 10]]]
    check.same(attention(x), expected, "batch token number")


def test_without_causal_every_token_gets_the_mean_of_all(MultiHeadAttention, check):
    attention = fill(MultiHeadAttention(d_model=4, n_head=2, causal=False), q=0, k=0, v=eye(4), out=eye(4))
    x = torch.tensor([[[6, 60, 600, 0], [0, 0, 0, 0], [3, 90, 0, 30]]]).float()
    check.same(attention(x), [[[3, 50, 200, 10]] * 3], "batch token number")


def test_scores_are_divided_by_the_root_of_d_k(MultiHeadAttention, check):
    # d_k = 4. Token 1 has query . key = 2 ln 3 with itself and 0 with token 0.
    # Divided by 2 that is ln 3 and 0: weights e^(ln 3) = 3 against e^0 = 1, so 3/4 and 1/4.
    pick = torch.zeros(8, 8)
    pick[0, 0] = pick[0, 4] = 1.0  # number 0 of the token becomes number 0 of each head
    attention = fill(MultiHeadAttention(d_model=8, n_head=2), q=pick, k=pick, v=eye(8), out=eye(8))
    root = math.sqrt(2 * math.log(3))
    x = torch.tensor([[[0, 4, 8, 0, 0, 40, 80, 0], [root, 0, 0, 4, 0, 0, 0, 40]]])
    expected = [[[0, 4, 8, 0, 0, 40, 80, 0], [0.75 * root, 1, 2, 3, 0, 10, 20, 30]]]
    check.same(attention(x), expected, "batch token number")


def test_each_head_looks_where_it_wants(MultiHeadAttention, check):
    # Head 0 asks for tokens whose number 0 is 1, head 1 for tokens whose number 1 is 1.
    q, k, v = torch.zeros(4, 4), torch.zeros(4, 4), torch.zeros(4, 4)
    q[3, 0] = q[3, 3] = 30.0  # number 3 of every token is 1: it asks
    k[0, 0] = k[0, 2] = k[1, 1] = k[1, 3] = 1.0  # numbers 0 and 1 answer, to both heads
    v[2, 0] = v[2, 2] = 1.0  # number 2 is handed on by both heads
    attention = MultiHeadAttention(d_model=4, n_head=2)
    fill(attention, q=q, k=k, v=v, out=eye(4), bias=[0, 1000, 0, 2000])
    x = torch.tensor([[[1, 0, 7, 1], [0, 1, 8, 1], [0, 0, 9, 1]]]).float()
    expected = [[[7, 1000, 7, 2000], [7, 1000, 8, 2000], [7, 1000, 8, 2000]]]
    check.same(attention(x), expected, "batch token number")


def test_all_weights_uneven(MultiHeadAttention, check):
    attention = waves(MultiHeadAttention(d_model=6, n_head=3))
    x = wave(2, 4, 6, start=900)
    check.same(attention(x), stored("attention, causal"), "batch token number")


def test_all_weights_uneven_without_causal(MultiHeadAttention, check):
    attention = waves(MultiHeadAttention(d_model=6, n_head=3, causal=False))
    x = wave(2, 4, 6, start=900)
    check.same(attention(x), stored("attention, not causal"), "batch token number")


def test_no_token_feels_the_future(MultiHeadAttention, check):
    attention = waves(MultiHeadAttention(d_model=6, n_head=3))
    x = wave(1, 4, 6, start=900)
    before = attention(x)
    check.tensor(before)
    for changed in range(1, 4):
        other = x.clone()
        other[:, changed] += 1.0
        check.past_unmoved(attention(other), before, changed)


def test_the_input_stays_as_it_is(MultiHeadAttention, check):
    attention = waves(MultiHeadAttention(d_model=6, n_head=3))
    x = wave(1, 4, 6, start=900)
    before = x.clone()
    attention(x)
    check.unchanged("x", x, before)


def test_the_same_input_gives_the_same_output(MultiHeadAttention, check):
    attention = waves(MultiHeadAttention(d_model=6, n_head=3))
    x = wave(1, 4, 6, start=900)
    first = attention(x)
    check.tensor(first)
    check.that(torch.equal(attention(x), first), "wrong.not_the_same")


def test_the_module_takes_any_sizes_and_kinds(MultiHeadAttention, check):
    for B, n, n_head, d_k in ((2, 1, 3, 5), (2, 7, 1, 5), (1, 9, 12, 4), (3, 2, 6, 1)):
        d = n_head * d_k
        attention = fill(MultiHeadAttention(d, n_head), q=0, k=0, v=eye(d), out=eye(d))
        x = wave(B, n, d)
        expected = x.cumsum(dim=1) / torch.arange(1, n + 1).reshape(1, n, 1)  # the mean of each token's past
        for kind in KINDS:
            out = of_kind(attention, kind)(x.to(kind))
            check.dtype(out, kind)
            check.same(out, expected, "batch token number", rough=kind == torch.bfloat16)


def test_training_reaches_every_weight(MultiHeadAttention, check):
    attention = waves(MultiHeadAttention(4, 2))
    x = wave(1, 3, 4, start=900)
    c_attn, c_proj = attention.layer("c_attn", times=3), attention.layer("c_proj")
    weights = {"c_attn_weight": c_attn.weight, "c_proj_weight": c_proj.weight, "c_proj_bias": c_proj.bias}
    check.gradient(lambda: attention(x), x=x, **weights)


def test_no_gradient_from_the_future(MultiHeadAttention, check):
    attention = waves(MultiHeadAttention(4, 2))
    for token in range(3):
        x = wave(1, 4, 4, start=900)
        slope = check.gradient(lambda x=x, token=token: attention(x)[:, token], x=x)
        late = slope[0, token + 1 :].abs()
        check.that(float(late.max()) <= 1e-6, "wrong.leak_gradient", token=token)
