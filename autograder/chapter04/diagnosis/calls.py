"""The calls of earlier exercises that written_out/ has written out."""

from __future__ import annotations

_MERGE = "y = y.transpose(1, 2).contiguous().view(B, n, d)  # (B, n_head, n, d_k) -> (B, n, d)"
_MASK = """\
if causal:
    future = torch.ones(n, n_all, dtype=torch.bool, device=x.device).triu(n_all - n + 1)
    att = att.masked_fill(future, float("-inf"))
att = F.softmax(att, dim=-1)"""
CALLS = (
    *(
        (
            f"{t} = {t}.view(B, n, n_head, d_k).transpose(1, 2)  # (B, n, d) -> (B, n_head, n, d_k)",
            f"{t} = split_heads({t}, n_head)",
        )
        for t in "qkv"
    ),
    (_MASK, "att = causal_softmax(att, causal)"),
    (_MASK.splitlines()[1].strip(), "future = causal_mask(n, n_all, device=x.device)"),
    ("att = F.softmax(att, dim=-1)", "att = causal_softmax(att, causal=False)"),
    (f"{_MERGE}\nout = c_proj(y)", "out = concat_and_project(y, c_proj)"),
    (_MERGE, "y = merge_heads(y)"),
)
