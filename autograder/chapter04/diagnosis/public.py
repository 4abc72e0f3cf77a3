"""Small public inputs, the same for every student and course: what a page may show, numbers and all."""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor

TOKENS = ("O", "Brasil", "é", "gigante")
N, HEADS, D_K = 4, 2, 3
D = HEADS * D_K


def coded(n: int = N, d: int = D, B: int = 1) -> Tensor:
    """(B, n, d): sentence * 1000 + token * 100 + position in the token, as in the exercises, so that every
    number says where it is from."""
    sentence, token, place = torch.arange(B).view(B, 1, 1), torch.arange(n).view(n, 1), torch.arange(d)
    return (sentence * 1000 + token * 100 + place).float()  # (B, n, d)


def coded_heads(n: int = N) -> Tensor:
    """(1, HEADS, n, D_K): the coded input as the heads see it."""
    return coded(n).view(1, n, HEADS, D_K).transpose(1, 2).contiguous()  # (1, n, D) -> (1, HEADS, n, D_K)


@cache
def _numbers(name: str, *shape: int) -> Tensor:
    generator = torch.Generator().manual_seed(sum(name.encode()))
    return (torch.randn(*shape, generator=generator) * 10).round() / 10


def scores(n_query: int = N, n_key: int = N) -> Tensor:
    """(n_query, n_key), one digit behind the point."""
    return _numbers("scores", N, 6)[:n_query, :n_key].clone()


def sentence() -> Tensor:
    """(1, N, D)"""
    return _numbers("sentence", 1, N, D).clone()


def weights() -> dict[str, Tensor]:
    """State dict of MultiHeadAttention(D, HEADS)."""
    return {
        "c_attn.weight": _numbers("c_attn", 3 * D, D).clone(),
        "c_attn.bias": _numbers("c_attn.bias", 3 * D).clone() / 2,
        "c_proj.weight": _numbers("c_proj", D, D).clone(),
        "c_proj.bias": _numbers("c_proj.bias", D).clone() / 2,
    }


def c_proj() -> torch.nn.Linear:
    """Linear(D, D) with those numbers."""
    linear = torch.nn.Linear(D, D)
    with torch.no_grad():
        linear.weight.copy_(weights()["c_proj.weight"])
        linear.bias.copy_(weights()["c_proj.bias"])
    return linear


def revealing(n: int = 5, heads: int = 3) -> tuple[Tensor, dict[str, Tensor], Tensor]:
    """(x (1, n, n * heads), state dict, raw scores (heads, n, n)) of a module whose output is its weights.

    V gives token t the t-th unit vector in every head, and c_proj changes nothing: row i of the output
    holds, head
    by head, how much token i looked at each token. d_k = n. Raw scores are q · k, before any scale.
    """
    d = n * heads
    x = _numbers("revealing", 1, n, d).double()
    qk = _numbers("revealing qk", 2 * d, d).double() * 0.35
    unit = torch.eye(n, dtype=torch.float64).repeat(1, heads)  # (n, d): the wanted V of each token
    v = (torch.linalg.pinv(x[0]) @ unit).T  # (n, d) -> (d, d), exact because the tokens are independent
    state = {
        "c_attn.weight": torch.cat([qk, v]).float(),
        "c_attn.bias": torch.zeros(3 * d),
        "c_proj.weight": torch.eye(d),
        "c_proj.bias": torch.zeros(d),
    }
    q, k = (x[0] @ qk.T).chunk(2, dim=-1)  # (n, d) each
    q, k = (t.view(n, heads, n).transpose(0, 1) for t in (q, k))  # (n, d) -> (heads, n, d_k)
    return x.float(), state, q @ k.transpose(1, 2)


def other_values(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The same queries and keys with other values and another c_proj, bias and all: the weights stay."""
    d = state["c_proj.bias"].shape[0]
    q, k, _ = state["c_attn.weight"].chunk(3)
    return {
        "c_attn.weight": torch.cat([q, k, _numbers("other v", d, d)]),
        "c_attn.bias": state["c_attn.bias"],
        "c_proj.weight": _numbers("other c_proj", d, d).clone(),
        "c_proj.bias": _numbers("other bias", d).clone(),
    }
