# The triangle is a buffer that is not saved, and made anew when the text is longer.
# ruff: noqa
# in attention.py
import torch


class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.register_buffer("future", torch.ones(4, 4, dtype=torch.bool).triu(1), persistent=False)

    def forward(self, x):
        n = x.shape[1]
        if n > self.future.shape[0]:
            self.future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        q, k, v = (split_heads(t, self.n_head) for t in self.c_attn(x).chunk(3, -1))
        scores = q @ k.mT / math.sqrt(self.d_k)
        if self.causal:
            scores = scores.masked_fill(self.future[:n, :n], float("-inf"))
        return concat_and_project(scores.softmax(-1) @ v, self.c_proj)
