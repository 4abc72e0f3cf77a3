"""The chapter's five demonstrations.

python lab/04_multihead_mask.py                              all five, on the mini model
python lab/04_multihead_mask.py 3 5                          only sections 3 and 5 (or --section 3 --section 5)
python lab/04_multihead_mask.py 4 --layer all --model openai-community/gpt2
python lab/04_multihead_mask.py --attention exercises        with your own code
python lab/04_multihead_mask.py --html lab.html --lang pt-BR
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from lab.console import Console, ended  # noqa: E402
from lab.language import LANGUAGES, Texts  # noqa: E402
from lab.source import CHOICES  # noqa: E402


def arguments() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("sections", nargs="*", type=int, metavar="SECTION", help="1 to 5 (default: all)")
    p.add_argument("--section", action="append", type=int, default=[], metavar="N", help="the same, by name")
    p.add_argument("--model", default="mini", help="mini, openai-community/gpt2, or a folder")
    p.add_argument("--layer", default="0", help="the layer of sections 2 and 4, or all (section 4)")
    p.add_argument("--tokens", type=int, default=50, help="tokens to generate in section 5")
    p.add_argument("--attention", choices=CHOICES, default="auto", help="whose code does the attention")
    p.add_argument("--lang", choices=LANGUAGES, default="en")
    p.add_argument("--html", type=Path, metavar="FILE", help="write the figures as one page")
    p.add_argument("--json", type=Path, metavar="FILE", help="write the numbers")
    args = p.parse_args()
    args.sections += args.section
    return args


def main() -> int:
    args = arguments()
    out, t = Console(), Texts(args.lang)
    begun = time.perf_counter()
    from lab.run import Wrong, run

    try:
        data = run(args, out, t)
        files = []
        if args.json:
            files.append((args.json, json.dumps(data, ensure_ascii=False, indent=1)))
        if args.html:
            from lab.page import page

            files.append((args.html, page(data, t)))
        for path, text in files:
            try:
                path.write_text(text, encoding="utf-8")
            except OSError as e:
                raise Wrong(t("wrong.file", file=path, reason=e.strerror)) from None
            out.line(t("wrote", file=path))
    except Wrong as e:
        Console(sys.stderr).prose(str(e))
        return 2
    out.line(t("section.took", seconds=t.number(time.perf_counter() - begun, 1)))
    return 1 if data["failed"] else 0


if __name__ == "__main__":
    sys.exit(ended(main))
