# Helper modules and properties of one's own inside the given class; print while working.
# ruff: noqa
# in attention.py
class MultiHeadAttention(MultiHeadAttention):
    def __init__(self, d_model=768, n_head=12, causal=True):
        super().__init__(d_model, n_head, causal)
        self.softmax = nn.Softmax(dim=-1)
        self.drop = nn.Dropout(0.2)
        self.scale = self.d_k**-0.5

    def heads(self, x):
        return split_heads(x, self.n_head)

    def forward(self, x):
        q, k, v = map(self.heads, self.c_attn(x).chunk(3, -1))
        scores = q @ k.mT * self.scale
        if self.causal:
            from solutions.mask import causal_mask

            scores = scores.masked_fill(causal_mask(x.shape[1], device=x.device), float("-inf"))
        return concat_and_project(self.drop(self.softmax(scores)) @ v, self.c_proj)
