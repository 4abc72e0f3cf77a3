"""Small tensors as text, printed like a person would: columns aligned, each slice under its index, and what
differs from the expected ones marked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Annotated, Any

from pydantic import BaseModel, Field, JsonValue, ValidationError

from autograder.feedback.pictures.numbers import Number

MOST = 1024  # numbers, or rows without any; more are not printed
WIDE = 6  # numbers in a row: they stand closer, to fit on a phone
Index = tuple[int, ...]


class TensorView(BaseModel):
    """A tensor in a result: shape, dtype, nested values (non-finite ones as "nan", "inf", "-inf")."""

    shape: list[Annotated[int, Field(ge=0)]] = Field(max_length=6)
    dtype: str = Field(max_length=20)
    values: Any

    def cells(self) -> dict[Index, bool | float]:
        """Every number by its index. Raises ValueError when values and shape do not fit."""
        if math.prod(max(1, n) for n in self.shape) > MOST:  # before anything is counted, or lined up
            raise ValueError("too many numbers")
        found: dict[Index, bool | float] = {}
        for index in product(*(range(n) for n in self.shape)):
            value: Any = self.values
            for depth, i in enumerate(index):
                if not isinstance(value, list) or len(value) != self.shape[depth]:
                    raise ValueError("values do not have the shape they say")
                value = value[i]
            found[index] = value if isinstance(value, bool) else _OneNumber(x=value).x
        return found


class _OneNumber(BaseModel):
    x: Number


@dataclass(frozen=True)
class Cell:
    """A number, padded to its column."""

    pad: str
    text: str
    wrong: bool = False
    first: bool = False


@dataclass(frozen=True)
class Line:
    """A line of the printed tensor: an index in front of a slice, or a row of numbers."""

    label: str = ""
    cells: tuple[Cell, ...] = ()

    @property
    def wrong(self) -> bool:
        """Whether a number in it is marked."""
        return any(c.wrong for c in self.cells)


@dataclass(frozen=True)
class Printed:
    """A tensor ready for a page."""

    shape: tuple[int, ...]
    dtype: str
    lines: tuple[Line, ...]

    def text(self) -> str:
        """As plain lines; rows that differ are marked with <-- at their end."""
        return "\n".join(
            line.label or "".join(c.pad + c.text for c in line.cells) + ("   <--" if line.wrong else "")
            for line in self.lines
        )


def tensor_view(value: JsonValue) -> TensorView | None:
    """A TensorView, when it is one whose values fit its shape."""
    if not isinstance(value, dict) or "shape" not in value:
        return None
    try:
        view = TensorView.model_validate(value)
        view.cells()
    except (ValidationError, ValueError):
        return None
    return view


def differing(got: TensorView, expected: TensorView) -> list[Index]:
    """Where two tensors of one shape differ by more than printing shows; [] for different shapes."""
    if got.shape != expected.shape:
        return []
    wanted = expected.cells()
    biggest = max((abs(x) for x in wanted.values() if math.isfinite(x)), default=1.0)
    return [i for i, x in got.cells().items() if not _same(float(x), float(wanted[i]), max(1.0, biggest))]


def _same(a: float, b: float, scale: float) -> bool:
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b or abs(a - b) <= 1e-4 * scale


def printed(
    view: TensorView,
    wrong: list[Index] | None = None,
    first: Index | None = None,
    decimals: int | None = None,
) -> Printed:
    """The tensor as lines: the last axis across, the one before it down, every further one as a label."""
    cells = view.cells()
    texts = _texts(cells, view.dtype, decimals_of(view) if decimals is None else decimals)
    gap = 2 if not view.shape or view.shape[-1] < WIDE else 1
    marked = set(wrong or ())
    width = max((len(x) for x in texts.values()), default=1)

    def row(index: Index) -> Line:
        line = []
        for j in range(view.shape[-1]):
            at = (*index, j)
            text = texts[at]
            line.append(Cell(" " * (width - len(text) + (gap if j else 0)), text, at in marked, at == first))
        return Line(cells=tuple(line))

    def lines() -> Iterator[Line]:
        if not view.shape:
            yield Line(cells=(Cell("", texts[()], () in marked, first == ()),))
            return
        *outer, rows = view.shape[:-1] or [1]
        for index in product(*(range(n) for n in outer)):
            if outer:
                yield Line(label=f"[{', '.join(str(i) for i in index)}]")
            for i in range(rows):
                yield row((*index, i) if len(view.shape) > 1 else index)

    return Printed(tuple(view.shape), view.dtype, tuple(lines()))


def decimals_of(view: TensorView) -> int:
    """As few decimals as say everything, at most three; two where many or large numbers stand in a row."""
    numbers = [float(x) for x in view.cells().values() if math.isfinite(x)]
    wide = bool(view.shape) and view.shape[-1] >= WIDE or max((abs(x) for x in numbers), default=0.0) >= 100
    most = 2 if wide else 3
    return next((d for d in range(most) if all(abs(round(x, d) - x) < 1e-9 for x in numbers)), most)


def enough_decimals(got: TensorView, expected: TensorView, wrong: list[Index]) -> int:
    """So many that what differs looks different."""
    g, e = got.cells(), expected.cells()
    decimals = max(decimals_of(got), decimals_of(expected))
    while decimals < 6 and any(
        _one(g[i], got.dtype, decimals) == _one(e[i], got.dtype, decimals) for i in wrong
    ):
        decimals += 1
    return decimals


def _texts(cells: dict[Index, bool | float], dtype: str, decimals: int) -> dict[Index, str]:
    """Numbers as code shows them, all with the same number of decimals."""
    return {i: _one(x, dtype, decimals) for i, x in cells.items()}


def _one(x: bool | float, dtype: str, decimals: int) -> str:
    if isinstance(x, bool) or dtype == "bool":
        return str(bool(x))
    if math.isnan(x) or math.isinf(x):
        return str(x)  # nan, inf, -inf
    if x and (abs(x) < 0.5 * 10**-decimals or abs(x) >= 1e7):
        return f"{x:.0e}"
    return f"{x + 0.0:.{decimals}f}"  # + 0.0: no minus before a zero
