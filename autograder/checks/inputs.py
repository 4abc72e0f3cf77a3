"""Secret inputs: they grow from the course's seed and the test's id, so each test has its own, every time
the same."""

from __future__ import annotations

import hashlib

import torch
from torch import Tensor, nn


class SeededInputs:
    """A source of inputs for one test. Same seed and id, same numbers, on every machine with this torch."""

    def __init__(self, seed: str, test_id: str) -> None:
        digest = hashlib.sha256(f"{seed}\0{test_id}".encode()).digest()
        self._generator = torch.Generator().manual_seed(int.from_bytes(digest[:7], "big"))

    def normal(self, *shape: int, std: float = 1.0, dtype: torch.dtype = torch.float32) -> Tensor:
        """Normal numbers of this shape, drawn in float64 and rounded to `dtype`."""
        drawn = torch.randn(*shape, generator=self._generator, dtype=torch.float64)
        return (drawn * std).to(dtype)

    def coded(self, B: int, n: int, d: int) -> Tensor:
        """(B, n, d), every number different and exact in bfloat16's range of small integers scaled: a
        label."""
        order = torch.randperm(B * n * d, generator=self._generator)
        return order.reshape(B, n, d).to(torch.float32)  # (B * n * d) -> (B, n, d)

    def ids(self, B: int, n: int, vocab: int) -> Tensor:
        """Ids (B, n) from 0 to vocab - 1, int64."""
        return torch.randint(vocab, (B, n), generator=self._generator)

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high - 1."""
        return int(torch.randint(low, high, (1,), generator=self._generator))

    def linear(self, d_in: int, d_out: int, *, std: float = 0.15, bias: float = 0.1) -> nn.Linear:
        """A layer whose weights and bias are large enough that leaving them out shows."""
        linear = nn.Linear(d_in, d_out)
        with torch.no_grad():
            linear.weight.copy_(self.normal(d_out, d_in, std=std))
            linear.bias.copy_(self.normal(d_out, std=bias))
        return linear
