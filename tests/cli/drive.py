"""The command line with the fake judge, to be killed, or to be met by a disk that is full, by a test.

FAIL_AFTER=n: from the n-th write on every write of a whole file fails as FAIL_WITH (an errno) says.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

from autograder import cli, store
from autograder.batch import child, run
from autograder.batch.judges import Judges

FAKE = "tests.batch.fake_judge"


class Failing:
    """Stands in the place of tempfile's mkstemp."""

    def __init__(self, after: int, error: int) -> None:
        self.left, self.error = after, error

    def __call__(self, **how: Any) -> tuple[int, str]:
        self.left -= 1
        if self.left < 0:
            raise OSError(self.error, os.strerror(self.error))
        return tempfile.mkstemp(**how)


class Tempfile:
    """The module as store.py uses it."""

    def __init__(self, mkstemp: Failing) -> None:
        self.mkstemp = mkstemp


def main() -> None:
    """The command line."""
    child.PRELOAD[:] = [FAKE]  # no torch: nothing here computes
    vars(run)["Judges"] = lambda: Judges(FAKE)
    if "FAIL_AFTER" in os.environ:
        failing = Failing(int(os.environ["FAIL_AFTER"]), int(os.environ["FAIL_WITH"]))
        vars(store)["tempfile"] = Tempfile(failing)
    cli.main()


if __name__ == "__main__":
    main()
