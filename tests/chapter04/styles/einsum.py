# Everything with einsum.
# ruff: noqa
# in heads.py
import torch


def split_heads(x, n_head):
    return torch.einsum("bnhk->bhnk", x.reshape(*x.shape[:2], n_head, -1))


def merge_heads(y):
    return torch.einsum("bhnk->bnhk", y).reshape(y.shape[0], y.shape[2], -1)


# in attention.py
import torch


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        qkv = torch.einsum("bnd,ed->bne", x, self.c_attn.weight) + self.c_attn.bias
        q, k, v = qkv.reshape(*x.shape[:2], 3, self.n_head, self.d_k).unbind(2)
        w = causal_softmax(torch.einsum("bihk,bjhk->bhij", q, k) * self.d_k**-0.5, self.causal)
        y = torch.einsum("bhij,bjhk->bhik", w, v)
        return concat_and_project(y, self.c_proj)


# in kv_cache.py
def attend_with_cache(attention, x_new, cache=None):
    B, m, _ = x_new.shape
    q, k, v = attention.c_attn(x_new).view(B, m, 3, attention.n_head, attention.d_k).permute(2, 0, 3, 1, 4)
    if cache is not None:
        k, v = (torch.cat([old, new], dim=2) for old, new in zip(cache, (k, v)))
    scores = torch.einsum("bhik,bhjk->bhij", q, k) / attention.d_k**0.5
    y = torch.einsum("bhij,bhjk->bhik", causal_softmax(scores, attention.causal), v)
    return concat_and_project(y, attention.c_proj), (k, v)
