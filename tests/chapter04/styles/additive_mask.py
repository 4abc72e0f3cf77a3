# A float mask is added to the scores, as in minGPT's relatives.
# ruff: noqa
# in mask.py
def causal_softmax(scores, causal=True):
    if not causal:
        return scores.softmax(-1)
    m, n = scores.shape[-2:]
    bias = torch.full((m, n), float("-inf"), dtype=scores.dtype, device=scores.device)
    return torch.softmax(scores + torch.triu(bias, diagonal=n - m + 1), dim=-1)


# in attention.py
import torch


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        B, n, d = x.shape
        q, k, v = (split_heads(t, self.n_head) for t in self.c_attn(x).split(d, -1))
        scores = q @ k.transpose(-1, -2) / math.sqrt(self.d_k)
        if self.causal:
            bias = torch.zeros(n, n, dtype=x.dtype, device=x.device)
            bias.masked_fill_(torch.ones(n, n, device=x.device).triu(1).bool(), -1e9)
            scores = scores + bias
        return concat_and_project(scores.softmax(-1) @ v, self.c_proj)
