"""The function around a line: all of a short one, a part of a long one, and something bounded of any file."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.diagnosis.source import AROUND, WIDEST, function_around

SOURCE = b"""\
import torch


def first(x):
    return x


class Module:
    size = 3

    def forward(self, x):
        if x is None:

            return None
        return x * 2

    def other(self):
        pass


y = first(1)
"""


def around(line: int, source: bytes = SOURCE) -> Any:
    return function_around({"file": "f.py", "line": line}, {"f.py": source})


@pytest.mark.parametrize(
    ("line", "first", "last"),
    [(5, 4, 5), (4, 4, 5), (11, 11, 15), (14, 11, 15), (15, 11, 15), (18, 17, 18)],
)
def test_the_function(line: int, first: int, last: int) -> None:
    found = around(line)
    assert found == {"file": "f.py", "start": first, "lines": SOURCE.decode().splitlines()[first - 1 : last]}


def test_a_long_function_is_cut_around_the_line() -> None:
    source = b"def f():\n" + b"".join(b"    x = %d\n" % i for i in range(500))
    found = around(300, source)
    assert len(found["lines"]) <= 2 * AROUND + 1
    assert found["lines"][300 - found["start"]] == "    x = 298"


def test_where_there_is_no_such_line_there_is_nothing() -> None:
    assert around(99) is None
    assert around(20) is None  # in no function
    assert around(0) is None
    assert function_around({"file": "g.py", "line": 1}, {"f.py": SOURCE}) is None


@given(st.binary(max_size=300), st.integers(1, 12))
def test_whatever_a_file_holds(source: bytes, line: int) -> None:
    found = around(line, source)
    if found is not None:
        assert 0 <= line - found["start"] < len(found["lines"]) <= 2 * AROUND + 1
        assert all(len(text) <= WIDEST for text in found["lines"])
