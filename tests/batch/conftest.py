from pathlib import Path

import pytest

from tests.batch.helpers import Room


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)
