"""Loaded by a worker of a test cluster that is to have another version of the kit."""

from autograder import identity
from autograder.assignment import Assignment


def another(assignment: Assignment) -> str:
    """Not the hash of this kit."""
    return "another"


identity.code = another
