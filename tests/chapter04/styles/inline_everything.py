# No function uses another one.
# ruff: noqa
# in attention.py
import torch


def concat_and_project(y, c_proj):
    return torch.nn.functional.linear(
        y.transpose(1, 2).reshape(y.shape[0], y.shape[2], -1), c_proj.weight, c_proj.bias
    )


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        B, n, d = x.shape
        q, k, v = self.c_attn(x).reshape(B, n, 3, self.n_head, d // self.n_head).permute(2, 0, 3, 1, 4)
        s = q @ k.transpose(-1, -2) / (d // self.n_head) ** 0.5
        if self.causal:
            s = s + torch.full((n, n), -torch.inf, dtype=s.dtype, device=s.device).triu_(1)
        return self.c_proj((s.softmax(-1) @ v).transpose(1, 2).reshape(B, n, d))


# in kv_cache.py
def attend_with_cache(attention, x_new, cache=None):
    B, m, d = x_new.shape
    h = attention.n_head
    q, k, v = attention.c_attn(x_new).reshape(B, m, 3, h, d // h).permute(2, 0, 3, 1, 4)
    past = 0
    if cache is not None:
        past = cache[0].shape[2]
        k, v = torch.cat([cache[0], k], -2), torch.cat([cache[1], v], -2)
    s = q @ k.transpose(-1, -2) / (d // h) ** 0.5
    s[..., past:] += torch.full((m, m), -torch.inf, dtype=s.dtype, device=s.device).triu_(1)
    return attention.c_proj((s.softmax(-1) @ v).transpose(1, 2).reshape(B, m, d)), (k, v)
