"""Submissions written as one small file: some functions, the rest from the solutions.

The file says where its code belongs, with lines such as

    # in heads.py             put at the end of the solution's heads.py, so that it redefines symbols
    # whole heads.py          in the place of the solution's heads.py

and, in wrong/, what it must cost:

    # loses: split_heads, gpt2     exactly these exercises lose points (follow-through counted in)
    # may lose: gpt2               and these, depending on the numbers in GPT-2
    # told by: mask/mask_device    tests worth nothing that must not pass
    # timing                       the tests of cost are run as well
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOLUTIONS = HERE.parent.parent / "solutions"
FILES = ("heads.py", "mask.py", "attention.py", "kv_cache.py")
PLACE = re.compile(r"^# (in|whole) (\w+\.py)$", re.MULTILINE)


@dataclass(frozen=True)
class Written:
    """One such file."""

    name: str
    files: dict[str, str]  # all four, complete
    loses: frozenset[str]
    may_lose: frozenset[str]
    told_by: frozenset[str]
    timing: bool


def read(path: Path) -> Written:
    """Raises AssertionError when the file does not say where its code belongs."""
    text = path.read_text(encoding="utf-8")
    head, *rest = PLACE.split(text)
    assert rest, f"{path.name}: no line `# in heads.py` or the like"
    files = {name: (SOLUTIONS / name).read_text(encoding="utf-8") for name in FILES}
    for how, name, code in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        assert name in files, f"{path.name}: no exercise file {name}"
        files[name] = code if how == "whole" else f"{files[name]}\n\n{code}"
    return Written(
        path.stem,
        files,
        _list(head, "loses"),
        _list(head, "may lose"),
        _list(head, "told by"),
        re.search("^# timing$", head, re.M) is not None,
    )


def all_in(folder: str) -> list[Written]:
    """Every file of styles/ or wrong/, by name."""
    return [read(path) for path in sorted((HERE / folder).glob("*.py"))]


def _list(head: str, key: str) -> frozenset[str]:
    found = re.search(rf"^# {key}: (.+)$", head, re.MULTILINE)
    return frozenset(name.strip() for name in found[1].split(",")) if found else frozenset()
