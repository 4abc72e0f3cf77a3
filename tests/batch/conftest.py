from pathlib import Path

import pytest

from autograder.batch.child import START
from tests.batch.helpers import Room


@pytest.fixture
def room(tmp_path: Path, request: pytest.FixtureRequest) -> Room:
    """A class to be graded as it is on this system, or as the test asks (helpers.BOTH_WAYS)."""
    return Room(tmp_path, getattr(request, "param", START))
