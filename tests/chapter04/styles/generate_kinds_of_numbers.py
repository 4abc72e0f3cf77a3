# Positions as tensors and numpy's numbers, ids of another dtype, as an array, as lists; what a module has is used.
# ruff: noqa
# in kv_cache.py
import numpy as np


class Position:
    def __init__(self, at):
        self.at = at

    def __index__(self):
        return self.at


def generate(model, ids, max_new_tokens, use_cache=True):
    model.eval()
    model = model.to(next(model.parameters()).device, model.dtype)
    assert model.device == ids.device and not model.training
    assert model.config.n_positions == model.config.n_ctx == model.n_ctx == model.n_positions
    if ids.shape[1] + max_new_tokens > model.n_positions:
        raise ValueError("too long")
    kinds = [
        torch.tensor,
        np.int64,
        lambda i: torch.tensor([i]),
        Position,
        lambda i: torch.tensor([[i]], dtype=torch.int32),
        np.array,
        lambda i: np.array([i], dtype=np.uint8),
        lambda i: torch.tensor(i, dtype=torch.int16),
    ]
    feeds = [
        lambda t: t.to(torch.int32),
        lambda t: t.numpy(),
        lambda t: t.tolist(),
        lambda t: t.to(torch.uint8),
    ]
    cache, start = [], 0
    for i in range(max_new_tokens):
        logits, new = model.forward(feeds[i % 4](ids[:, start:]), start=kinds[i % 8](start), cache=cache)
        if use_cache:
            cache, start = new, ids.shape[1]
        ids = torch.cat([ids, logits[:, -1:].argmax(-1)], 1)
    model.train(False)
    return ids
