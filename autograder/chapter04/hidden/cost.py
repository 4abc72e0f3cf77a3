"""What a new token costs with the submission's cache, in seconds of its own CPU clock, read from outside.

Everything is measured at GPT-2 small's width (d_model 768, one sentence, few heads), where the matmuls weigh
so much that neither slow loops nor the wire between the processes decide. There, a new token after 270 was
this many times as fast as the whole text anew, and this share of its growth was left (measured while seven
times as many programs wanted to run as there are cores):

    honest caches (tensors, lists of tokens, preallocated, a loop over heads)   7.6 to 17    0.00 to 0.05
    tokens kept instead of K and V, which are made anew in each step            2.0 to 2.4   0.29 to 0.33
    the whole text anew, also with PyTorch's faster attention                   0.9 to 1.3   0.57 to 1.6

What the reference took when a judge first measured it is good enough for whoever is far from the limit: a
busy moment makes such a figure up to twice as large, and the gaps above are wider. Everybody else is measured
side by side with the reference, again and again.

The judge alone knows which tokens come, every output is compared, and no token comes twice: there is nothing
to look up and nothing to leave out.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from pydantic import JsonValue
from torch import Tensor

from autograder.assignment import Assignment
from autograder.chapter04.hidden import expected
from autograder.chapter04.hidden.decode import Text
from autograder.chapter04.hidden.lengths import LEAST, LONG, SHORT, STEPS
from autograder.chapter04.settings import gpt2_of, settings
from autograder.checks.check import Check, NotMeasured, Wrong
from autograder.checks.inputs import SeededInputs
from autograder.sandbox.api import ModuleRef, Student
from autograder.sandbox.errors import GraderFault, StudentFault
from lab.models import ModelNotFound, find_model

from ..inputs import attention_weights

D_MODEL, N_HEAD = 768, 4
GROWTH = 0.1  # of the growth without a cache
FAR = 2.3  # times better than the limit: no busy moment explains that


@dataclass(frozen=True)
class Bench:
    """Weights, tokens and right outputs: the same for all submissions, so made once in a judge's life."""

    weights: dict[str, Tensor]
    texts: dict[int, tuple[Tensor, Tensor]]  # past -> (x, right), each (1, n, d)
    before: dict[int, float] = field(default_factory=dict)  # tokens -> the reference's seconds, at first


@lru_cache(maxsize=8)
def _positions(model: str) -> int:
    """The longest text that the course's GPT-2 can see; that of the kit's own where it cannot be had."""
    for name in (model, "mini"):
        with contextlib.suppress(ModelNotFound, OSError, ValueError, TypeError, KeyError):
            return int(json.loads((find_model(name) / "config.json").read_text("utf-8"))["n_positions"])
    raise GraderFault("lab/mini_gpt2/config.json cannot be read")


def past_lengths(assignment: Assignment) -> tuple[int, int]:
    """(tokens of the prompt, of the long past): with the new ones no more than the course's GPT-2 sees."""
    room, cache = _positions(gpt2_of(assignment)), settings(assignment).cache
    prompt = min(cache.prompt, max(LEAST, room - 2 * cache.new_tokens))
    return prompt, min(LONG, max(LEAST, room - 4 * STEPS))


@lru_cache(maxsize=1)
def _bench(seed: str, prompt: int, new_tokens: int, long: int) -> Bench:
    draw = SeededInputs(seed, "cost")
    weights = attention_weights(draw, D_MODEL, std=0.05)
    right = expected.attention(weights, N_HEAD)
    new = {SHORT: 4 * STEPS, long: 4 * STEPS}  # two measurements, and two more when those are in doubt
    new[prompt] = max(new.get(prompt, 0), 2 * new_tokens)
    texts = {}
    for past, more in new.items():
        x = draw.normal(1, past + more, D_MODEL)
        texts[past] = (x, right(x))
    return Bench(weights, texts)


class Stand:
    """The submission's cache and the reference's full attention side by side, each in its own process."""

    def __init__(self, student: Student, reference: Student, assignment: Assignment, check: Check) -> None:
        prompt, long = past_lengths(assignment)
        self.bench = _bench(assignment.course.seed, prompt, settings(assignment).cache.new_tokens, long)
        self.student, self.reference, self.check = student, reference, check
        self._mine = self._module(student)
        self._full: ModuleRef | None = None

    def _module(self, who: Student) -> ModuleRef:
        module: ModuleRef = who.MultiHeadAttention(
            d_model=D_MODEL, n_head=N_HEAD, causal=True, state_dict=self.bench.weights
        )
        return module

    def text(self, past: int) -> Text:
        """A text whose first `past` tokens the submission has in its cache."""
        x, right = self.bench.texts[past]
        text = Text(self.student, self._mine, x, right, self.check)
        text.feed(past)
        return text

    def cached(self, text: Text, steps: int) -> float:
        """CPU seconds per token of the next `steps` tokens, each compared."""
        return _cpu(self.student, lambda: [text.feed(1) for _ in range(steps)]) / steps

    def uncached(self, n: int) -> float:
        """CPU seconds of the reference's attention over n tokens at once."""
        x = next(x for x, _ in self.bench.texts.values() if x.shape[1] >= n)[:, :n]
        try:
            full = self._full
            if full is None:
                full = self._full = self._module(self.reference)
                full(x)  # the first one also pays for memory that the next ones find ready
            return _cpu(self.reference, lambda: full(x))
        except StudentFault as fault:  # nobody's but ours
            raise GraderFault(f"the reference gave no answer: {fault}") from None

    def uncached_before(self, n: int) -> float:
        """The same, measured when this judge first needed it."""
        if n not in self.bench.before:
            self.bench.before[n] = _least(lambda: self.uncached(n), times=3)
        return self.bench.before[n]


def faster_than_without(student: Student, reference: Student, assignment: Assignment, check: Check) -> None:
    """After the prompt a token must cost 1/threshold of the whole text anew. Raises Wrong or NotMeasured."""
    prompt, steps = past_lengths(assignment)[0], max(1, settings(assignment).cache.new_tokens // 2)
    stand = Stand(student, reference, assignment, check)
    text = stand.text(prompt)
    first = stand.cached(text, steps)
    if stand.uncached_before(text.done) / first >= FAR * settings(assignment).cache.threshold:
        return
    pairs = [(first, _least(lambda: stand.uncached(text.done)))]
    ratio = 0.0
    for more in (1, 2):  # the second time only in doubt; all with tokens not seen before
        for _ in range(more):
            cached = stand.cached(text, steps)
            pairs.append((cached, _least(lambda: stand.uncached(text.done))))
        ratio = min(u for _, u in pairs) / min(c for c, _ in pairs)
        if ratio >= settings(assignment).cache.threshold:
            return
    each = sorted(u / c for c, u in pairs)
    params: dict[str, JsonValue] = {
        "ratio": round(ratio, 1),
        "threshold": settings(assignment).cache.threshold,
        "prompt": prompt,
    }
    if each[-2] >= settings(assignment).cache.threshold:  # one odd moment of the machine is no doubt, two are
        raise NotMeasured("cost.disagree", least=round(each[0], 1), most=round(each[-1], 1), **params)
    raise Wrong("cost.too_slow", fingerprint=None, **params)


def nearly_flat(student: Student, reference: Student, assignment: Assignment, check: Check) -> None:
    """From a short to a long past, how much of the growth without a cache is left?

    Raises Wrong or NotMeasured. What is the same for both lengths (the wire, loops over heads) falls out.
    """
    past = past_lengths(assignment)[1]
    stand = Stand(student, reference, assignment, check)
    short, long = stand.text(SHORT), stand.text(past)
    at_short = [stand.cached(short, STEPS)]
    at_long = [stand.cached(long, STEPS)]
    before = stand.uncached_before(past) - stand.uncached_before(SHORT)
    if (at_long[0] - at_short[0]) / before <= GROWTH / FAR:
        return
    without = _least(lambda: stand.uncached(past)) - _least(lambda: stand.uncached(SHORT))
    share = 0.0
    for more in (1, 2):
        for _ in range(more):
            at_short.append(stand.cached(short, STEPS))
            at_long.append(stand.cached(long, STEPS))
        share = (min(at_long) - min(at_short)) / without
        if share <= GROWTH:
            return
    each = sorted((b - a) / without for a, b in zip(at_short, at_long, strict=True))
    params: dict[str, JsonValue] = {
        "percent": round(100 * share),
        "allowed": round(100 * GROWTH),
        "short": SHORT,
        "long": past,
    }
    if each[1] <= GROWTH:
        least, most = round(100 * each[0]), round(100 * each[-1])
        raise NotMeasured("cost.growth_disagrees", least=least, most=most, **params)
    raise Wrong("cost.grows", fingerprint=None, **params)


def _cpu(who: Student, work: Callable[[], object]) -> float:
    before = who.cpu_seconds()
    work()
    return max(who.cpu_seconds() - before, 1e-9)


def _least(measure: Callable[[], float], times: int = 2) -> float:
    return min(measure() for _ in range(times))
