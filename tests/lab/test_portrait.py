"""Section 4: the numbers against an independent computation, and the rules that name heads."""

from __future__ import annotations

import math
from dataclasses import asdict

import pytest
import torch
from transformers import GPT2LMHeadModel

from lab.models import MINI
from lab.portrait import (
    HALF,
    REPEATS,
    RULES,
    Measures,
    label,
    measure,
    measure_heads,
    repeated_random,
    uniform,
)
from lab.setting import load_setting
from lab.source import load_source
from lab.weights import attention_weights


def by_hand(weights: list[list[float]], ids: list[int]) -> dict[str, float | None]:
    """The measures of one head, written with loops."""
    n = len(ids)
    sums = {"distance": 0.0, "entropy": 0.0, "on_first": 0.0, "on_itself": 0.0, "on_previous": 0.0}
    same: list[float] = []
    after: list[float] = []
    for i in range(1, n):
        for j in range(i + 1):
            w = weights[i][j]
            sums["distance"] += w * (i - j)
            sums["entropy"] -= w * math.log2(w) if w > 0 else 0.0
        sums["on_first"] += weights[i][0]
        sums["on_itself"] += weights[i][i]
        sums["on_previous"] += weights[i][i - 1]
        earlier = [j for j in range(i) if ids[j] == ids[i]]
        if earlier:
            same.append(sum(weights[i][j] for j in earlier))
            after.append(sum(weights[i][j + 1] for j in earlier if j + 1 < i))
    result: dict[str, float | None] = {k: v / (n - 1) for k, v in sums.items()}
    result["on_same"] = sum(same) / len(same) if same else None
    result["after_same"] = sum(after) / len(after) if after else None
    return result


@pytest.mark.parametrize("source", ["solutions", "transformers"])
@torch.no_grad()
def test_numbers_agree_with_transformers_own_attentions(source: str) -> None:
    setting = load_setting("mini", load_source(source))
    data = measure(setting, [0, 2])
    theirs = GPT2LMHeadModel.from_pretrained(MINI, attn_implementation="eager", dtype=torch.float32).eval()
    randoms = [repeated_random(2048, HALF, seed) for seed in range(REPEATS)]
    on_sentence = theirs(setting.ids, output_attentions=True).attentions
    on_random = [theirs(ids[None], output_attentions=True).attentions for ids in randoms]
    for entry in data["layers"]:
        layer = entry["layer"]
        for head in entry["heads"][:: 1 if layer == 0 else 5]:
            i = head["head"]
            expected = by_hand(on_sentence[layer][0, i].tolist(), setting.ids[0].tolist())
            assert head["sentence"] == pytest.approx(expected, abs=1e-5)
            each = [
                by_hand(a[layer][0, i].tolist(), ids.tolist())
                for a, ids in zip(on_random, randoms, strict=True)
            ]
            means = {k: sum(e[k] for e in each) / REPEATS for k in each[0]}  # type: ignore[misc]
            assert head["random"] == pytest.approx(means, abs=1e-5)


def test_uniform_attention_has_its_known_values() -> None:
    n = 9
    flat = uniform(torch.arange(n))
    assert flat.distance == pytest.approx(sum(i / 2 for i in range(1, n)) / (n - 1), abs=1e-5)
    assert flat.entropy == pytest.approx(sum(math.log2(i + 1) for i in range(1, n)) / (n - 1), abs=1e-5)
    assert flat.on_first == flat.on_itself == pytest.approx(sum(1 / (i + 1) for i in range(1, n)) / (n - 1))
    assert flat.on_same is None


def pattern(kind: str, ids: torch.Tensor) -> torch.Tensor:
    """A head that does one thing only."""
    n = len(ids)
    w = torch.zeros(n, n)
    for i in range(n):
        equal = [j for j in range(i) if ids[j] == ids[i]]
        where = {
            "previous": max(i - 1, 0),
            "sink": 0,
            "itself": i,
            "same": equal[0] if equal else 0,
            "induction": equal[0] + 1 if equal else 0,
        }.get(kind)
        if kind == "near":
            w[i, max(i - 2, 0) : i + 1] = 1 / min(i + 1, 3)
        elif where is None:
            w[i, : i + 1] = 1 / (i + 1)
        else:
            w[i, where] = 1.0
    return w


@pytest.mark.parametrize("kind", ["previous", "sink", "itself", "near", "everything"])
def test_a_head_that_does_one_thing_gets_its_name(kind: str) -> None:
    sentence, random = torch.arange(14), repeated_random(2048, HALF, 0)
    measures = [measure_heads(pattern(kind, ids)[None], ids)[0] for ids in (sentence, random)]
    name, evidence = label(*measures, uniform(sentence), uniform(random))
    assert name == kind
    assert evidence


@pytest.mark.parametrize("kind", ["same", "induction"])
def test_repetition_names_heads_that_look_at_equal_tokens(kind: str) -> None:
    ids = repeated_random(2048, HALF, 0)
    w = pattern(kind, ids)
    w[:HALF] = pattern("everything", ids)[:HALF]  # nothing to find in the first half
    sentence = torch.arange(14)
    flat = measure_heads(pattern("everything", sentence)[None], sentence)[0]
    name, evidence = label(flat, measure_heads(w[None], ids)[0], uniform(sentence), uniform(ids))
    assert (name, evidence) == (kind, [pytest.approx(1.0, abs=0.05)])


def test_no_rule_no_label_and_both_inputs_count() -> None:
    sentence, random = torch.arange(14), repeated_random(2048, HALF, 0)
    flats = uniform(sentence), uniform(random)
    plain = Measures(3.0, 2.0, 0.3, 0.3, 0.3, 0.1, 0.1)
    assert label(plain, plain, *flats) == (None, [])
    on_one_only = Measures(3.0, 2.0, 0.9, 0.3, 0.3, 0.1, 0.1)
    assert label(on_one_only, plain, *flats) == (None, [])
    assert label(on_one_only, on_one_only, *flats)[0] == "sink"
    assert {rule.measure for rule in RULES} <= set(asdict(plain))


@torch.no_grad()
def test_weights_are_read_through_any_code() -> None:
    """A module written in quite another way, with more positions than d_k: the same weights as by hand."""

    class Other(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.c_attn, self.c_proj = torch.nn.Linear(12, 36), torch.nn.Linear(12, 12)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            q, k, v = self.c_attn(x).view(*x.shape[:2], 3, 4, 3).permute(2, 0, 3, 1, 4)
            y = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.c_proj(y.transpose(1, 2).flatten(2))

    torch.manual_seed(0)
    module, x = Other(), torch.randn(2, 8, 12)
    before = {k: v.clone() for k, v in module.state_dict().items()}
    output = module(x)
    got = attention_weights(module, x, 4)
    q, k, _ = module.c_attn(x).chunk(3, -1)
    for b in range(2):
        for h in range(4):
            mine = slice(3 * h, 3 * h + 3)
            scores = q[b, :, mine] @ k[b, :, mine].T / math.sqrt(3)
            scores = scores + torch.full((8, 8), float("-inf")).triu(1)
            assert torch.allclose(got[b, h], scores.softmax(-1), atol=1e-6)
    assert all(torch.equal(v, before[k]) for k, v in module.state_dict().items())
    assert torch.equal(module(x), output)
