"""A name that is bound again: what was bound before stays where the new one is made of it."""

from __future__ import annotations

import pytest

from autograder.extract.bindings import bindings_of, given_by
from autograder.extract.cells import Cell
from autograder.extract.names import names_of
from autograder.extract.statements import statements_of

CHAINS = {
    "a wrapper": "def f(x): return x\nold = f\ndef f(x): return old(x)",
    "a subclass of itself": "class f: pass\nclass f(f): pass",
    "a decorator called": "def f(x): return x\nf = wrap(f)",
    "a default": "def f(): return 1\ndef f(x=f): return x",
    "a class's body": "def f(): return 1\nclass f:\n    x = f",
}


@pytest.mark.parametrize("what", CHAINS)
def test_the_first_one_is_needed_when_the_second_is_made(what: str):
    all_of = bindings_of([Cell("code", CHAINS[what])], given_by([]))
    last = all_of.student[-1]
    needed = {"f", "old"} & last.names.now or {"old"}
    above = [k for name in needed for k in all_of.before(name, last)]
    assert above
    assert all(k.place < last.place for k in above)


def test_a_function_that_calls_itself_needs_no_older_one():
    (statement,), _ = statements_of("def f(n): return f(n - 1)", 0)
    assert "f" in names_of(statement).needs
    assert "f" not in names_of(statement).now
