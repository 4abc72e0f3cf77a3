# The triangle is a buffer, as in nanoGPT.
# ruff: noqa
# in attention.py
import torch


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model=768, n_head=12, causal=True):
        super().__init__()
        self.n_head = n_head
        self.d_k = d_model // n_head
        self.causal = causal
        self.c_attn = nn.Linear(d_model, 3 * d_model)
        self.c_proj = nn.Linear(d_model, d_model)
        self.attn_dropout = nn.Dropout(0.1)
        self.register_buffer("bias", torch.tril(torch.ones(1024, 1024)).view(1, 1, 1024, 1024))

    def forward(self, x):
        n = x.size(1)
        q, k, v = (split_heads(t, self.n_head) for t in self.c_attn(x).split(x.size(2), dim=2))
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        if self.causal:
            att = att.masked_fill(self.bias[:, :, :n, :n] == 0, float("-inf"))
        att = self.attn_dropout(att.softmax(dim=-1))
        return concat_and_project(att @ v, self.c_proj)
