"""Whose attention the lab runs on: the solutions', transformers' own, or the student's."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).resolve().parent.parent
WITH_SOLUTIONS = (ROOT / "solutions" / "attention.py").exists()
CHOICES = ("auto", *(("solutions",) if WITH_SOLUTIONS else ()), "transformers", "exercises")  # what is there
FILES = {
    "split_heads": "heads", "merge_heads": "heads", "causal_mask": "mask", "causal_softmax": "mask",
    "concat_and_project": "attention", "MultiHeadAttention": "attention",
    "attend_with_cache": "kv_cache", "generate": "kv_cache",
}  # fmt: skip


@dataclass(frozen=True)
class Source:
    """The symbols that the lab runs on. None where there is none; `missing` says why, by symbol."""

    name: str  # "solutions", "transformers" or "exercises"
    attention: Callable[..., Any] | None = None
    attend_with_cache: Callable[..., Any] | None = None
    generate: Callable[..., Any] | None = None
    causal_mask: Callable[..., Any] | None = None
    missing: dict[str, str] = field(default_factory=dict)  # symbol -> "" (not written) or what went wrong


def load_source(choice: str = "auto") -> Source:
    """auto: the solutions where they are at hand, else transformers. Raises ModuleNotFoundError."""
    if choice == "auto":
        choice = "solutions" if WITH_SOLUTIONS else "transformers"
    if choice == "transformers":
        from lab.transformers_attention import MultiHeadAttention, attend_with_cache

        return Source("transformers", MultiHeadAttention, attend_with_cache)
    return _load_package(choice)


def _load_package(package: str) -> Source:
    folder = ROOT / package
    if not folder.is_dir():
        raise ModuleNotFoundError(f"there is no folder {package}/ beside lab/")
    if str(folder) not in sys.path:
        sys.path.append(str(folder))  # so that `from heads import split_heads` works as well
    symbols: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for symbol, file in FILES.items():
        try:
            symbols[symbol] = getattr(importlib.import_module(f"{package}.{file}"), symbol)
            _TRIALS[symbol](symbols[symbol])
        except NotImplementedError:
            missing[symbol] = ""
        except Exception as e:  # a student's file can raise anything at all, on import as well
            missing[symbol] = describe(e)
    return Source(
        package,
        symbols.get("MultiHeadAttention"),
        symbols.get("attend_with_cache"),
        symbols.get("generate"),
        symbols.get("causal_mask"),
        missing,
    )


def describe(error: BaseException) -> str:
    """`ValueError: … (attention.py, line 12)`, with the last line that is not inside a library."""
    if isinstance(error, SyntaxError):
        return (
            f"{type(error).__name__}: {error.msg} ({Path(error.filename or '?').name}, line {error.lineno})"
        )
    where = ""
    for frame in traceback.extract_tb(error.__traceback__):
        path = Path(frame.filename)
        if ROOT in path.parents and path.parent.name != "lab" and "site-packages" not in path.parts:
            where = f" ({path.name}, line {frame.lineno})"
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:160]}{where}" if text else f"{type(error).__name__}{where}"


class _Counting(torch.nn.Module):
    """The smallest model that `generate` can drive: the next token is always the last one plus 1."""

    n_positions = 8

    def forward(self, ids: torch.Tensor, cache: Any = None, start: int = 0) -> tuple[torch.Tensor, Any]:
        return torch.nn.functional.one_hot((ids + 1) % 5, 5).float(), [(ids[:, None, :, None].float(),) * 2]


def _module(attention: Any) -> Any:
    """A tiny one, d_model = 6, two heads."""
    torch.manual_seed(0)
    return attention(6, 2, True)


def _holder() -> Any:
    """What attend_with_cache needs of an attention: the given layers, and nothing that a student wrote."""
    holder = torch.nn.Module()
    holder.c_attn, holder.c_proj = torch.nn.Linear(6, 18), torch.nn.Linear(6, 6)
    holder.n_head, holder.d_k, holder.causal = 2, 3, True  # type: ignore[assignment]
    return holder


_TRIALS: dict[str, Callable[[Any], Any]] = {
    "split_heads": lambda f: f(torch.zeros(1, 4, 6), 2),
    "merge_heads": lambda f: f(torch.zeros(1, 2, 4, 3)),
    "causal_mask": lambda f: f(4),
    "causal_softmax": lambda f: f(torch.zeros(1, 2, 4, 4)),
    "concat_and_project": lambda f: f(torch.zeros(1, 2, 4, 3), torch.nn.Linear(6, 6)),
    "MultiHeadAttention": lambda f: _module(f)(torch.zeros(1, 4, 6)),
    "attend_with_cache": lambda f: f(_holder(), torch.zeros(1, 4, 6), None),
    "generate": lambda f: f(_Counting(), torch.zeros(1, 2, dtype=torch.int64), 2),
}
