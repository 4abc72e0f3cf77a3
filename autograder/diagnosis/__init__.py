"""Known mistakes: their catalogue, and which of them a submission shows.

`diagnose` and `Diagnosis` are imported when they are asked for: `mistakes.texts` needs no torch.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograder.diagnosis.diagnosis import Diagnosis, diagnose

__all__ = ["Diagnosis", "diagnose"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("autograder.diagnosis.diagnosis"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
