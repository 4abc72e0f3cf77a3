"""Small tensors as tables of numbers, expected and got side by side."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from exercises.selfcheck.check import Comparison
from exercises.selfcheck.texts import Texts

WIDTH = 78
LARGEST = 40  # numbers in a table; larger tensors are told by their shape
GAP = "     "


def number(value: float | bool | int) -> str:
    """A number as short as it can be read: 3, 0.25, -1.5e-07, nan, T."""
    if isinstance(value, bool):
        return "True" if value else "False"
    if math.isnan(value) or math.isinf(value):
        return str(value)
    if value == int(value) and abs(value) < 1e7:
        return str(int(value))
    if abs(value) < 1e-3 or abs(value) >= 1e6:
        return f"{value:.2g}"
    return f"{value:.4g}" if abs(value) >= 1 else f"{value:.3f}"


def precise(value: float | bool | int, other: float | bool | int) -> str:
    """A number with as many digits as it takes to tell it from the other."""
    short = number(value)
    return f"{value:.7g}" if not isinstance(value, bool) and short == number(other) else short


def fits(tensor: Tensor) -> bool:
    """Whether the tensor is small enough to be shown."""
    return 0 < tensor.numel() <= LARGEST and tensor.dim() > 0 and tensor.device.type != "meta"


def table(tensor: Tensor, marked: Tensor | None = None) -> list[str]:
    """One line per row of the last axis; blocks of leading axes follow without a gap. * = marked."""
    flat = tensor.detach().cpu().reshape(-1, tensor.shape[-1])
    stars = torch.zeros_like(flat, dtype=torch.bool) if marked is None else marked.reshape(flat.shape)
    cells = [
        [number(v) + ("*" if s else "" if marked is None else " ") for v, s in zip(row, star, strict=True)]
        for row, star in zip(flat.tolist(), stars.tolist(), strict=True)
    ]
    width = max(len(cell) for row in cells for cell in row)
    return ["  ".join(cell.rjust(width) for cell in row).rstrip() for row in cells]


def blocks(tensor: Tensor, texts: Texts) -> list[str]:
    """A table of what goes in: each head and each sentence stands by itself, under its name."""
    rows = table(tensor)
    leading, high = tuple(tensor.shape[:-2]), tensor.shape[-2] if tensor.dim() > 1 else 1
    count = math.prod(leading)
    if count < 2:
        return rows
    in_front = str(texts.get("axis.in_front") or "batch").split()
    names = in_front if len(leading) <= len(in_front) else ()
    lines: list[str] = []
    for i in range(count):
        at = torch.unravel_index(torch.tensor(i), leading)
        named = [
            f"{texts(f'axis.{name}')} {int(k)}"
            for name, k, size in zip(names, at, leading, strict=False)
            if size > 1
        ]
        lines += ["  ".join(named), *("  " + row for row in rows[i * high : (i + 1) * high])]
    return lines


def row_labels(shape: tuple[int, ...], axes: tuple[str, ...], texts: Texts) -> list[str]:
    """'head 0  token 1' for every row of a table; axes of length 1 are left out."""
    names = [(i, texts(f"axis.{name}")) for i, name in enumerate(axes[:-1]) if shape[i] > 1]
    labels: list[str] = []
    before: list[str] = []
    for row in range(math.prod(shape[:-1])):
        place = torch.unravel_index(torch.tensor(row), shape[:-1]) if len(shape) > 1 else ()
        now = [f"{name} {int(place[i])}" for i, name in names]
        # A name is said once, where it changes: the rest of its block stands below it.
        shown = [
            text if k == len(now) - 1 or now[: k + 1] != before[: k + 1] else " " * len(text)
            for k, text in enumerate(now)
        ]
        labels.append("  ".join(shown))
        before = now
    return labels


def side_by_side(c: Comparison, texts: Texts) -> list[str]:
    """Expected and got, next to each other or, when that is too wide, one below the other."""
    labels = row_labels(tuple(c.expected.shape), c.axes, texts)
    left, right = table(c.expected), table(c.got, c.wrong)
    edge = max(map(len, labels), default=0)
    wide = max(len(line) for line in [*left, texts("show.expected")])
    heads = (texts("show.expected"), texts("show.got"))
    if edge + 3 + wide + len(GAP) + max(map(len, [*right, heads[1]])) <= WIDTH:
        lines = [" " * edge + "   " + heads[0].ljust(wide) + GAP + heads[1]]
        return lines + [
            label.ljust(edge) + "   " + a.ljust(wide) + GAP + b
            for label, a, b in zip(labels, left, right, strict=True)
        ]
    lines = []
    for head, rows in zip(heads, (left, right), strict=True):
        lines.append(" " * edge + "   " + head)
        lines += [label.ljust(edge) + "   " + row for label, row in zip(labels, rows, strict=True)]
    return lines


def first_difference(c: Comparison, texts: Texts) -> list[str]:
    """Where they first differ, and how many differ."""
    index = [int(i) for i in c.wrong.nonzero()[0]]
    where = ", ".join(
        f"{texts(f'axis.{name}')} {i}"
        for k, (name, i) in enumerate(zip(c.axes, index, strict=True))
        if c.expected.shape[k] > 1 or c.expected.dim() == 1
    )
    want, got = c.expected[tuple(index)].item(), c.got[tuple(index)].item()
    key = "show.count" if fits(c.expected) else "show.count_plain"
    return [
        texts(
            "show.first",
            where=where or texts("show.whole"),
            expected=precise(want, got),
            got=precise(got, want),
        ),
        texts(key, wrong=int(c.wrong.sum()), all=c.wrong.numel()),
    ]
