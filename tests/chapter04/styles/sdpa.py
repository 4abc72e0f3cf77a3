# PyTorch's own attention everywhere (a person is told; the numbers are right).
# ruff: noqa
# in attention.py
import torch.nn.functional as F


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        q, k, v = (split_heads(t, self.n_head) for t in self.c_attn(x).chunk(3, -1))
        return concat_and_project(F.scaled_dot_product_attention(q, k, v, is_causal=self.causal), self.c_proj)


# in kv_cache.py
import torch.nn.functional as F
from solutions.mask import causal_mask


def attend_with_cache(attention, x_new, cache=None):
    q, k, v = (split_heads(t, attention.n_head) for t in attention.c_attn(x_new).chunk(3, -1))
    if cache is not None:
        k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
    allowed = ~causal_mask(q.shape[2], k.shape[2], x_new.device)
    y = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
    return concat_and_project(y, attention.c_proj), (k, v)
