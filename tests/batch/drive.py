"""Grades a class with the fake judge, as a program of its own: to be stopped, or killed, by a test."""

from __future__ import annotations

import sys
from pathlib import Path

from autograder.batch import child
from tests.batch.helpers import FAKE, Room, scores


def main() -> None:
    child.PRELOAD[:] = [FAKE]  # no torch: nothing here computes
    graded, _ = Room(Path(sys.argv[1]), "spawn" if sys.argv[2] == "spawn" else "forkserver").grade()
    print("interrupted" if graded.interrupted else "whole", len(scores(graded)), flush=True)


if __name__ == "__main__":
    main()
