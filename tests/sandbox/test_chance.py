"""What a submission draws at random is the same at every grading."""

from __future__ import annotations

import pytest

from autograder.sandbox import Sandbox
from tests.sandbox.conftest import start

SOURCES = {
    "torch": "float(torch.rand(()))",
    "python": "random.random()",
    "numpy": "float(numpy.random.rand())",
    "order of a set": "list({str(i) for i in range(20)})",
}


@pytest.mark.parametrize("isolation", ["auto", "no-namespaces"])
def test_two_gradings_draw_the_same(isolation: str) -> None:
    drawn = "{" + ", ".join(f"{name!r}: {code}" for name, code in SOURCES.items()) + "}"
    source = f"import random\nimport numpy\nimport torch\ndef split_heads(x, n_head):\n    return {drawn}\n"
    found = []
    for _ in range(2):
        with start(isolation) as sandbox:
            for _ in range(2):
                student = sandbox.student({"heads.py": source.encode()})
                found.append(student.split_heads(1, 1))
                student.close()
    assert found == found[:1] * 4


def test_other_chance_is_other_numbers(sandbox: Sandbox) -> None:
    """So that a diagnosis can tell chance from memory."""
    imports = b"import random\nimport torch\n"
    source = imports + b"def split_heads(x, n_head):\n    return random.random(), float(torch.rand(()))\n"
    with sandbox.student({"heads.py": source}) as student:
        first = student.split_heads(1, 1)
        student.fresh(chance=1)
        other = student.split_heads(1, 1)
        student.fresh()
        assert student.split_heads(1, 1) == first
    assert not set(first) & set(other)
