"""Numbers as results hold them: "nan", "inf" and "-inf" are strings, null stands for nan."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import BeforeValidator


def _number(value: object) -> object:
    if value is None or value == "nan":
        return math.nan
    if value in ("inf", "-inf"):
        return float(str(value))
    return value


Number = Annotated[float, BeforeValidator(_number)]
Matrix = list[list[Number]]


def square(values: Matrix, rows: int, columns: int) -> bool:
    """Whether there are that many rows of that many columns."""
    return len(values) == rows and all(len(row) == columns for row in values)


def short(x: float) -> str:
    """A weight in a cell: 0.41, 1, NaN. As in code: with a dot in every language."""
    if math.isnan(x):
        return "NaN"
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    text = f"{x:.2f}" if abs(x) < 10 else f"{x:.0f}"
    return text.removesuffix(".00") if text not in ("0.00", "-0.00") or x == 0 else "<.01"
