"""Loaded by every worker of a test cluster (also one that is started again): its judges are fake."""

from functools import cache

from autograder.batch import judges
from tests.batch.helpers import FAKE


@cache
def fake_judges() -> judges.Judges:
    return judges.Judges(FAKE)


judges._of_this_process = fake_judges
