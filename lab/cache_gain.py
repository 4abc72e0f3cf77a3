"""Section 5: what the KV cache gains. The same tokens, far fewer rows."""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from lab.gpt2 import GPT2
from lab.setting import Setting, one_thread

SMALL = 20_000_000  # parameters; larger models take too long over a long prompt
PATIENCE = 8.0  # seconds after which no further pair is measured
POSITIONS = (16, 32, 64, 96, 128, 192, 256, 384, 500)


@dataclass(frozen=True)
class Call:
    """One call of the model: how many tokens it was given, and how long it took."""

    rows: int
    seconds: float


class Engine(Protocol):
    """A model that can decode with and without its cache."""

    n_positions: int

    def run(self, ids: Tensor, new_tokens: int, use_cache: bool) -> tuple[Tensor, list[Call]]: ...

    def cost(self, position: int) -> tuple[float, float]:
        """Seconds for the one token at `position`: everything again, and with the cache."""
        ...


class _Recorder(nn.Module):
    """Passes calls on to the model, and writes down how many tokens went in."""

    def __init__(self, model: GPT2) -> None:
        super().__init__()
        self.model, self.n_positions, self.config = model, model.n_positions, model.config
        self.calls: list[Call] = []

    def forward(self, ids: Tensor, cache: Any = None, start: int = 0) -> Any:
        begun = time.perf_counter()
        result = self.model(ids, cache=cache, start=start)
        self.calls.append(Call(ids.shape[1], time.perf_counter() - begun))
        return result


class KitEngine:
    """lab.gpt2 with someone's attend_with_cache, driven by someone's generate."""

    def __init__(self, model: GPT2, generate: Callable[..., Tensor]) -> None:
        self.model, self.generate, self.n_positions = model, generate, model.n_positions
        self.vocab_size = model.config.vocab_size

    def run(self, ids: Tensor, new_tokens: int, use_cache: bool) -> tuple[Tensor, list[Call]]:
        recorder = _Recorder(self.model).eval()
        return self.generate(recorder, ids, new_tokens, use_cache=use_cache), recorder.calls

    @torch.no_grad()
    def cost(self, position: int) -> tuple[float, float]:
        ids = _random_ids(self.vocab_size, position + 1)
        _, cache = self.model(ids[:, :position])
        again = _seconds(lambda: self.model(ids))
        return again, _seconds(lambda: self.model(ids[:, position:], cache=cache, start=position))


class TransformersEngine:
    """transformers' own GPT-2 and its own generate."""

    def __init__(self, setting: Setting) -> None:
        from transformers import GPT2LMHeadModel
        from transformers.utils import logging

        logging.disable_progress_bar()  # it would be drawn into the section
        self.model = GPT2LMHeadModel.from_pretrained(setting.folder, dtype=torch.float32).eval()
        self.n_positions, self.vocab_size = setting.model.n_positions, setting.model.config.vocab_size
        parameters = inspect.signature(GPT2LMHeadModel.forward).parameters
        self.keyword = "cache" if "cache" in parameters else "past_key_values"

    def run(self, ids: Tensor, new_tokens: int, use_cache: bool) -> tuple[Tensor, list[Call]]:
        calls: list[Call] = []
        begun = 0.0

        def before(_: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            nonlocal begun
            begun = time.perf_counter()

        def after(_: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
            calls.append(Call(kwargs["input_ids"].shape[1], time.perf_counter() - begun))

        hooks = [
            self.model.register_forward_pre_hook(before, with_kwargs=True),
            self.model.register_forward_hook(after, with_kwargs=True),
        ]
        try:
            out = self.model.generate(
                ids, attention_mask=torch.ones_like(ids), max_new_tokens=new_tokens, do_sample=False,
                use_cache=use_cache, eos_token_id=None, pad_token_id=0,
            )  # fmt: skip
        finally:
            for hook in hooks:
                hook.remove()
        return out, calls

    @torch.no_grad()
    def cost(self, position: int) -> tuple[float, float]:
        ids = _random_ids(self.vocab_size, position + 1)
        cache = getattr(self.model(ids[:, :position], use_cache=True), self.keyword)
        again = _seconds(lambda: self.model(ids, use_cache=False))
        return again, _seconds(lambda: self.model(ids[:, position:], **{self.keyword: cache}))


def engine_of(setting: Setting) -> Engine:
    """The source's own generate, or transformers' where the source has none."""
    if setting.source.name == "transformers":
        return TransformersEngine(setting)
    assert setting.source.generate is not None
    return KitEngine(setting.model, setting.source.generate)


def _random_ids(vocab_size: int, n: int) -> Tensor:
    return torch.randint(vocab_size, (1, n), generator=torch.Generator().manual_seed(n))


def _seconds(do: Callable[[], object]) -> float:
    begun = time.perf_counter()
    do()
    return time.perf_counter() - begun


def measure_pairs(engine: Engine, ids: Tensor, new_tokens: int, pairs: int = 3) -> dict[str, Any]:
    """Decodes without and with the cache, one right after the other, and takes the best of each.

    The minimum over interleaved pairs is what the machine can do when nobody else disturbs it.
    """
    runs: dict[bool, list[tuple[Tensor, list[Call], float]]] = {False: [], True: []}
    begun = time.perf_counter()
    with one_thread():
        for _ in range(pairs):
            for use_cache in (False, True):
                start = time.perf_counter()
                out, calls = engine.run(ids, new_tokens, use_cache)
                runs[use_cache].append((out, calls, time.perf_counter() - start))
            if time.perf_counter() - begun > PATIENCE:
                break
    plain, cached = runs[False], runs[True]
    n = ids.shape[1]
    wrong = (plain[0][0] != cached[0][0])[0].nonzero() if plain[0][0].shape == cached[0][0].shape else [[0]]
    seconds = {use: min(r[2] for r in runs[use]) for use in runs}
    return {
        "prompt": n,
        "new_tokens": new_tokens,
        "same_tokens": len(wrong) == 0,
        "first_difference": int(wrong[0][0]) if len(wrong) else None,
        "rows": {"without": sum(c.rows for c in plain[0][1]), "with": sum(c.rows for c in cached[0][1])},
        "seconds": {"without": seconds[False], "with": seconds[True]},
        "ratio": seconds[False] / seconds[True],
        "pairs": len(plain),
    }


def measure_costs(engine: Engine) -> list[dict[str, float]]:
    """Seconds for one more token, by position, and the scores that have to be computed for it."""
    points = []
    begun = time.perf_counter()
    with one_thread():
        engine.cost(POSITIONS[0])  # the first call of anything is slow
        for position in (p for p in POSITIONS if p < engine.n_positions):
            pairs: list[tuple[float, float]] = []
            here = time.perf_counter()
            # The best of many: on a busy machine most measurements are disturbed.
            while len(pairs) < 3 or (len(pairs) < 20 and time.perf_counter() - here < PATIENCE / 20):
                pairs.append(engine.cost(position))
            n = position + 1
            points.append(
                {
                    "position": position,
                    "without": min(p[0] for p in pairs),
                    "with": min(p[1] for p in pairs),
                    "scores_without": n * n,  # per head and layer: every query with every key
                    "scores_with": n,
                }
            )
            if time.perf_counter() - begun > PATIENCE:
                break
    return points


def growth(points: list[dict[str, float]], which: str) -> float:
    """The exponent k of cost ~ n^k over the last half of the positions, by least squares in logs."""
    late = points[len(points) // 2 - 1 :] if len(points) > 3 else points
    xs = [math.log(p["position"] + 1) for p in late]
    ys = [math.log(p[which]) for p in late]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - mx) ** 2 for x in xs)
    return sum((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)) / spread if spread else 0.0


def measure(setting: Setting, tokens: int = 50) -> dict[str, Any]:
    """The chapter's 50 tokens after its sentence, a long prompt where it fits, and the cost by position."""
    engine = engine_of(setting)
    room = engine.n_positions - setting.ids.shape[1]
    runs = [measure_pairs(engine, setting.ids, min(tokens, room))]
    if engine.n_positions >= 288 and setting.parameters < SMALL:
        runs.append(measure_pairs(engine, _random_ids(setting.model.config.vocab_size, 256), 32))
    points = measure_costs(engine)
    return {
        "asked": tokens,
        "runs": runs,
        "costs": points,
        "growth": {which: growth(points, which) for which in ("without", "with")},
        "engine": "transformers" if isinstance(engine, TransformersEngine) else "kit",
    }
