"""Whatever a file or notebook holds, taking it apart has an end, and raises nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.assignment import load_assignment
from autograder.course import Limits
from autograder.diagnosis.entries import catalogue
from autograder.diagnosis.source import of_mistakes, of_place
from autograder.extract.marks import HEADER, HEADER_OF_FILE, place
from autograder.extract.reading import CPU_SECONDS, MEND_SECONDS, fitting_lines, mended
from autograder.intake.encoding import as_utf8
from autograder.intake.reading import Unreadable
from autograder.lines import line_of
from autograder.sandbox.errors import Place
from tests.extract.test_scan import LEAST, LONG, MULTIPLE, ORDINARY, PIECES, seconds
from tests.intake.limited import read_notebook

FUZZ = {"derandomize": True, "deadline": None, "suppress_health_check": list(HealthCheck)}
HARD_LINES = [
    " " * LONG,
    "\t " * (LONG // 2),
    "x = " + "'" + "\\'" * (LONG // 2),
    "a." * (LONG // 2),
    "[" * LONG,
]


def notebook(code: str) -> bytes:
    """One cell."""
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": code}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


@pytest.fixture(scope="module")
def unit() -> float:
    return max(LEAST, seconds(lambda: read_notebook(notebook(ORDINARY.decode()), Limits())))


@pytest.mark.parametrize("line", HARD_LINES, ids=range(len(HARD_LINES)))
def test_a_hard_line_in_a_cell(unit: float, line: str) -> None:
    assert seconds(lambda: read_notebook(notebook(f"x = 1\n{line}\n%time y\n"), Limits())) < MULTIPLE * unit


@settings(**FUZZ, max_examples=5)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=5), st.sampled_from(PIECES))
def test_any_cell_and_any_broken_file_have_an_end(many: list[bytes], first: bytes) -> None:
    piece = b"".join(many)
    source = (first + piece * (LONG // len(piece)))[:LONG]
    assert seconds(lambda: read_notebook(notebook(source.decode("latin-1")), Limits())) < CPU_SECONDS + 2
    assert seconds(lambda: mended(source, 3, ["split_heads"])) < MEND_SECONDS + 2


@settings(**FUZZ, max_examples=60)
@given(
    st.sampled_from([b"", b"# coding: ", b"\n# -*- coding=", b"\xff\xfe", b"\xef\xbb\xbf", b"\0\0\xfe\xff"]),
    st.lists(st.sampled_from([*PIECES, b"coding:", b"idna", b"zip", b"utf-16", b"latin-1"]), max_size=5),
)
def test_any_encoding(start: bytes, many: list[bytes]) -> None:
    piece = b"".join(many) or b"a"
    source = start + piece + (piece * (LONG // len(piece)))

    def read() -> None:
        try:
            data, _ = as_utf8(source, "heads.py")
        except Unreadable:
            return
        assert isinstance(data, bytes)

    assert seconds(read) < MULTIPLE * LEAST


def test_a_line_that_is_made_for_our_patterns() -> None:
    """`.*` several times over one line takes a power of its length: never in the judge."""
    mistakes = tuple(name for name, entry in catalogue(load_assignment()).items() if entry.line_pattern)
    bait = "    if mask and cache and past causal( view(, reshape(, cat(, softmax(, masked_fill_("
    source = ("def split_heads(x, n):\n" + (bait * 9 + "\n") * (LONG // len(bait) // 9)).encode()
    patterns = {name: str(catalogue(load_assignment())[name].line_pattern) for name in mistakes}
    assert seconds(lambda: fitting_lines(source, ["split_heads"], patterns)) < 2 + 2
    line, ordered = of_mistakes(mistakes, load_assignment(), "split_heads", {"heads.py": source})
    assert line is None
    assert sorted(ordered) == sorted(mistakes)


def test_lines_are_counted_as_python_counts_them() -> None:
    source = b"a\x0cb\x0b\xc2\x85\xe2\x80\xa8c\r\nd\re\n\x1cf"
    assert line_of(source, 2) == "d"
    assert line_of(source, 3) == "e"
    assert line_of(source, 6) is None
    assert line_of(source, 0) is None
    shown = of_place(Place("heads.py", 2, ""), {"heads.py": source})
    assert shown == {"file": "heads.py", "line": 2, "text": "d"}


def test_a_file_that_only_looks_as_if_we_had_put_it_together() -> None:
    for header in (HEADER, HEADER_OF_FILE + "x" * LONG):
        for said in ("9" * 5000, "1"):
            text = f"{header}\n# cell {said} of the notebook, line {said}\n# line {said}\nx\n" + "\n" * LONG
            assert seconds(lambda t=text: [place(t, n) for n in range(1, LONG, 99)]) < MULTIPLE * LEAST
            found = place(text, 4)
            assert found is None or len(found.file) <= 300
