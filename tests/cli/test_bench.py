"""autograder bench: every line has its words, and a ratio says of what."""

from __future__ import annotations

import ast
import inspect
import io

import pytest
from rich.console import Console

from autograder import bench
from autograder.assignment import load_assignment
from autograder.bench import Measured
from autograder.commands.bench import _table
from autograder.feedback.texts import texts

KIT = load_assignment()
CALLS = [
    node
    for node in ast.walk(ast.parse(inspect.getsource(bench)))
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Measured"
]


@pytest.mark.parametrize("lang", KIT.languages)
def test_every_line_has_words(lang: str) -> None:
    say = texts(lang, KIT)
    ids = [ast.literal_eval(call.args[0]) for call in CALLS]
    assert len(ids) >= 12
    others = [ast.literal_eval(call.args[4]) for call in CALLS if len(call.args) > 4]
    assert set(others) <= set(ids)
    assert all(f"bench.{id}" in say.sentences for id in ids)


def test_the_table_fits_a_terminal() -> None:
    say = texts("en", KIT)
    lines = [
        Measured(ast.literal_eval(call.args[0]), 123.456, 99.9, 12.3, "without_timing") for call in CALLS
    ]
    out = Console(width=80, record=True, file=io.StringIO())
    out.print(_table(lines, say))
    text = out.export_text()
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("12.3 × …") == len(lines)


def test_only_one_notebook_cell_a_solution() -> None:
    source = '{"cells": [{"id": "a", "source": "right", "metadata": {"nbgrader": {"solution": true}}}]}'
    released = '{"cells": [{"id": "a", "source": "stub"}, {"id": "b", "source": "text"}]}'
    assert bench._done(released, source) == (
        '{"cells": [{"id": "a", "source": "right"}, {"id": "b", "source": "text"}]}'
    )
