"""What this chapter needs before a class can be graded: its GPT-2."""

from __future__ import annotations

from pathlib import Path

from autograder.assignment import Assignment, AssignmentError
from autograder.chapter04.hidden.usable import reason
from autograder.chapter04.settings import MINI, gpt2_of, settings
from lab.models import MINI as FOLDER


def check(assignment: Assignment) -> None:
    """Raises AssignmentError where the GPT-2 that course.toml names cannot be graded with."""
    if why := reason(assignment):
        name = settings(assignment).course.gpt2
        raise AssignmentError(
            f'the GPT-2 that course.toml names cannot be had (gpt2 = "{name}"). {why}\n'
            'In course.toml, gpt2 = "mini" takes the one that comes with the kit.'
        )


def data(assignment: Assignment) -> Path:
    """The folder of the model that grades depend on, or its name on the hub."""
    name = gpt2_of(assignment)
    return FOLDER if name == MINI else Path(name)
