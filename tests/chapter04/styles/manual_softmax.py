# The softmax by hand, the future left out of the sum, the division last.
# ruff: noqa
# in mask.py
def causal_softmax(scores, causal=True):
    e = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    if causal:
        future = causal_mask(scores.shape[-2], scores.shape[-1], scores.device)
        e = (
            scores.masked_fill(future, -torch.inf)
            - scores.masked_fill(future, -torch.inf).amax(-1, keepdim=True)
        ).exp()
    return e / e.sum(dim=-1, keepdim=True)


# in attention.py
class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        q, k, v = (split_heads(t, self.n_head) for t in self.c_attn(x).chunk(3, -1))
        e = (q @ k.mT / math.sqrt(self.d_k)).exp()
        if self.causal:
            e = e.tril()
        return concat_and_project((e @ v) / e.sum(-1, keepdim=True), self.c_proj)
