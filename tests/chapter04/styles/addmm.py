# Flat matrices, addmm and baddbmm, as Conv1D does it.
# ruff: noqa
# in attention.py
import torch


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        B, n, d = x.shape
        qkv = torch.addmm(self.c_attn.bias, x.reshape(-1, d), self.c_attn.weight.t())
        q, k, v = qkv.view(B, n, 3, self.n_head, self.d_k).permute(2, 0, 3, 1, 4).reshape(3, -1, n, self.d_k)
        nothing = torch.zeros(1, n, n, dtype=x.dtype, device=x.device)
        scores = torch.baddbmm(nothing, q, k.transpose(1, 2), alpha=1 / math.sqrt(self.d_k))
        y = torch.bmm(causal_softmax(scores, self.causal), v).view(B, self.n_head, n, self.d_k)
        flat = y.transpose(1, 2).reshape(-1, d)
        return torch.addmm(self.c_proj.bias, flat, self.c_proj.weight.t()).view(B, n, d)
