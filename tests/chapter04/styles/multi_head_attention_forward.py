# PyTorch's whole multi-head attention (a person is told; the numbers are right).
# ruff: noqa
# told by: attention/attention_device
# in attention.py
import torch
import torch.nn.functional as F


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        x = x.transpose(0, 1)
        n = len(x)
        mask = torch.ones(n, n, dtype=torch.bool).triu(1) if self.causal else None
        y, _ = F.multi_head_attention_forward(
            x,
            x,
            x,
            x.shape[-1],
            self.n_head,
            self.c_attn.weight,
            self.c_attn.bias,
            None,
            None,
            False,
            0.0,
            self.c_proj.weight,
            self.c_proj.bias,
            training=False,
            need_weights=False,
            attn_mask=mask,
        )
        return y.transpose(0, 1)
