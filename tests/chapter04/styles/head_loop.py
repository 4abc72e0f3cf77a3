# One head after the other, slices by index.
# ruff: noqa
# in heads.py
import torch


def split_heads(x, n_head):
    d_k, rest = divmod(x.shape[-1], n_head)
    if rest:
        raise ValueError("heads of different size")
    return torch.stack([x[:, :, i * d_k : (i + 1) * d_k] for i in range(n_head)], dim=1)


def merge_heads(y):
    return torch.cat([y[:, i] for i in range(y.shape[1])], dim=-1)


# in attention.py
import torch


class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        d, k = x.shape[-1], self.d_k
        qkv = self.c_attn(x)
        heads = []
        for i in range(self.n_head):
            Q = qkv[..., i * k : (i + 1) * k]
            K = qkv[..., d + i * k : d + (i + 1) * k]
            V = qkv[..., 2 * d + i * k : 2 * d + (i + 1) * k]
            heads.append(causal_softmax(Q @ K.transpose(1, 2) / math.sqrt(k), self.causal) @ V)
        return self.c_proj(torch.cat(heads, dim=-1))


# in kv_cache.py
def attend_with_cache(attention, x_new, cache=None):
    q, k, v = (split_heads(t, attention.n_head) for t in attention.c_attn(x_new).chunk(3, -1))
    if cache is not None:
        k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
    heads = []
    for i in range(attention.n_head):
        s = q[:, i] @ k[:, i].transpose(1, 2) / math.sqrt(attention.d_k)
        for row in range(s.shape[1]):
            s[:, row, k.shape[2] - s.shape[1] + row + 1 :] = float("-inf")
        heads.append(s.softmax(-1) @ v[:, i])
    return attention.c_proj(torch.cat(heads, -1)), (k, v)
