"""Ten honest students: right in different ways, wrong in different ways, half done, not begun."""

from __future__ import annotations

from tests.nbgrader.handed_in import ALL, Json, before, changed, code, filled, prose

OTHER_STYLE = {
    **ALL,
    "split_heads": (
        "def split_heads(x, n_head):\n"
        "    if x.shape[-1] % n_head:\n"
        "        raise ValueError('uneven')\n"
        "    return torch.stack(x.chunk(n_head, dim=-1), dim=1)"
    ),
    "merge_heads": "merge_heads = lambda y: torch.cat(y.unbind(dim=1), dim=-1)",
    "causal_mask": (
        "def causal_mask(n_query, n_key=None, device=None):\n"
        "    n_key = n_query if n_key is None else n_key\n"
        "    rows = torch.arange(n_key - n_query, n_key, device=device)\n"
        "    return torch.arange(n_key, device=device)[None, :] > rows[:, None]"
    ),
    "causal_softmax": (
        "def causal_softmax(scores, causal=True):\n"
        "    if causal:\n"
        "        blocked = causal_mask(*scores.shape[-2:], device=scores.device)\n"
        "        scores = torch.where(blocked, torch.finfo(scores.dtype).min, scores)\n"
        "    return F.softmax(scores, dim=-1)"
    ),
}

HALF = {s: ALL[s] for s in ("split_heads", "merge_heads", "causal_mask", "causal_softmax")}


def with_helpers() -> Json:
    """Helpers, imports and constants in cells of their own, magics and prose between."""
    answers = {
        **ALL,
        "causal_softmax": (
            "def causal_softmax(scores, causal=True):\n"
            "    if causal:\n"
            "        scores = np_free_fill(scores)\n"
            "    return fn.softmax(scores, dim=-1)"
        ),
        "concat_and_project": "%time\ndef concat_and_project(y, c_proj):\n    return c_proj(merge_heads(y))",
    }
    helpers = (
        "import torch.nn.functional as fn\n"
        "VERY_SMALL = -1e4 * 10\n"
        "def np_free_fill(scores):\n"
        "    return scores.masked_fill(causal_mask(*scores.shape[-2:], device=scores.device), VERY_SMALL)"
    )
    tried = (
        "x = torch.randn(2, 5, 8)\nprint(split_heads(x, 2).shape)\n"
        "!pip --version\n%timeit -n1 -r1 split_heads(x, 2)"
    )
    notebook = before(filled(answers), "causal_softmax", prose("Here I need help."), code(helpers))
    return before(notebook, "test-merge_heads", code(tried))


def students() -> dict[str, Json]:
    """Name -> notebook."""
    return {
        "ana": filled(ALL),
        "bruno": filled(OTHER_STYLE),
        "carla": filled(
            changed(
                "split_heads",
                ("x = x.reshape(B, n, n_head, d_k)", "return x.reshape(B, n_head, n, d_k)"),
            )
        ),
        "davi": filled(changed("MultiHeadAttention", ("scores / math.sqrt(self.d_k)", "scores"))),
        "elisa": filled(changed("merge_heads", ("y = y.transpose(1, 2)", "pass"))),
        "fabio": filled(changed("causal_mask", ("past + 1", "past"))),
        "gil": filled(
            changed(
                "attend_with_cache",
                (
                    "causal_softmax(scores / math.sqrt(attention.d_k), attention.causal)",
                    "causal_softmax(scores / math.sqrt(attention.d_k), attention.causal and cache is None)",
                ),
            )
        ),
        "helena": filled(HALF),
        "igor": filled({}),
        "julia": with_helpers(),
    }
