"""A class whose judge processes are programs of their own, and again with forks of a warm one."""

import sys
from pathlib import Path

import pytest

from tests.batch.helpers import Room

FORKED = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="judge processes fork on Linux only")


@pytest.fixture(params=["programs", pytest.param("forks", marks=FORKED)])
def room(tmp_path: Path, request: pytest.FixtureRequest) -> Room:
    return Room(tmp_path, forks=request.param == "forks")
