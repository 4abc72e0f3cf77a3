"""Submissions go through the real thing, as in tests/judge."""

import random

import pytest
import torch

from tests.grading.conftest import grade, hand_in

__all__ = ["grade", "hand_in"]


@pytest.fixture(autouse=True)
def same_chance() -> None:
    """As in a worker: what is drawn at random is the same in every run."""
    random.seed(0)
    torch.manual_seed(0)
