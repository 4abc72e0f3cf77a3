"""Reading a stranger's text takes time in proportion to its length, whatever it is, and never raises."""

from __future__ import annotations

import resource
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.extract.lexing import tokens_of
from autograder.extract.reading import SCAN_SECONDS, scanned
from autograder.extract.scan import decoded

KB = 256
LONG = KB * 1024  # the longest file that is read
MULTIPLE = 25  # times what ordinary code of that length takes, which counts at least as `LEAST` seconds
LEAST = 0.2

ORDINARY = (b"def f(x, n):\n    y = x.view(2, n, -1)  # a comment\n    return y + 'text'\n" * LONG)[:LONG]
PIECES = [
    b"\\'", b"'", b'"', b"'''", b'"""', b"\\", b"\\\n", b"(", b")", b"[", b"{", b"{x}", b"f'", b"f'{", b"rb'",
    b"\n", b"\r", b"\r\n", b"\f", b"\0", b"\t", b" ", b"    ", b"a", b"a.b", b".b", b"\xc3\xa9", b"\xff",
    b"\xed\xa0\x80", b"9", b"0x9", b"1e", b"_", b"#", b"# coding: utf-7\n", b"@a\n", b"if a:\n",
    b"elif a:\n  b\n", b"def f():\n a\n", b"class A:\n  x=1\n", b"lambda:", b"not ", b"-", b"**", b"a=",
    b"for x in y ", b"'a'+", b"match a:\n case 1:\n  b\n", b"else:\n", b"eval", b"1:2,", b"*",
    b"scaled_dot_product_attention", b"\xe2\x80\xa8",
]  # fmt: skip


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of this process and of what it started and waited for."""

    def now() -> float:
        both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(r.ru_utime + r.ru_stime for r in both)

    began = now()
    work()
    return now() - began


def scan(source: bytes) -> tuple[list[str], list[str]]:
    found, unread = scanned({"a.py": source}, {"scaled_dot_product_attention": ((), ())})
    return [one.spelt for one in found], unread


@pytest.fixture(scope="module")
def unit() -> float:
    return max(LEAST, seconds(lambda: list(tokens_of(decoded(ORDINARY)))))


@settings(derandomize=True, max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=4),
    st.sampled_from(PIECES),
    st.sampled_from(PIECES),
)
def test_lexing_is_linear(unit: float, many: list[bytes], first: bytes, last: bytes) -> None:
    piece = b"".join(many)
    source = (first + piece * (LONG // len(piece)) + last)[:LONG]
    assert seconds(lambda: list(tokens_of(decoded(source)))) < MULTIPLE * unit


@settings(derandomize=True, max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6), st.sampled_from(PIECES))
def test_any_text_has_an_end(many: list[bytes], first: bytes) -> None:
    piece = b"".join(many)
    source = (first + piece * (LONG // len(piece)))[:LONG]
    assert seconds(lambda: scan(source)) < 2 * SCAN_SECONDS + 3


@pytest.mark.parametrize(
    "bomb",
    [b"NOTE = '" + b"\\'" * (LONG // 2 - 9) + b"'\n", b"{" * 120 + b":", b"(" * LONG, b"a." * 9000 + b"a"],
)
def test_a_name_behind_a_bomb_is_found(bomb: bytes) -> None:
    assert scan(bomb + b"\nscaled_dot_product_attention\n")[0]


def test_what_is_too_much_is_named_and_hides_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.extract.reading.SCAN_SECONDS", 1)
    slow = b"a\n" * (LONG // 2)
    found, unread = scanned(
        {"a.py": slow, "b.py": b"f = wanted", "c.py": slow + b"wanted"}, {"wanted": ((), ())}
    )
    assert unread
    assert {one.file for one in found} in ({"b.py", "c.py"}, set())


def test_names_and_strings_of_what_is_no_python() -> None:
    text = "a = 'b' # c\nd('''e\nf''' r'\\g' 1e5 \"h\n i'j"
    assert [(t.kind, t.text, t.line) for t in tokens_of(text)] == [
        ("name", "a", 1),
        ("string", "b", 1),
        ("name", "d", 2),
        ("string", "e\nf", 2),
        ("name", "r", 3),
        ("string", "\\g", 3),
        ("name", "h", 3),
        ("name", "i", 4),
        ("name", "j", 4),
    ]
