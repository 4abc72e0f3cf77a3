"""Answers without an idea in them, for every exercise: what the tests of shapes alone would take for work.

A body is the text of a whole definition. `FILLS` are made for every exercise alike; `OWN` belong to one.
"""

from __future__ import annotations

from collections.abc import Mapping

from tests.chapter04.pieces import SOLUTIONS
from tests.grading.test_returns_nothing import NOTHING

FILLS = {  # numbers that have nothing to do with what was handed in
    "zeros": "torch.zeros(shape)",
    "ones": "torch.ones(shape)",
    "constant": "torch.full(shape, 0.25)",
    "negative": "torch.full(shape, -1.0)",
    "random": "torch.rand(shape)",
    "normal": "torch.randn(shape)",
    "seeded": "torch.randn(shape, generator=torch.Generator().manual_seed(0))",
    "counted": "torch.arange(float(torch.Size(shape).numel())).reshape(shape)",
    "nan": "torch.full(shape, float('nan'))",
    "infinite": "torch.full(shape, float('inf'))",
    "uniform": "torch.full(shape, 1 / max(1, shape[-1]))",
    "eye": "torch.eye(*shape[-2:]).expand(shape)",
    "first": "torch.nn.functional.one_hot(torch.zeros(shape[:-1], dtype=torch.int64), shape[-1]).float()",
    "empty": "torch.empty(0)",
}
HEADS = {
    "split_heads": ("x, n_head", "B, n, d = x.shape; shape = (B, n_head, n, d // n_head); like = x"),
    "merge_heads": ("y", "B, h, n, k = y.shape; shape = (B, n, h * k); like = y"),
    "causal_mask": (
        "n_query, n_key=None, device=None",
        "n_key = n_key or n_query; shape = (n_query, n_key); like = torch.zeros(1)",
    ),
    "causal_softmax": ("scores, causal=True", "shape = tuple(scores.shape); like = scores"),
    "concat_and_project": ("y, c_proj", "B, h, n, k = y.shape; shape = (B, n, h * k); like = y"),
    "MultiHeadAttention": ("self, x", "B, n, d = x.shape; shape = (B, n, d); like = x"),
    "attend_with_cache": (
        "attention, x_new, cache=None",
        "B, m, d = x_new.shape; shape = (B, m, d); like = x_new; n = m + (0 if cache is None else "
        "cache[0].shape[2]); kept = x_new.new_zeros(B, attention.n_head, n, attention.d_k)",
    ),
    "generate": (
        "model, ids, max_new_tokens, use_cache=True",
        "shape = (ids.shape[0], max_new_tokens); like = ids",
    ),
}
RESULT = {  # what is made of a filled tensor; else the tensor itself
    "causal_mask": "({fill}) > 0.5",
    "attend_with_cache": "({fill}).to(like), (kept, kept)",
    "generate": "torch.cat([ids, ({fill}).to(like)], 1)",
}
OWN: Mapping[str, Mapping[str, str]] = {
    "split_heads": {
        "input": "x",
        "reshaped": "x.reshape(shape)",
        "not turned": "x.reshape(B, n, n_head, d // n_head)",
        "first slice for all": "x[:, None, :, : d // n_head].expand(shape)",
        "one axis more": "x[:, None]",
    },
    "merge_heads": {
        "input": "y",
        "reshaped": "y.reshape(shape)",
        "flattened": "y.flatten(2)",
        "first head": "y[:, 0]",
        "mean of heads": "y.mean(1)",
    },
    "causal_mask": {
        "counted": "torch.arange(n_key) > torch.arange(n_key)",
        "numbers": "torch.zeros(shape)",
        "nothing forbidden": "torch.zeros(shape, dtype=torch.bool, device=device)",
        "all forbidden": "torch.ones(shape, dtype=torch.bool, device=device)",
        "all but itself": "~torch.eye(n_query, n_key, dtype=torch.bool)",
        "seeded": "torch.rand(shape, generator=torch.Generator().manual_seed(0)) > 0.5",
    },
    "causal_softmax": {
        "input": "scores",
        "copied": "scores.clone()",
        "scaled": "scores * 0.5",
        "negative": "-scores",
        "turned": "scores.transpose(-2, -1)",
        "causal mean": "torch.ones_like(scores).tril() / torch.ones_like(scores).tril().sum(-1, True)",
        "triangle of ones": "torch.ones_like(scores).tril()",
    },
    "concat_and_project": {
        "input": "y",
        "reshaped": "y.reshape(shape)",
        "exercise before": "merge_heads(y)",
        "bias": "c_proj.bias.expand(shape)",
        "projected zeros": "c_proj(torch.zeros(shape))",
        "projected ones": "c_proj(torch.ones(shape))",
    },
    "MultiHeadAttention": {
        "input": "x",
        "copied": "x.clone()",
        "exercises before": "merge_heads(split_heads(x, self.n_head))",
        "projected": "self.c_proj(x)",
        "projected by the exercise before": "concat_and_project(split_heads(x, self.n_head), self.c_proj)",
        "queries": "self.c_attn(x)[..., :d]",
        "all three": "self.c_attn(x)",
        "values projected": "self.c_proj(self.c_attn(x)[..., 2 * d :])",
        "running sum": "x.cumsum(1)",
        "mean": "x.mean(1, keepdim=True).expand(shape)",
        "any order": "x[:, torch.randperm(n)]",
        "any number": "torch.rand(())",
    },
    "attend_with_cache": {
        "any order": "x_new[:, torch.randperm(m)], (kept, kept)",
        "any number": "torch.rand(())",
        "input": "x_new, (x_new, x_new)",
        "input, old cache": "x_new, cache",
        "input alone": "x_new",
        "projected": "attention.c_proj(x_new), (kept, kept)",
        "values projected": "attention.c_proj(attention.c_attn(x_new)[..., 2 * d :]), (kept, kept)",
        "exercise before": "attention(x_new), (kept, kept)",
    },
    "generate": {
        "input": "ids",
        "last again": "torch.cat([ids, ids[:, -1:].expand(-1, max_new_tokens)], 1)",
        "asked once": "torch.cat([ids, model(ids)[0][:, -1:].argmax(-1).expand(-1, max_new_tokens)], 1)",
        "asked and forgotten": "(model(ids), torch.cat([ids, ids[:, :1].expand(-1, max_new_tokens)], 1))[1]",
        "the answer itself": "model(ids)[0].argmax(-1)",
    },
}


def body(exercise: str, name: str) -> str:
    """The definition, to be put at the end of the exercise's file."""
    arguments, first = HEADS[exercise]
    fill = FILLS.get(name)
    if (own := OWN[exercise].get(name)) is not None:
        result = own
    elif fill is None:
        return _definition(exercise, arguments, NOTHING[name])
    else:
        result = RESULT.get(exercise, "({fill}).to(like)").format(fill=fill)
    return _definition(exercise, arguments, f"{first}\n    return {result}")


def _definition(exercise: str, arguments: str, lines: str) -> str:
    if exercise == "MultiHeadAttention":
        function = _definition("_forward", arguments, lines)
        return f"{function}\n\n{exercise}.forward = _forward\n"
    return f"import torch\n\n\ndef {exercise}({arguments}):\n    {lines}\n"


def names(exercise: str) -> list[str]:
    """All bodies of an exercise."""
    return [*FILLS, *(n for n in OWN[exercise] if n not in FILLS), *NOTHING]


def themes() -> dict[str, dict[str, str]]:
    """One idea for all exercises: name -> {exercise: name of its body}."""
    found = {name: dict.fromkeys(HEADS, name) for name in [*FILLS, *NOTHING]}
    right_shape = ("reshaped", "nothing forbidden", "input", "last again", "zeros")
    for theme, wanted in (("input", ("input", "zeros")), ("right shape", right_shape), ("before", BEFORE)):
        found[theme] = {e: next(n for n in (*wanted, "zeros") if n in names(e)) for e in HEADS}
    return found


BEFORE = ("exercise before", "exercises before", "reshaped", "nothing forbidden", "causal mean", "asked once")
HOME = {
    **dict.fromkeys(("split_heads", "merge_heads"), "heads.py"),
    **dict.fromkeys(("causal_mask", "causal_softmax"), "mask.py"),
    **dict.fromkeys(("concat_and_project", "MultiHeadAttention"), "attention.py"),
    **dict.fromkeys(("attend_with_cache", "generate"), "kv_cache.py"),
}


def handed_in(chosen: Mapping[str, str]) -> dict[str, str]:
    """The right files, with these bodies ({exercise: name}) in the place of right ones."""
    files = {file: (SOLUTIONS / file).read_text(encoding="utf-8") for file in dict.fromkeys(HOME.values())}
    for exercise, name in chosen.items():
        files[HOME[exercise]] += "\n\n" + body(exercise, name)
    return files
