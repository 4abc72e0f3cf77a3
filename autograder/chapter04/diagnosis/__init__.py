"""How this chapter's mistakes are told apart: see autograder/diagnosis/chapter.py."""

from __future__ import annotations

from collections.abc import Callable

from autograder.chapter04.diagnosis import cached, generating, heads, mask, module
from autograder.chapter04.diagnosis.calls import CALLS
from autograder.chapter04.diagnosis.certain import certain
from autograder.chapter04.diagnosis.examples import examples
from autograder.chapter04.diagnosis.pictures import picture
from autograder.diagnosis.probe import Probe

__all__ = ["BESIDE", "CALLS", "FREE", "LATE", "PARTS", "certain", "examples", "picture", "probes"]

PARTS = {"gpt2": ("MultiHeadAttention", "attend_with_cache")}
FREE = frozenset({"huge", "device", "half", "form", "open", "fork"})
BESIDE = frozenset({"input"})  # working in place changes no name
LATE = frozenset({"cost", "device"})

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


def probes(exercise: str, seed: str) -> tuple[Probe, ...]:
    """The probes of an exercise; their inputs grow from the course's seed."""
    make = _PROBES.get(exercise)
    return tuple(make(seed)) if make else ()
