"""Implementations for the comparison of self-check and hidden tests: strange but right ones, and no idea."""

# ruff: noqa: E501
from __future__ import annotations

HEADS = "heads.py"
MASK = "mask.py"
ATTENTION = "attention.py"
CACHE = "kv_cache.py"

_SPLIT = "def split_heads(x, n_head):\n    B, n, d = x.shape\n"
_REFUSE = "    if d % n_head:\n        raise ValueError('uneven')\n"
_MERGE = "def merge_heads(y):\n    B, h, n, k = y.shape\n"
_MASK = (
    "def causal_mask(n_query, n_key=None, device=None):\n    n_key = n_query if n_key is None else n_key\n"
)
_SOFTMAX = "_mask = causal_mask\ndef causal_softmax(scores, causal=True):\n"
_CONCAT = "def concat_and_project(y, c_proj):\n    B, h, n, k = y.shape\n"
_MODULE = """
class MultiHeadAttention(MultiHeadAttention):
    def forward(self, x):
        q, k, v = (split_heads(t, self.n_head) for t in self.c_attn(x).chunk(3, -1))
        weights = causal_softmax(q @ k.mT / math.sqrt(self.d_k), self.causal)
        y = concat_and_project(weights @ v, self.c_proj)
"""
_RIGHT_CACHE = "_right = attend_with_cache\ndef attend_with_cache(attention, x_new, cache=None):\n"
_RIGHT_GENERATE = "_right = generate\ndef generate(model, ids, max_new_tokens, use_cache=True):\n"
_START = """def generate(model, ids, max_new_tokens, use_cache=True):
    if ids.shape[1] + max_new_tokens > model.n_positions:
        raise ValueError('long')
    ids, cache, start = ids.clone(), None, 0
    for _ in range(max_new_tokens):
        logits, new = model(ids[:, start:], cache=cache, start=START)
        ids = torch.cat([ids, logits[:, -1].argmax(-1, keepdim=True)], 1)
        if use_cache:
            cache, start = new, ids.shape[1] - 1
    return ids
"""
_SUB = "import torch\nclass Mine(torch.Tensor):\n    pass\n"

# name -> (exercise, file, code put at the end of the solution's file): all are worth full marks
RIGHT = {
    "not_contiguous": ("split_heads", HEADS, _SPLIT + _REFUSE + "    return x.reshape(B, n, n_head, -1).movedim(2, 1)\n"),
    "a_view_of_the_input": ("split_heads", HEADS, _SPLIT + _REFUSE + "    return x.as_strided((B, n_head, n, d // n_head), (x.stride(0), d // n_head * x.stride(2), x.stride(1), x.stride(2)), x.storage_offset())\n"),
    "refused_by_view": ("split_heads", HEADS, _SPLIT + "    return x.reshape(B, n, n_head, d // n_head).transpose(1, 2)\n"),
    "refused_by_assert": ("split_heads", HEADS, _SPLIT + "    assert d % n_head == 0\n    return torch.stack(x.split(d // n_head, dim=2), dim=1)\nimport torch\n"),
    "by_index": ("split_heads", HEADS, _SPLIT + _REFUSE + "    return x[:, :, torch.arange(d).reshape(n_head, -1)].transpose(1, 2)\nimport torch\n"),
    "a_subclass": ("split_heads", HEADS, _SUB + _SPLIT + _REFUSE + "    return x.unflatten(2, (n_head, -1)).transpose(1, 2).as_subclass(Mine)\n"),
    "by_hand": ("split_heads", HEADS, _SPLIT + _REFUSE + "    out = x.new_empty(B, n_head, n, d // n_head)\n    for h in range(n_head):\n        out[:, h] = x[:, :, h * (d // n_head) : (h + 1) * (d // n_head)]\n    return out\n"),
    "merge_cat": ("merge_heads", HEADS, _MERGE + "    import torch\n    return torch.cat([y[:, i] for i in range(h)], dim=-1)\n"),
    "merge_einsum": ("merge_heads", HEADS, _MERGE + "    import torch\n    return torch.einsum('bhnk->bnhk', y).reshape(B, n, h * k)\n"),
    "merge_swapaxes": ("merge_heads", HEADS, _MERGE + "    return y.swapaxes(1, 2).flatten(2)\n"),
    "merge_unbind": ("merge_heads", HEADS, _MERGE + "    import torch\n    return torch.hstack([*y.mT.unbind(1)]).mT\n"),
    "mask_by_comparison": ("causal_mask", MASK, _MASK + "    return torch.arange(n_key, device=device) > torch.arange(n_key - n_query, n_key, device=device)[:, None]\n"),
    "mask_not_tril": ("causal_mask", MASK, _MASK + "    return ~torch.ones(n_query, n_key, device=device).tril(n_key - n_query).bool()\n"),
    "mask_from_infinities": ("causal_mask", MASK, _MASK + "    return torch.full((n_query, n_key), float('-inf'), device=device).triu(n_key - n_query + 1).isinf()\n"),
    "mask_by_numpy": ("causal_mask", MASK, "import numpy as np\n" + _MASK + "    return torch.from_numpy(np.triu(np.ones((n_query, n_key), dtype=bool), n_key - n_query + 1)).to(device)\n"),
    "mask_by_loops": ("causal_mask", MASK, _MASK + "    return torch.tensor([[j > i + n_key - n_query for j in range(n_key)] for i in range(n_query)], device=device)\n"),
    "mask_parameter": ("causal_mask", MASK, _MASK + "    return torch.nn.Parameter(torch.ones(n_query, n_key, device=device).triu(n_key - n_query + 1) > 0, requires_grad=False)\n"),
    "mask_turned": ("causal_mask", MASK, _MASK + "    return torch.ones(n_key, n_query, dtype=torch.bool, device=device).tril(n_query - n_key - 1).T\n"),
    "softmax_where": ("causal_softmax", MASK, _SOFTMAX + "    if causal:\n        scores = torch.where(_mask(*scores.shape[-2:], device=scores.device), -torch.inf, scores)\n    return scores.softmax(-1)\n"),
    "softmax_added": ("causal_softmax", MASK, _SOFTMAX + "    if causal:\n        scores = scores + torch.zeros_like(scores).masked_fill(_mask(*scores.shape[-2:], device=scores.device), -torch.inf)\n    return torch.softmax(scores, dim=-1)\n"),
    "softmax_in_place_on_a_copy": ("causal_softmax", MASK, _SOFTMAX + "    scores = scores.clone()\n    if causal:\n        scores.masked_fill_(_mask(*scores.shape[-2:], device=scores.device), -torch.inf)\n    return torch.nn.functional.softmax(scores, -1)\n"),
    "softmax_of_logs": ("causal_softmax", MASK, _SOFTMAX + "    if causal:\n        scores = scores.masked_fill(_mask(*scores.shape[-2:], device=scores.device), -torch.inf)\n    return scores.log_softmax(-1).exp()\n"),
    "softmax_numerically_by_hand": ("causal_softmax", MASK, _SOFTMAX + "    if causal:\n        scores = scores.masked_fill(_mask(*scores.shape[-2:], device=scores.device), -torch.inf)\n    e = (scores - scores.amax(-1, keepdim=True)).exp()\n    return e / e.sum(-1, keepdim=True)\n"),
    "concat_weight_by_hand": ("concat_and_project", ATTENTION, _CONCAT + "    return y.transpose(1, 2).reshape(B, n, h * k) @ c_proj.weight.mT + c_proj.bias\n"),
    "concat_functional": ("concat_and_project", ATTENTION, _CONCAT + "    return nn.functional.linear(y.transpose(1, 2).flatten(2), c_proj.weight, c_proj.bias)\n"),
    "concat_method": ("concat_and_project", ATTENTION, _CONCAT + "    return c_proj.forward(merge_heads(y)).clone()\n"),
    "module_not_contiguous": ("MultiHeadAttention", ATTENTION, _MODULE + "        return y.transpose(0, 1).contiguous().transpose(0, 1)\n"),
    "module_prints": ("MultiHeadAttention", ATTENTION, _MODULE + "        print(tuple(x.shape))\n        return y\n"),
    "module_keeps_its_weights_to_look_at": ("MultiHeadAttention", ATTENTION, _MODULE + "        self.weights = weights.detach()\n        return y\n"),
    "cache_one_tensor": ("attend_with_cache", CACHE, _RIGHT_CACHE + "    out, (k, v) = _right(attention, x_new, None if cache is None else cache.unbind(0))\n    return out, torch.stack([k, v])\n"),
    "cache_dict": ("attend_with_cache", CACHE, _RIGHT_CACHE + "    out, (k, v) = _right(attention, x_new, None if cache is None else (cache['k'], cache['v']))\n    return out, {'k': k, 'v': v}\n"),
    "cache_list_pair": ("attend_with_cache", CACHE, _RIGHT_CACHE + "    out, kv = _right(attention, x_new, cache)\n    return [out, list(kv)]\n"),
    "cache_with_length": ("attend_with_cache", CACHE, _RIGHT_CACHE + "    out, kv = _right(attention, x_new, None if cache is None else cache[:2])\n    return out, (*kv, kv[0].shape[2])\n"),
    "cache_by_numpy": ("attend_with_cache", CACHE, _RIGHT_CACHE + "    kv = None if cache is None else tuple(torch.from_numpy(c).to(x_new.dtype) for c in cache)\n    out, kv = _right(attention, x_new, kv)\n    return out, tuple(c.detach().double().numpy() for c in kv)\n"),
    "cache_tokens_in_lists": ("attend_with_cache", CACHE, _RIGHT_CACHE + "    kv = None if cache is None else tuple(torch.stack(c, dim=2) for c in cache)\n    out, kv = _right(attention, x_new, kv)\n    return out, tuple(c.unbind(2) for c in kv)\n"),
    "cache_object": ("attend_with_cache", CACHE, "class Past:\n    pass\n" + _RIGHT_CACHE + "    out, kv = _right(attention, x_new, None if cache is None else cache.kv)\n    past = Past()\n    past.kv = kv\n    return out, past\n"),
    "start_tensor": ("generate", CACHE, _START.replace("START", "torch.tensor(start)")),
    "start_tensor_of_one": ("generate", CACHE, _START.replace("START", "torch.tensor([start])")),
    "start_numpy": ("generate", CACHE, "import numpy as np\n" + _START.replace("START", "np.int64(start)")),
    "start_arange": ("generate", CACHE, _START.replace("START", "torch.arange(start, start + 1)[0]")),
    "generate_eval": ("generate", CACHE, _RIGHT_GENERATE + "    model.eval()\n    assert not model.training\n    return _right(model, ids, max_new_tokens, use_cache)\n"),
    "generate_asks_the_config": ("generate", CACHE, _RIGHT_GENERATE + "    if ids.shape[1] + max_new_tokens > model.config.n_positions:\n        raise ValueError('long')\n    model.to(ids.device)\n    next(model.parameters())\n    return _right(model, ids, max_new_tokens, use_cache)\n"),
    "generate_sentence_by_sentence": ("generate", CACHE, _RIGHT_GENERATE + "    return torch.cat([_right(model, row[None], max_new_tokens, use_cache) for row in ids])\n"),
    "generate_int32": ("generate", CACHE, _START.replace("START", "start").replace("ids[:, start:]", "ids[:, start:].int()")),
    "generate_forward": ("generate", CACHE, _START.replace("START", "start").replace("= model(", "= model.forward(")),
}  # fmt: skip

# exercise -> (file, head of its function)
_HEADS_OF = {
    "split_heads": (HEADS, "def split_heads(x, n_head):\n"),
    "merge_heads": (HEADS, "def merge_heads(y):\n"),
    "causal_mask": (MASK, "def causal_mask(n_query, n_key=None, device=None):\n"),
    "causal_softmax": (MASK, "def causal_softmax(scores, causal=True):\n"),
    "concat_and_project": (ATTENTION, "def concat_and_project(y, c_proj):\n"),
    "MultiHeadAttention": (
        ATTENTION,
        "class MultiHeadAttention(MultiHeadAttention):\n    def forward(self, x):\n",
    ),
    "attend_with_cache": (CACHE, "def attend_with_cache(attention, x_new, cache=None):\n"),
    "generate": (CACHE, "def generate(model, ids, max_new_tokens, use_cache=True):\n"),
}
_FIRST = {
    "split_heads": "x", "merge_heads": "y", "causal_mask": "torch.ones(n_query, n_key or n_query)",
    "causal_softmax": "scores", "concat_and_project": "y", "MultiHeadAttention": "x",
    "attend_with_cache": "x_new", "generate": "ids",
}  # fmt: skip
_SHAPED = {
    "split_heads": "x.reshape(x.shape[0], n_head, x.shape[1], -1)",
    "merge_heads": "y.reshape(y.shape[0], y.shape[2], -1)",
    "causal_mask": "torch.ones(n_query, n_key or n_query) > 0",
    "concat_and_project": "y.reshape(y.shape[0], y.shape[2], -1)",
    "generate": "torch.cat([ids, ids[:, :1].expand(-1, max_new_tokens)], 1)",
}
_BODIES = {
    "pass": "pass", "dots": "...", "none": "return None", "no_return": "y = 1", "stub": "raise NotImplementedError",
    "input": "return FIRST", "zeros": "return torch.zeros_like(SHAPED)", "ones": "return torch.ones_like(SHAPED)",
    "numbers": "return 3", "text": "return 'done'", "list": "return [FIRST]", "raises": "raise ValueError",
    "random": "return torch.rand(SHAPED.shape)", "shaped": "return SHAPED", "negative": "return -SHAPED",
    "tuple": "return SHAPED, None", "array": "return SHAPED.numpy(force=True)",
}  # fmt: skip


def no_idea() -> dict[str, tuple[str, str, str]]:
    """name -> (exercise, file, code): none of it is worth full marks."""
    found = {}
    for exercise, (file, head) in _HEADS_OF.items():
        first = _FIRST[exercise]
        shaped = _SHAPED.get(exercise, first)
        indent = "        " if exercise == "MultiHeadAttention" else "    "
        for name, body in _BODIES.items():
            body = body.replace("FIRST", first).replace("SHAPED", f"({shaped})")
            if (
                exercise == "attend_with_cache"
                and body.startswith("return")
                and name not in ("none", "tuple")
            ):
                body += ", cache"
            found[f"{exercise}:{name}"] = (exercise, file, f"import torch\n{head}{indent}{body}\n")
    return found


WRONG = {
    "split_in_place": ("split_heads", HEADS, _SPLIT + _REFUSE + "    x.mul_(1.5)\n    return (x / 1.5).unflatten(2, (n_head, -1)).transpose(1, 2)\n"),
    "split_float64": ("split_heads", HEADS, _SPLIT + _REFUSE + "    return x.double().unflatten(2, (n_head, -1)).transpose(1, 2)\n"),
    "mask_int": ("causal_mask", MASK, _MASK + "    return torch.ones(n_query, n_key, device=device).triu(n_key - n_query + 1).int()\n"),
    "mask_list": ("causal_mask", MASK, _MASK + "    return [[j > i + n_key - n_query for j in range(n_key)] for i in range(n_query)]\n"),
    "softmax_in_place": ("causal_softmax", MASK, _SOFTMAX + "    if causal:\n        scores.masked_fill_(_mask(*scores.shape[-2:]), -torch.inf)\n    return scores.softmax(-1)\n"),
    "softmax_float64": ("causal_softmax", MASK, "_r = causal_softmax\ndef causal_softmax(scores, causal=True):\n    return _r(scores, causal).double()\n"),
    "concat_detached": ("concat_and_project", ATTENTION, "_r = concat_and_project\ndef concat_and_project(y, c_proj):\n    return _r(y, c_proj).detach()\n"),
    "module_in_place": ("MultiHeadAttention", ATTENTION, _MODULE + "        x.zero_()\n        return y\n"),
    "module_half": ("MultiHeadAttention", ATTENTION, _MODULE + "        return y.bfloat16()\n"),
    "module_tuple": ("MultiHeadAttention", ATTENTION, _MODULE + "        return y, weights\n"),
    "cache_no_pair": ("attend_with_cache", CACHE, _RIGHT_CACHE + "    return _right(attention, x_new, cache)[0]\n"),
    "cache_flat": ("attend_with_cache", CACHE, _RIGHT_CACHE + "    out, kv = _right(attention, x_new, cache)\n    return out, *kv\n"),
    "cache_other_order": ("attend_with_cache", CACHE, _RIGHT_CACHE + "    return _right(attention, x_new, cache)[::-1]\n"),
    "cache_global": ("attend_with_cache", CACHE, "_kept = {}\n" + _RIGHT_CACHE + "    out, _kept['kv'] = _right(attention, x_new, None if cache is None else _kept['kv'])\n    return out, True\n"),
    "cache_per_batch_size": ("attend_with_cache", CACHE, "_kept = {}\n" + _RIGHT_CACHE + "    B = len(x_new)\n    out, _kept[B] = _right(attention, x_new, None if cache is None else _kept[B])\n    return out, B\n"),
    "cache_begins_anew_by_itself": ("attend_with_cache", CACHE, "_seen = []\n" + _RIGHT_CACHE + "    if cache is None:\n        _seen.clear()\n    _seen.append(x_new)\n    whole = torch.cat([t for t in _seen if len(t) == len(x_new)], 1)\n    return _right(attention, whole, None)[0][:, -x_new.shape[1] :], len(_seen)\n"),
    "generate_list": ("generate", CACHE, _RIGHT_GENERATE + "    return _right(model, ids, max_new_tokens, use_cache).tolist()\n"),
    "generate_floats": ("generate", CACHE, _RIGHT_GENERATE + "    return _right(model, ids, max_new_tokens, use_cache).float()\n"),
    "generate_int32_result": ("generate", CACHE, _RIGHT_GENERATE + "    return _right(model, ids, max_new_tokens, use_cache).int()\n"),
}  # fmt: skip

# Wrong too, but no hidden test with points sees it.
ONLY_PUBLIC = {
    "cache_on_the_module_if_of_one_shape": ("attend_with_cache", CACHE, _RIGHT_CACHE + "    past = None if cache is None else getattr(attention, 'past', cache)\n    if past is not None and past[0].shape != cache[0].shape:\n        past = cache\n    out, attention.past = _right(attention, x_new, past)\n    return out, attention.past\n"),
    "crops_silently": ("generate", CACHE, _RIGHT_GENERATE + "    return _right(model, ids, min(max_new_tokens, model.n_positions - ids.shape[1]), use_cache)\n"),
    "crops_the_window": ("generate", CACHE, _START.replace("    if ids.shape[1] + max_new_tokens > model.n_positions:\n        raise ValueError('long')\n", "").replace("ids[:, start:]", "ids[:, start:][:, -model.n_positions:]").replace("START", "min(start, model.n_positions - 1)")),
    "refused_by_the_model": ("generate", CACHE, _START.replace("    if ids.shape[1] + max_new_tokens > model.n_positions:\n        raise ValueError('long')\n", "").replace("START", "start")),
    "refused_only_with_the_cache": ("generate", CACHE, _START.replace("    if ids", "    if use_cache and ids").replace("START", "start")),
    "does_not_refuse_uneven": ("split_heads", HEADS, _SPLIT + "    k = d // n_head\n    return x[..., : k * n_head].reshape(B, n, n_head, k).transpose(1, 2)\n"),
}  # fmt: skip
