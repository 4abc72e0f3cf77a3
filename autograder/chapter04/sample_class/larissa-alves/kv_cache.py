"""Exercises 7 and 8. Section 3 of the chapter: the KV cache, the free gift of the causal mask.

Token 5 never influences token 3, so K and V of the past never change. They are kept, and only the new token
is computed. The last exercise, 9, asks for no new code: your attention runs inside a real GPT-2.
"""

from typing import Any

import torch
from torch import Tensor

from exercises.attention import MultiHeadAttention, concat_and_project  # noqa: F401  (yours, from before)
from exercises.heads import split_heads  # noqa: F401
from exercises.mask import causal_softmax  # noqa: F401

KV = tuple[Tensor, Tensor]


def attend_with_cache(
    attention: MultiHeadAttention, x_new: Tensor, cache: KV | None = None
) -> tuple[Tensor, KV]:
    """Attention for the m newest tokens only; everything older comes out of the cache.

    x_new: (B, m, d_model), what comes after the tokens of the cache; m may be 1 or more
    cache: (K, V) of the n_past tokens before, each (B, n_head, n_past, d_k); None at the start
    Returns (output, new cache): output (B, m, d_model), and (K, V), each (B, n_head, n_past + m, d_k).

    The output is what `attention` would give for the whole sentence, at its last m positions. Its layers are
    attention.c_attn and attention.c_proj, its numbers attention.n_head, attention.d_k and attention.causal.
    A new token sees all of the past, itself, and of the other new tokens those before it.
    Keep nothing between two calls but what you return: several texts may be written at the same time.

    By hand: Q and K all 0, V = x, c_proj changing nothing, so that every token gets the mean of all up to it.

        attend_with_cache(attention, [[6, 60], [0, 0]], None)      gives  [[6, 60], [3, 30]]  and a cache of 2
        attend_with_cache(attention, [[3, 90]], that cache)        gives  [[3, 50]]           and a cache of 3
    """
    raise NotImplementedError("attend_with_cache is not written yet")


@torch.no_grad()
def generate(model: Any, ids: Tensor, max_new_tokens: int, use_cache: bool = True) -> Tensor:
    """Continues the text one token at a time, always with the likeliest next token.

    ids: (B, n), numbers of tokens  ->  (B, n + max_new_tokens): the same ids, and the new ones behind them

    The model is given:

        logits, cache = model(ids, cache=None, start=0)

        ids     (B, m)         the tokens it has not seen yet
        cache                  what an earlier call returned: pass it on, there is no need to look inside
        start                  the position of ids[:, 0] in the whole text
        logits  (B, m, vocab)  after each of the m tokens: how likely each token of the vocabulary comes next
        model.n_positions      the longest text it can see

    With use_cache=True no token goes into the model twice: first the n tokens of the prompt, then in each
    step only the newest one, at its true position. With use_cache=False the whole text goes in each time,
    and the answer is the same.

    By hand: a model that always counts on, ids = [[5, 6]], max_new_tokens = 3  ->  [[5, 6, 7, 8, 9]]; with
    the cache the model is called with [[5, 6]] at start 0, [[7]] at start 2, [[8]] at start 3.

    Raises ValueError when n + max_new_tokens is more than model.n_positions.
    """
    raise NotImplementedError("generate is not written yet")
