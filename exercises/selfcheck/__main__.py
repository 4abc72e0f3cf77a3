"""python -m exercises.selfcheck watch"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from exercises.selfcheck.chapter import HERE
from exercises.selfcheck.texts import LANGUAGES, Texts, language, named


def main() -> int:
    """What `python -m exercises.selfcheck` does; gives the exit code."""
    parser = argparse.ArgumentParser(prog="python -m exercises.selfcheck")
    commands = parser.add_subparsers(dest="command", required=True)
    watch = commands.add_parser("watch", help="after each save, test the exercise you are at")
    watch.add_argument("--lang", help=" or ".join(LANGUAGES))
    watch.add_argument("--code", metavar="FOLDER", type=Path, default=HERE, help="watch FOLDER instead")
    asked = parser.parse_args()
    texts = Texts(language(asked.lang))
    if asked.lang and named(asked.lang) is None:
        print(texts("ui.lang_unknown", languages=", ".join(LANGUAGES)))
        return 2
    if not asked.code.is_dir():
        print(texts("ui.no_folder", folder=asked.code))
        return 2
    from exercises.selfcheck.watch import watching

    return watching(asked.code.resolve(), texts)


if __name__ == "__main__":
    sys.exit(main())
