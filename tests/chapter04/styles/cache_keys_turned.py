# A dataclass; the keys lie turned, ready to be multiplied; unmerged heads of the new tokens come before.
# ruff: noqa
# timing
# in kv_cache.py
from dataclasses import dataclass


@dataclass(frozen=True)
class Past:
    keys: torch.Tensor  # (B, h, d_k, n)
    values: torch.Tensor  # (B, n, h, d_k)


def attend_with_cache(attention, x_new, cache=None):
    B, m, d = x_new.shape
    h, d_k = attention.n_head, attention.d_k
    q, k, v = attention.c_attn(x_new).view(B, m, 3, h, d_k).unbind(2)
    keys, values = k.permute(0, 2, 3, 1), v
    if cache is not None:
        keys = torch.cat([cache.keys, keys], dim=-1)
        values = torch.cat([cache.values, values], dim=1)
    weights = causal_softmax(q.transpose(1, 2) @ keys / math.sqrt(d_k), attention.causal)
    y = (weights @ values.transpose(1, 2)).transpose(1, 2).reshape(B, m, d)
    return attention.c_proj(y), Past(keys, values)
