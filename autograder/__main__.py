"""python -m autograder, and the command `autograder`. Ctrl-C is understood from the first moment."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line (cli.py), whose imports alone take a moment."""
    try:
        from autograder.cli import main as run

        run()
    except KeyboardInterrupt:
        print("autograder: stopped", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
