# More parameters than asked for, with defaults; decorators; type hints.
# ruff: noqa
# in heads.py
import functools
from typing import Optional


def checked(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        out = f(*args, **kwargs)
        assert out.dim() in (3, 4)
        return out

    return inner


@checked
def split_heads(x: "Tensor", n_head: int, d_k: Optional[int] = None) -> "Tensor":
    d_k = d_k or x.size(-1) // n_head
    return x.view(x.size(0), x.size(1), n_head, d_k).transpose(1, 2).contiguous()


# in mask.py
def causal_mask(
    n_query: int, n_key: int = None, device=None, dtype=torch.bool, *, diagonal: int = 1
) -> Tensor:
    past = 0 if n_key is None else n_key - n_query
    return torch.triu(torch.ones(n_query, n_query + past, device=device), diagonal=diagonal + past).to(dtype)


def causal_softmax(scores, causal=True, dropout_p=0.0, return_mask=False, temperature=1.0):
    mask = causal_mask(scores.size(-2), scores.size(-1), device=scores.device)
    out = torch.softmax(scores.masked_fill(mask, -torch.inf) if causal else scores / temperature, -1)
    return (out, mask) if return_mask else out


# in attention.py
class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x: Tensor, mask: Tensor | None = None, need_weights: bool = False, **kwargs) -> Tensor:
        q, k, v = (split_heads(t, self.n_head) for t in self.c_attn(x).chunk(3, -1))
        w = causal_softmax(q @ k.mT / math.sqrt(self.d_k), causal=self.causal)
        out = concat_and_project(w @ v, c_proj=self.c_proj)
        return (out, w) if need_weights else out


# in kv_cache.py
_attend = attend_with_cache


def attend_with_cache(attention, x_new, cache=None, *, need_weights=False, max_len=None):
    return _attend(attention, x_new, cache)
