"""What the student's code returned, as JSON: what `--record FILE` writes and known_mistakes.json keeps.

FILE:    {"format": 1,
          "tests": {TEST: {"exercise": ID, "outcome": OUTCOME, "cases": {CASE: VALUE, ...}}, ...}}

TEST     "norm/each_token_by_itself": the test's file and name without "test_"
ID       the exercise it belongs to, as in assignment.json
OUTCOME  "passed", "wrong", "not written", "waiting" (for an exercise before it) or "not tried"
CASE     "layer_norm", "layer_norm 2", ...: the first calls of the student's code, counted in the test; and
         what a test notes besides, under a name of its own ("positions that went in")
VALUE    of a tensor:              {"shape": [2, 3], "dtype": "float32", "value": [[...], [...]]}
                                   numbers rounded to 7 digits; "nan", "inf", "-inf" are strings; no "value"
                                   when the tensor has more than 256 numbers
         of a number, bool, None:  {"dtype": "float", "value": 0.5}
         of a list or tuple:       {"items": [VALUE, ...]}
         of anything else:         {"other": "DynamicCache"}
         when the code raised:     {"exception": "RuntimeError", "text": "view size is not compatible ..."}
                                   without numbers, at most 120 letters; "TimeLimit" for an endless loop
"""

from __future__ import annotations

import math
import re
from typing import Any

import torch

FORMAT = 1
ATOL, RTOL = 1e-5, 1e-4
LARGEST = 256
MOST_CALLS = 4  # of one function in one test

Json = Any


def of_value(value: object) -> Json:
    """Any returned value as VALUE (see above)."""
    if isinstance(value, torch.Tensor):
        tensor = value.detach()
        dtype = str(tensor.dtype).removeprefix("torch.")
        form: dict[str, Json] = {"shape": list(tensor.shape), "dtype": dtype}
        if tensor.device.type != "meta" and not tensor.is_complex() and tensor.numel() <= LARGEST:
            form["value"] = _numbers(tensor.cpu().tolist())
        return form
    if value is None or isinstance(value, bool | int | float):
        return {"dtype": type(value).__name__, "value": _numbers(value)}
    if isinstance(value, list | tuple):
        return {"items": [of_value(item) for item in value]}
    return {"other": type(value).__name__}


def of_exception(kind: str, text: str) -> Json:
    """An exception as VALUE: what it says without the numbers, which differ from input to input."""
    return {"exception": kind, "text": " ".join(re.sub(r"[\d.,x\[\]()]+", " ", text).split())[:120]}


def _numbers(value: Any) -> Json:
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.7g}") if math.isfinite(value) else str(value)
    return value


def alike(one: Json, other: Json) -> bool:
    """Whether two VALUEs are the same up to rounding (NaN equals NaN)."""
    if not isinstance(one, dict) or not isinstance(other, dict) or one.keys() != other.keys():
        return False
    if "items" in one:
        return len(one["items"]) == len(other["items"]) and all(map(alike, one["items"], other["items"]))
    if any(one[key] != other[key] for key in one if key != "value"):
        return False
    mine, theirs = _flat(one.get("value")), _flat(other.get("value"))
    if len(mine) != len(theirs):
        return False
    finite = [abs(v) for v in theirs if isinstance(v, int | float)]
    atol = ATOL * max([1.0, *finite])
    return all(_near(a, b, atol) for a, b in zip(mine, theirs, strict=True))


def _flat(value: Json) -> list[Json]:
    return [leaf for item in value for leaf in _flat(item)] if isinstance(value, list) else [value]


def _near(a: Json, b: Json, atol: float) -> bool:
    if isinstance(a, str) or isinstance(b, str) or a is None or b is None:  # nan, inf, None
        return bool(a == b)
    return bool(abs(a - b) <= atol + RTOL * abs(b))
