"""What a page offers to be pasted runs, and prints what the example says is expected."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from autograder.assignment import load_assignment
from autograder.chapter04.diagnosis.examples import examples
from autograder.diagnosis import views
from autograder.diagnosis.chapter import expected
from autograder.feedback.snippet import snippet

IDS = [e.id for e in load_assignment().exercises]
CASES = [(id, n) for id in IDS for n in range(len(examples(id)))]


@pytest.mark.parametrize(("exercise", "number"), CASES)
def test_it_runs_and_prints_what_is_expected(exercise: str, number: int) -> None:
    example, assignment = examples(exercise)[number], load_assignment()
    shown: dict[str, Any] = {
        "inputs": {name: views.view(value) for name, value in example.inputs.items()},
        "setup": example.setup,
        "tried": example.pasted,
    }
    text = snippet(shown, assignment, notebook=False)
    assert "from exercises." in text
    printed: list[Any] = []
    run = {"print": printed.append}
    try:
        exec(text.replace("from exercises.", "from solutions."), run)
    except ValueError as error:  # one example is of what is refused
        printed.append(error)
    wanted = expected_of(exercise, number)
    calls, results = ([p for p in printed if isinstance(p, str) is kind] for kind in (True, False))
    if isinstance(wanted, ValueError):
        assert isinstance(results[-1], ValueError)
    elif example.row:
        assert len(calls) == len(wanted)
        assert all(
            f"start = {row[2]}, cache: {row[3]} tokens" in c
            for c, row in zip(calls, wanted.tolist(), strict=True)
        )
    else:
        got = torch.cat(results, dim=1) if exercise == "attend_with_cache" else results[-1]
        assert got.dtype == wanted.dtype
        assert views.first_difference(got.detach(), wanted.detach()) is None
    in_notebook = snippet(shown, assignment, notebook=True)
    assert "from " not in in_notebook
    assert in_notebook.startswith("import torch\n")


def expected_of(exercise: str, number: int) -> Any:
    try:
        return expected(load_assignment(), exercise, number)
    except Exception as error:
        return ValueError(str(error))
