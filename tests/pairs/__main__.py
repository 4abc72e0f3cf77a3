"""Are two mistakes in different exercises of one submission both named, and nothing that is not there?

    python -m tests.pairs                        a sample of 300
    python -m tests.pairs --sample 1000 --jobs 2
    python -m tests.pairs --all --keep FILE      every pair; goes on where it was stopped

Exit code 1 when one in twenty is not named right, or anything is named that is not there.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from autograder.assignment import load_assignment
from tests.pairs.kept import Kept
from tests.pairs.measure import all_pairs, measure, name_of, told


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.pairs",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--all", action="store_true", help="every pair")
    parser.add_argument("--sample", type=int, default=300, metavar="N", help="so many of them (300)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (1)")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="keep the answers there, and go on from them"
    )
    options = parser.parse_args(arguments)
    assignment = load_assignment()
    pairs = all_pairs(assignment)
    if not options.all:
        pairs = random.Random(4).sample(pairs, min(options.sample, len(pairs)))
    kept = Kept(options.keep, assignment)
    todo = [pair for pair in pairs if name_of(pair) not in kept.said]
    start = last = time.monotonic()
    for done, said in enumerate(measure(todo, assignment, options.jobs), 1):
        kept.add(said)
        if not said.fine:
            print(f"{said.pair}: {', '.join(said.each)}; {', '.join(said.invented)}", flush=True)
        if time.monotonic() - last > 30:
            last = time.monotonic()
            left = (last - start) / done * (len(todo) - done) / 60
            print(f"{done} of {len(todo)}, {left:.0f} minutes left", file=sys.stderr, flush=True)
    lines, good = told(kept.said[name_of(pair)] for pair in pairs)
    print(*lines, sep="\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
