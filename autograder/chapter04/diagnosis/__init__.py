"""What is asked of a student's code, exercise by exercise, to tell which mistake it shows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from autograder.chapter04.diagnosis import cached, generating, heads, mask, module
from autograder.diagnosis.probe import CORE, Probe

__all__ = ["CORE", "Probe", "probes"]

_PROBES: dict[str, Callable[[str], list[Probe]]] = {
    "split_heads": heads.split,
    "merge_heads": heads.merge,
    "causal_mask": mask.causal_mask,
    "causal_softmax": mask.causal_softmax,
    "concat_and_project": module.concat,
    "MultiHeadAttention": module.whole,
    "attend_with_cache": cached.attend,
    "generate": generating.generate,
}


@cache
def probes(exercise: str, seed: str) -> tuple[Probe, ...]:
    """The probes of an exercise; their inputs grow from the course's seed. None for one that has no code of
    its own."""
    make = _PROBES.get(exercise)
    return tuple(make(seed)) if make else ()
