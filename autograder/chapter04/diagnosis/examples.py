"""Public examples of each exercise, the plainest first: a page shows the first one that comes out wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from autograder.chapter04.diagnosis import pasted, public
from autograder.chapter04.diagnosis.generating import RuleModel, fed
from autograder.diagnosis.chapter import Example
from autograder.sandbox.api import Student
from autograder.sandbox.errors import StudentBadReply

H = public.HEADS


def examples(exercise: str) -> tuple[Example, ...]:
    """The examples of an exercise (course.toml's id); none for one without code of its own."""
    make = _EXAMPLES.get(exercise)
    return tuple(make()) if make else ()


def _split() -> list[Example]:
    x, two = public.coded(), public.coded(n=2, B=2)
    wide, long = x.double(), public.coded(n=1, d=768)
    return [
        Example(f"split_heads(x, n_head={H})", lambda s: s.split_heads(x, H), {"x": x}),
        Example(f"split_heads(x, n_head={H})", lambda s: s.split_heads(two, H), {"x": two}),
        Example("split_heads(x, n_head=1)", lambda s: s.split_heads(x, 1), {"x": x}),
        Example("split_heads(x, n_head=3)", lambda s: s.split_heads(x, 3), {"x": x}),
        Example("split_heads(x.double(), n_head=2)", lambda s: s.split_heads(wide, H), {"x": x}),
        *_after_and_gradient("split_heads", x, (H,), (1, H, public.N, public.D_K), "x, n_head=2"),
        Example(
            "split_heads(x, n_head=12)",
            lambda s: s.split_heads(long, 12),
            setup="x = torch.arange(768.0).view(1, 1, 768)\n",
        ),
    ]


def _merge() -> list[Example]:
    y, one = public.coded_heads(), public.coded_heads(1)
    two = torch.cat([y, y + 1000])  # (2, HEADS, N, D_K)
    return [
        Example("merge_heads(y)", lambda s: s.merge_heads(y), {"y": y}),
        Example("merge_heads(y)", lambda s: s.merge_heads(two), {"y": two}),
        Example("merge_heads(y)", lambda s: s.merge_heads(one), {"y": one}),
        Example("merge_heads(y.double())", lambda s: s.merge_heads(y.double()), {"y": y}),
        *_after_and_gradient("merge_heads", y, (), (1, public.N, public.D), "y"),
    ]


def _mask() -> list[Example]:
    return [
        Example("causal_mask(4)", lambda s: s.causal_mask(4)),
        Example("causal_mask(2, 5)", lambda s: s.causal_mask(2, 5)),
        Example("causal_mask(1, 4)", lambda s: s.causal_mask(1, 4)),
    ]


def _softmax() -> list[Example]:
    square, oblong = public.scores(), public.scores(2, 5)
    four = torch.stack([square, -square])[None]  # (1, 2, N, N)
    loud = square * 400
    call = "causal_softmax(scores)"
    return [
        Example(call, lambda s: s.causal_softmax(square), {"scores": square}),
        Example(call, lambda s: s.causal_softmax(oblong), {"scores": oblong}),
        Example(
            "causal_softmax(scores, causal=False)",
            lambda s: s.causal_softmax(square, False),
            {"scores": square},
        ),
        Example(call, lambda s: s.causal_softmax(four), {"scores": four}),
        Example(
            "causal_softmax(scores.double())", lambda s: s.causal_softmax(square.double()), {"scores": square}
        ),
        Example(call, lambda s: s.causal_softmax(loud), {"scores": loud}),
        *_after_and_gradient("causal_softmax", square, (), (public.N, public.N), "scores"),
    ]


def _concat() -> list[Example]:
    y, c_proj = public.coded_heads() / 100, public.c_proj()
    inputs = {"y": y, "c_proj.weight": c_proj.weight.detach(), "c_proj.bias": c_proj.bias.detach()}
    two = torch.cat([y, y + 10])
    return [
        Example(
            "concat_and_project(y, c_proj)", lambda s: s.concat_and_project(y, c_proj), inputs, pasted.LINEAR
        ),
        Example(
            "concat_and_project(y, c_proj)",
            lambda s: s.concat_and_project(two, c_proj),
            {**inputs, "y": two},
            pasted.LINEAR,
        ),
        *_after_and_gradient(
            "concat_and_project", y, (c_proj,), (1, public.N, public.D), "y, c_proj", pasted.LINEAR
        ),
    ]


def _after_and_gradient(
    symbol: str, x: Tensor, rest: tuple[Any, ...], shape: tuple[int, ...], args: str, setup: str = ""
) -> list[Example]:
    """The input afterwards, and the gradient that comes back to it."""
    name = args.split(",")[0]
    weight = (torch.arange(x.numel()) % 5 + 1.0).reshape(shape)
    return [
        Example(f"{symbol}({args}); {name}", lambda s: s.echo(symbol, x, *rest)[1][0], {name: x}, setup),
        Example(
            f"(weight * {symbol}({args})).sum().backward(); {name}.grad",
            lambda s: s.gradient(symbol, (x, *rest), cotangent=weight),
            {name: x},
            setup + pasted.weight(name, shape),
        ),
    ]


def _module() -> list[Example]:
    x, state = public.sentence(), public.weights()
    two = torch.cat([x, x.flip(1)])  # (2, N, D)
    wide = {k: v.double() for k, v in state.items()}
    loud = {**state, "c_attn.weight": state["c_attn.weight"] * 20}
    weight = (torch.arange(x.numel()) % 5 + 1.0).reshape(x.shape)

    def module(s: Student, heads: int = H, causal: bool = True, weights: dict[str, Tensor] = state) -> Any:
        dtype = weights["c_proj.bias"].dtype
        return s.MultiHeadAttention(public.D, heads, causal, state_dict=weights, dtype=dtype)

    call = f"MultiHeadAttention(d_model={public.D}, n_head="
    after = f"attention = {call}{H}); "
    usual, plain = pasted.attention(), "print(attention(x))"
    made = [
        Example(f"{call}{H})(x)", lambda s: module(s)(x), {"x": x}, usual),
        Example(
            f"{call}{H}, causal=False)(x)",
            lambda s: module(s, causal=False)(x),
            {"x": x},
            pasted.attention(more=", causal=False"),
        ),
        Example(f"{call}{H})(x)", lambda s: module(s)(x[:, :1]), {"x": x[:, :1]}, usual),
        Example(f"{call}{H})(x)", lambda s: module(s)(two), {"x": two}, usual),
        Example(f"{call}3)(x)", lambda s: module(s, 3)(x), {"x": x}, pasted.attention(3)),
    ]
    return [
        *(replace(example, tried=plain) for example in made),
        Example(
            f"{after}attention(x); x",
            lambda s: s.echo_module(module(s), x)[1],
            {"x": x},
            usual,
            "attention(x)\nprint(x)",
        ),
        Example(
            f"{call}{H}).double()(x.double())",
            lambda s: module(s, weights=wide)(x.double()),
            {"x": x},
            usual,
            "print(attention.double()(x.double()))",
        ),
        Example(
            f"{after}(weight * attention(x)).sum().backward(); x.grad",
            lambda s: s.gradient(module(s), (x,), cotangent=weight),
            {"x": x},
            usual + pasted.weight("x", tuple(x.shape)),
            "(weight * attention(x)).sum().backward()\nprint(x.grad)",
        ),
        Example(
            f"{call}{H})(x)  # c_attn.weight * 20",
            lambda s: module(s, weights=loud)(x),
            {"x": x},
            f"{usual}attention.c_attn.weight.data *= 20\n",
            plain,
        ),
    ]


def _pair(value: Any) -> tuple[Any, Any]:
    """What `out, cache = value` gives. Raises StudentBadReply where Python would say that it cannot."""
    if isinstance(value, tuple | list) and len(value) == 2:
        return value[0], value[1]
    many = f" of {len(value)}" if isinstance(value, tuple | list) else ""
    raise StudentBadReply(f"out, cache = {type(value).__name__}{many}")


def _cache() -> list[Example]:
    x, state = public.sentence(), public.weights()

    def decode(
        student: Student, *schedule: int, again: bool = False, causal: bool = True, heads: int = H
    ) -> Any:
        attention = student.MultiHeadAttention(public.D, heads, causal, state_dict=state)
        outs, cache, at = [], None, 0
        for m in schedule:
            out, cache = _pair(
                student.attend_with_cache(attention, x[:, at : at + m].contiguous(), None if again else cache)
            )
            if not isinstance(out, Tensor):
                return out
            outs.append(out)
            at += m
        if any(out.dim() != 3 or out.shape[::2] != x.shape[::2] for out in outs):
            return outs[-1]
        return torch.cat(outs, dim=1)  # pieces of (1, m, D) -> (1, n, D)

    def pieces(*schedule: int) -> str:
        steps, at = [], 0
        for m in schedule:
            cache = "cache" if at else "None"
            steps.append(f"out, cache = attend_with_cache(attention, x[:, {at}:{at + m}], {cache})")
            at += m
        return "; ".join(steps)

    def example(call: str, ask: Callable[[Student], Any], setup: str = "", x: Tensor = x) -> Example:
        steps = [step for step in call.split("; ") if step.startswith("out")]
        tried = "\n".join(f"{step}\nprint(out)" for step in steps)
        return Example(call, ask, {"x": x}, setup or pasted.attention(), tried)

    return [
        example(pieces(4), lambda s: decode(s, 4)),
        example(pieces(2, 1, 1), lambda s: decode(s, 2, 1, 1)),
        example(pieces(2, 2), lambda s: decode(s, 2, 2)),
        example(pieces(1), lambda s: decode(s, 1), x=x[:, :1]),
        example(
            f"attention.causal = False; {pieces(4)}",
            lambda s: decode(s, 4, causal=False),
            pasted.attention(more=", causal=False"),
        ),
        example(
            f"attention.n_head = 3; {pieces(2, 2)}", lambda s: decode(s, 2, 2, heads=3), pasted.attention(3)
        ),
        example(pieces(2, 2).replace("cache)", "None)"), lambda s: decode(s, 2, 2, again=True)),
    ]


def _generate() -> list[Example]:
    ids = torch.tensor([[3, 1], [7, 2]])
    call = "generate(model, ids, max_new_tokens=3"

    def count(use_cache: bool) -> Callable[[Student], Any]:
        return lambda s: s.generate(RuleModel(counts=True), ids, 3, use_cache)

    def calls(use_cache: bool) -> Callable[[Student], Any]:
        return lambda s: torch.tensor(fed(ids, 3, use_cache, RuleModel(counts=True), s))

    without = f"{call}, use_cache=False)"
    row, columns = "trace.fed", ("token", "rows", "start", "past")
    return [
        Example(f"{call})", count(True), {"ids": ids}, pasted.MODEL),
        Example(without, count(False), {"ids": ids}, pasted.MODEL),
        Example(f"{call})", calls(True), {"ids": ids}, pasted.MODEL, row=row, columns=columns),
        Example(without, calls(False), {"ids": ids}, pasted.MODEL, row=row, columns=columns),
        Example(
            f"model.n_positions = 5; {call})",
            lambda s: s.generate(RuleModel(5, counts=True), ids, 3),
            {"ids": ids},
            pasted.MODEL,
        ),
    ]


_EXAMPLES: dict[str, Callable[[], list[Example]]] = {
    "split_heads": _split,
    "merge_heads": _merge,
    "causal_mask": _mask,
    "causal_softmax": _softmax,
    "concat_and_project": _concat,
    "MultiHeadAttention": _module,
    "attend_with_cache": _cache,
    "generate": _generate,
}
