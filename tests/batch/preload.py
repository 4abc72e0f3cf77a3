"""Loaded by every worker of a test cluster (also one that is started again): its judges are fake."""

import os
from functools import cache

from autograder.batch import judges
from tests.batch.helpers import FAKE


@cache
def fake_judges() -> judges.Judges:
    return judges.Judges(os.environ.get("FAKE_JUDGE", FAKE))


judges._of_this_process = fake_judges
