"""The model that a submission's `generate` is handed: an nn.Module like a real one, whose calls somebody else
answers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor, nn

Ask = Callable[[Any, Any, int], Any]


@dataclass(frozen=True)
class ModelConfig:
    """The sizes of the model, under the names that Hugging Face's GPT-2 has for them."""

    n_positions: int

    @property
    def n_ctx(self) -> int:
        """An old name of n_positions."""
        return self.n_positions

    @property
    def max_position_embeddings(self) -> int:
        """What other models call n_positions."""
        return self.n_positions


class HandedModel(nn.Module):
    """`logits, cache = model(ids, cache=None, start=0)`; `ask` gives the answers.

    Everything that a module has (eval(), to(), parameters(), training …) is there and does no harm. It has
    one parameter, without numbers, so that `next(model.parameters()).device` can be asked.
    """

    def __init__(self, ask: Ask, n_positions: int) -> None:
        super().__init__()
        self.n_positions = n_positions
        self.config = ModelConfig(n_positions)
        self.empty = nn.Parameter(torch.empty(0), requires_grad=False)
        self._ask = ask
        self.eval()

    @property
    def n_ctx(self) -> int:
        """An old name of n_positions."""
        return self.n_positions

    @property
    def device(self) -> torch.device:
        """Where its inputs must be."""
        return torch.device("cpu")

    @property
    def dtype(self) -> torch.dtype:
        """Of its logits."""
        return torch.float32

    def forward(self, ids: Any, cache: Any = None, start: Any = 0) -> Any:
        """ids (B, m) -> (logits (B, m, vocab), cache). Raises TypeError where start is no whole number."""
        return self._ask(_tensor(ids), cache, whole(start))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # a copy would be answered by the same judge


def whole(start: Any) -> int:
    """Any kind of whole number (int, numpy's, a tensor or array of one) as an int. Raises TypeError."""
    kind = type(start).__name__
    if isinstance(start, Tensor) or (kind == "ndarray" and hasattr(start, "item")):
        size = start.numel() if isinstance(start, Tensor) else start.size
        if size != 1:
            raise TypeError(f"start must be one whole number, not {size} in a {kind}")
        start = start.item()
        kind = f"{kind} of {type(start).__name__}"
    if isinstance(start, bool):
        raise TypeError("start must be a whole number, not a bool")
    try:
        return operator.index(start)
    except TypeError:
        raise TypeError(f"start must be a whole number, not a {kind}") from None


def _tensor(ids: Any) -> Any:
    """An array or a list of lists of whole numbers as a tensor; a tensor, and what is neither, as it is."""
    if isinstance(ids, list | tuple) or type(ids).__name__ == "ndarray":
        try:
            # A copy of an array, because torch takes none that runs backwards.
            found = torch.tensor(ids if isinstance(ids, list | tuple) else ids.copy())
        except (TypeError, ValueError, RuntimeError):  # of unequal length, or no numbers
            return ids
        return ids if found.is_floating_point() else found
    return ids
