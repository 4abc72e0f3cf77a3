"""Section 4: the portrait of the heads. What is measured, and the written rules that name a head."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from lab.setting import Setting, attention_inputs
from lab.weights import attention_weights

REPEATS = 4  # random sequences that the numbers are means of
HALF = 24  # random tokens, then the same ones again


@dataclass(frozen=True)
class Measures:
    """Means over all queries but the first, which has no choice. A share is a part of 1."""

    distance: float  # tokens back
    entropy: float  # bits
    on_first: float
    on_itself: float
    on_previous: float
    on_same: float | None  # on equal earlier tokens; None where no token comes twice
    after_same: float | None  # on what came after an equal earlier token (an induction head's place)


def measure_heads(weights: Tensor, ids: Tensor) -> list[Measures]:
    """weights: (h, n, n) [query, key], causal; ids: (n,). One entry a head."""
    n = len(ids)
    query, key = torch.arange(n)[:, None], torch.arange(n)[None, :]
    same = (ids[:, None] == ids[None, :]) & (key < query)  # (n, n)
    after = torch.zeros_like(same)
    after[:, 1:] = same[:, :-1]  # the key after an equal earlier one …
    after &= key < query  # … and itself in the past
    some = same.any(-1)  # queries that have an equal earlier token
    w = weights[:, 1:]  # the first query is left out: (h, n - 1, n)
    distance = (w * (query - key)[1:]).sum(-1).mean(-1)  # (h,)
    entropy = -torch.xlogy(w, w).sum(-1).mean(-1) / math.log(2)  # (h,)
    on_itself = weights.diagonal(dim1=-2, dim2=-1)[:, 1:].mean(-1)
    on_previous = weights.diagonal(offset=-1, dim1=-2, dim2=-1).mean(-1)
    result = []
    for i in range(len(weights)):
        picked = weights[i][some]  # (queries with an equal earlier token, n)
        result.append(
            Measures(
                distance[i].item(),
                entropy[i].item(),
                w[i, :, 0].mean().item(),
                on_itself[i].item(),
                on_previous[i].item(),
                (picked * same[some]).sum(-1).mean().item() if some.any() else None,
                (picked * after[some]).sum(-1).mean().item() if some.any() else None,
            )
        )
    return result


def uniform(ids: Tensor) -> Measures:
    """The same for a head that looks at everything it may alike."""
    n = len(ids)
    return measure_heads(torch.ones(1, n, n).tril() / torch.arange(1, n + 1)[None, :, None], ids)[0]


def mean(entries: list[Measures]) -> Measures:
    """The mean of several measurements of one head."""
    columns = {}
    for name in Measures.__dataclass_fields__:
        values = [v for e in entries if (v := getattr(e, name)) is not None]
        columns[name] = sum(values) / len(values) if values else None
    return Measures(**columns)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Rule:
    """A head gets this label when the measure reaches `bound` on the sentence and on random tokens."""

    label: str
    measure: str
    bound: float
    on_sentence: bool = True  # False: random repetitions alone decide, a sentence repeats too little
    of_uniform: bool = False  # the measure is divided by uniform attention's; …
    at_most: bool = False  # … and must be small


# The first rule that fits names the head.
RULES = (
    Rule("previous", "on_previous", 0.40),
    Rule("sink", "on_first", 0.40),
    Rule("itself", "on_itself", 0.40),
    Rule("same", "on_same", 0.30, on_sentence=False),
    Rule("induction", "after_same", 0.30, on_sentence=False),
    Rule("near", "distance", 0.50, of_uniform=True, at_most=True),
    Rule("everything", "entropy", 0.90, of_uniform=True),
)


def label(
    sentence: Measures, random: Measures, uniform_sentence: Measures, uniform_random: Measures
) -> tuple[str | None, list[float]]:
    """(label, evidence: the measure on the sentence and on random tokens), or (None, [])."""
    for rule in RULES:
        evidence = []
        for on_it, measured, flat in (
            (rule.on_sentence, sentence, uniform_sentence),
            (True, random, uniform_random),
        ):
            value, base = getattr(measured, rule.measure), getattr(flat, rule.measure)
            if on_it and value is not None:
                evidence.append(value / base if rule.of_uniform else value)
        if evidence and all(e <= rule.bound if rule.at_most else e >= rule.bound for e in evidence):
            return rule.label, evidence
    return None, []


def repeated_random(vocab_size: int, half: int, seed: int) -> Tensor:
    """`half` different random tokens, twice: (2 * half,). Token 0 (often a marker) is left out."""
    generator = torch.Generator().manual_seed(seed)
    once = 1 + torch.randperm(vocab_size - 1, generator=generator)[:half]
    return once.repeat(2)


def measure(setting: Setting, layers: list[int]) -> dict[str, Any]:
    """The portrait of every head of these layers."""
    model, h = setting.model, setting.model.config.n_head
    half = min(HALF, model.n_positions // 2, model.config.vocab_size - 1)
    randoms = torch.stack([repeated_random(model.config.vocab_size, half, seed) for seed in range(REPEATS)])
    sentence_inputs = attention_inputs(model, setting.ids, max(layers) + 1)
    random_inputs = attention_inputs(model, randoms, max(layers) + 1)
    flat_sentence, flat_random = uniform(setting.ids[0]), uniform(randoms[0])
    data: dict[str, Any] = {
        "model": setting.name,
        "mini": setting.is_mini,
        "n_layer": model.config.n_layer,
        "tokens": setting.tokens,
        "random_tokens": 2 * half,
        "uniform": {"sentence": asdict(flat_sentence), "random": asdict(flat_random)},
        "rules": [asdict(rule) for rule in RULES],
        "layers": [],
    }
    for layer in layers:
        attention = model.h[layer].attn
        weights = attention_weights(attention, sentence_inputs[layer], h)[0]  # (h, n, n)
        on_sentence = measure_heads(weights, setting.ids[0])
        on_random = attention_weights(attention, random_inputs[layer], h)  # (REPEATS, h, 2 * half, 2 * half)
        per_sequence = [measure_heads(w, ids) for w, ids in zip(on_random, randoms, strict=True)]
        heads = []
        for i in range(h):
            random = mean([heads_of_one[i] for heads_of_one in per_sequence])
            name, evidence = label(on_sentence[i], random, flat_sentence, flat_random)
            heads.append(
                {
                    "head": i,
                    "sentence": asdict(on_sentence[i]),
                    "random": asdict(random),
                    "label": name,
                    "evidence": evidence,
                }
            )
        data["layers"].append({"layer": layer, "heads": heads, "weights": weights.tolist()})
    return data
