# einops.
# ruff: noqa
# whole heads.py
from einops import rearrange


def split_heads(x, n_head):
    return rearrange(x, "b n (h k) -> b h n k", h=n_head)


def merge_heads(y):
    return rearrange(y, "b h n k -> b n (h k)")


# in attention.py
from einops import rearrange


def concat_and_project(y, c_proj):
    return c_proj(rearrange(y, "b h n k -> b n (h k)"))


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        q, k, v = rearrange(self.c_attn(x), "b n (three h k) -> three b h n k", three=3, h=self.n_head)
        return concat_and_project(causal_softmax(q @ k.mT / self.d_k**0.5, self.causal) @ v, self.c_proj)
