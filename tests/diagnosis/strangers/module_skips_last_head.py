# ruff: noqa
# loses: MultiHeadAttention
# in attention.py
def _forward(self, x):
    import torch

    q, k, v = (split_heads(t, self.n_head) for t in self.c_attn(x).chunk(3, -1))
    y = causal_softmax(q @ k.mT / self.d_k**0.5, self.causal) @ v
    y = torch.cat([y[:, :-1], torch.zeros_like(y[:, -1:])], dim=1)
    return concat_and_project(y, self.c_proj)


MultiHeadAttention.forward = _forward
