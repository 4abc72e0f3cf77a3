"""A file that cannot be loaded, without what stops it: everything else stays, line for line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.extract.mend import mended as here
from autograder.extract.reading import mended

GOOD = 'def one(x):\n    """Text\n    of two lines."""\n    return x\n'
OTHER = "two = lambda x: x\n"


@pytest.mark.parametrize(
    ("broken", "line"),
    [
        ("def three(x:\n    return x\n", 1),
        ("def three(x):\n    return (x\n", 2),
        ("def three(x):\n        a = 1\n    return x\n", 3),
        ("def three(x):\n    a = 1\nreturn a\n", 3),
        ("I think that this works\n", 1),
        ("@one\n@1 / 0\ndef three(x):\n    return x\n", 2),
        ("class three(Nothing):\n    a = 1\n", 1),
        ("1 / 0\n", 1),
        ("<<<<<<< HEAD\n", 1),
    ],
)
@pytest.mark.parametrize("before", [True, False])
def test_only_what_stops_it_goes(broken: str, line: int, before: bool) -> None:
    text = broken + GOOD + OTHER if before else GOOD + broken + OTHER
    at = line if before else line + GOOD.count("\n")
    left, names = mended(text.encode(), at, ["one", "two", "three"])
    prose = broken[0] in "I<"  # what is not code is put down to the definition above it
    assert names == ({"two"} if prose and not before else {"one", "two"})
    lines, kept = text.split("\n"), left.decode().split("\n")
    assert len(lines) == len(kept)
    assert all(new in ("", old) for old, new in zip(lines, kept, strict=True))
    space: dict[str, object] = {}
    exec(left, space)
    assert "one" in space


def test_what_needs_what_was_cut_out_is_not_among_the_names() -> None:
    helper = "def help(x):\n    return nowhere.x\ndef three(x):\n    return help(x)\n"
    text = "import nowhere\n" + helper + GOOD + OTHER
    _, names = mended(text.encode(), 1, ["one", "two"])
    assert names == {"one", "two"}
    _, names = mended(text.replace("help(x):", "help(x:").encode(), 2, ["one", "two"])
    assert names == {"nowhere", "one", "two"}


def test_what_cannot_be_mended_stays_without_names() -> None:
    deep = "x = " + "(" * 100_000
    for text in ('"""never closed\n' + GOOD, deep, "\0"):
        assert mended(text.encode(), 1, ["one"])[1] == frozenset()


@settings(deadline=None)
@given(st.text(alphabet='abdef():= \n\t"#1@', max_size=60), st.integers(-1, 6))
def test_any_text(text: str, line: int) -> None:
    left, names = here(text, line, ["a", "b"])
    assert left.count("\n") == text.count("\n")
    assert isinstance(names, list)
