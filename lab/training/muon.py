"""The optimizer: Muon for the blocks' matrices, AdamW for everything else.

Muon (Jordan et al., 2024) takes the momentum of a matrix and makes it orthogonal before the step, so that
no direction is drowned by another. On two weak cores it needs far fewer steps than AdamW alone.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def orthogonalise(g: Tensor, steps: int = 5) -> Tensor:
    """The nearest (nearly) orthogonal matrices, by Newton-Schulz. g: (k, a, b) with a <= b -> (k, a, b)."""
    x: Tensor = g / (g.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        gram = x @ x.mT  # (k, a, b) @ (k, b, a) -> (k, a, a)
        x = 3.4445 * x + (-4.7750 * gram + 2.0315 * gram @ gram) @ x  # (k, a, a) @ (k, a, b) -> (k, a, b)
    return x


class Muon(torch.optim.Optimizer):
    """For weights of shape (in, out), as Hugging Face's GPT-2 keeps them."""

    def __init__(self, weights: list[nn.Parameter], lr: float, momentum: float = 0.95, decay: float = 0.01):
        super().__init__(weights, {"lr": lr, "momentum": momentum, "decay": decay})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            lr, momentum = group["lr"], group["momentum"]
            # Matrices of one shape go through Newton-Schulz together. c_attn is three matrices, not one.
            together: dict[tuple[int, int], list[tuple[Tensor, Tensor, bool]]] = {}
            for p in group["params"]:
                m = self.state[p].setdefault("momentum", torch.zeros_like(p))
                m.lerp_(p.grad, 1 - momentum)
                g = p.grad.lerp(m, momentum)
                p.mul_(1 - lr * group["decay"])
                n = 3 if p.shape[1] == 3 * p.shape[0] else 1
                for part, target in zip(g.chunk(n, dim=1), p.chunk(n, dim=1), strict=True):
                    tall = part.shape[0] > part.shape[1]
                    part = part.mT if tall else part
                    together.setdefault((part.shape[0], part.shape[1]), []).append((part, target, tall))
            for parts in together.values():
                updates = orthogonalise(torch.stack([part for part, _, _ in parts]))  # (k, a, b)
                for u, (_, target, tall) in zip(updates, parts, strict=True):
                    size = max(1.0, target.shape[1] / target.shape[0]) ** 0.5
                    target.add_(u.mT if tall else u, alpha=-lr * size)


def optimizers(model: nn.Module, muon_lr: float, adam_lr: float) -> list[torch.optim.Optimizer]:
    """Muon for the matrices inside the blocks, AdamW for embeddings, norms and biases."""
    matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and ".h." in name]
    rest = [p for name, p in model.named_parameters() if not (p.ndim == 2 and ".h." in name)]
    return [
        Muon(matrices, lr=muon_lr),
        torch.optim.AdamW(rest, lr=adam_lr, betas=(0.9, 0.95), weight_decay=0.0),
    ]
