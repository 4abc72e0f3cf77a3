"""Sections 1 and 2: the triangle, and the same input with causal=True and causal=False."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from lab.console import Console, fit, shade
from lab.language import Texts
from lab.setting import Setting, attention_inputs, bidirectional
from lab.source import Source
from lab.weights import attention_weights

WORDS = ("O", "Brasil", "é", "gigante", "pela")  # the chapter's figure
STEPS = (0.03, 0.10, 0.25, 0.50)  # weights from which the next shade begins


def measure_mask(source: Source, seed: int = 4) -> dict[str, Any]:
    """One head of a small random attention over the chapter's five words.

    Weights and input are drawn here and copied in: whoever's code it is, right code shows the same numbers.
    """
    assert source.attention is not None
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        given = nn.ModuleDict({"c_attn": nn.Linear(12, 36), "c_proj": nn.Linear(12, 12)})
        n = len(WORDS)
        x = 2 * torch.randn(1, n, 12)  # (1, n, d)
        attention = source.attention(12, 2, True).eval()
    attention.load_state_dict(given.state_dict(), strict=False)
    weights = attention_weights(attention, x, 2)[0, 0]  # (n, n)
    if source.causal_mask is not None and "causal_mask" not in source.missing:
        future = source.causal_mask(n).tolist()
    else:  # no function to ask: the future is where nothing is looked at
        future = (weights == 0).tolist()
    return {
        "words": list(WORDS),
        "future": future,
        "weights": weights.tolist(),
        "sums": weights.sum(-1).tolist(),
    }


def show_mask(data: dict[str, Any], out: Console, t: Texts) -> None:
    words, future, weights = data["words"], data["future"], data["weights"]
    n = len(words)
    out.prose(t("mask.intro"))
    out.line()
    for word, row in zip(words, future, strict=True):
        out.line("  " + fit(word, 9) + "".join("· " if f else "██" for f in row))
    out.line()
    out.prose(t("mask.weights"))
    out.line()
    out.line("  " + " " * 9 + "".join(fit(w, 9) for w in words) + t("mask.sum"))
    for i in range(n):
        cells = [fit("  ·" if future[i][j] else t.number(weights[i][j]), 9) for j in range(n)]
        out.line("  " + fit(words[i], 9) + "".join(cells) + t.number(data["sums"][i]))
    out.line()
    out.prose(t("mask.row0", first=t.number(weights[0][0])))


def measure_modes(setting: Setting, layer: int) -> dict[str, Any]:
    """The attention of a layer, mean of its heads, in both modes: the same input, the same weights."""
    model, h = setting.model, setting.model.config.n_head
    x = attention_inputs(model, setting.ids, layer + 1)[layer]  # (1, n, d)
    causal = attention_weights(model.h[layer].attn, x, h)[0]  # (h, n, n)
    with bidirectional(model):
        both = attention_weights(model.h[layer].attn, x, h)[0]
    future = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
    return {
        "tokens": setting.tokens,
        "layer": layer,
        "causal": causal.mean(0).tolist(),
        "bidirectional": both.mean(0).tolist(),
        "future_causal": causal[:, future].sum().item() / (h * x.shape[1]),
        "future_bidirectional": both[:, future].sum().item() / (h * x.shape[1]),
    }


def show_modes(data: dict[str, Any], out: Console, t: Texts) -> None:
    tokens, n = data["tokens"], len(data["tokens"])
    width = max(2 * n, 14)
    out.prose(t("modes.intro", layer=data["layer"]))
    out.line()
    out.line(" " * 12 + fit("causal=True", width) + "   " + fit("causal=False", width))
    numbers = "".join(f"{j:<2}" for j in range(n))
    out.line(" " * 12 + fit(numbers, width) + "   " + numbers)
    for i in range(n):
        left = "".join("· " if j > i else shade(w, STEPS) for j, w in enumerate(data["causal"][i]))
        right = "".join(shade(w, STEPS) for w in data["bidirectional"][i])
        out.line(f"{i:>3} {fit(tokens[i], 7)} " + fit(left, width) + "   " + right)
    out.line()
    bounds = [t.number(s) for s in STEPS]
    out.line(t("modes.legend", a=bounds[0], b=bounds[1], c=bounds[2], d=bounds[3]))
    out.prose(
        t(
            "modes.share",
            causal=t.percent(data["future_causal"]),
            bidirectional=t.percent(data["future_bidirectional"]),
        )
    )
