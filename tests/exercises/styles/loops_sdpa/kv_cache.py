import torch
import torch.nn.functional as F

from exercises.heads import merge_heads, split_heads
from exercises.mask import causal_mask


def attend_with_cache(attention, x_new, cache=None):
    q, k, v = [split_heads(t, attention.n_head) for t in attention.c_attn(x_new).chunk(3, dim=-1)]
    if cache:
        k, v = torch.cat((cache["k"], k), -2), torch.cat((cache["v"], v), -2)
    mask = ~causal_mask(q.shape[-2], k.shape[-2], q.device) if attention.causal else None
    y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return attention.c_proj(merge_heads(y)), {"k": k, "v": v}


def generate(model, ids, max_new_tokens, use_cache=True):
    if ids.shape[1] + max_new_tokens > model.n_positions:
        raise ValueError("does not fit")
    logits, cache = model(ids)
    for i in range(max_new_tokens):
        next_id = torch.argmax(torch.softmax(logits[:, -1, :], dim=-1), dim=-1, keepdim=True)
        ids = torch.cat([ids, next_id], dim=-1)
        if i + 1 == max_new_tokens:
            break
        logits, cache = model(next_id, cache=cache, start=ids.shape[1] - 1) if use_cache else model(ids)
    return ids
