"""The exercises' files import each other in all ways in which people write it.

What is only imported is no second answer, and a package of the student's own loads as it did at home."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autograder.assignment import load_assignment
from tests.intake.forms import GOOD, Files, under
from tests.intake.test_forms import hand_in, works

OWN = {"heads": "ex1", "mask": "ex2", "attention": "ex3", "kv_cache": "ex4"}
INIT = "".join(
    f"from .{file} import {names}\n"
    for file, names in {
        "heads": "split_heads, merge_heads",
        "mask": "causal_mask, causal_softmax",
        "attention": "concat_and_project, MultiHeadAttention",
        "kv_cache": "attend_with_cache, generate",
    }.items()
)
STARS = "".join(f"from .{file.removesuffix('.py')} import *\n" for file in load_assignment().files)


def tried(file: str, names: str) -> str:
    again = f"from exercises.{file} import {names}"
    return f"try:\n    from {file} import {names}\nexcept ImportError:\n    {again}"


def guarded(file: str, names: str) -> str:
    more = "" if file == "ex3" else "\nif TYPE_CHECKING:\n    from ex3 import MultiHeadAttention"
    return f"from typing import TYPE_CHECKING\nfrom {file} import {names}{more}"


def importing(line: str) -> Files:
    """The solved files with other lines in the place of `from exercises.x import y`."""
    pattern = r"^from exercises\.(\w+) import (.*)$"
    return {n: re.sub(pattern, line, text, flags=re.M) for n, text in GOOD.items()}


def own_names(as_written: object) -> Files:
    files: Files = {}
    for name, text in GOOD.items():
        new = re.sub(
            r"^from exercises\.(\w+) import (.*)$",
            lambda m: as_written(OWN[m[1]], m[2]),  # type: ignore[operator]
            text,
            flags=re.M,
        )
        files[OWN[name.removesuffix(".py")] + ".py"] = new
    return files


def packed(folder: str, init: str, line: str) -> Files:
    return under(folder, importing(line)) | {f"{folder}/__init__.py": init}


NESTED = packed("a/b", INIT, r"from a.b.\1 import \2") | {"a/__init__.py": ""}
WAYS = {
    "try": importing(r"try:\n    from exercises.\1 import \2\nexcept ImportError:\n    from \1 import \2"),
    "try, own names": own_names(tried),
    "TYPE_CHECKING, own names": own_names(guarded),
    "exercises/__init__": packed("exercises", INIT, r"from exercises import \2"),
    "package": packed("mha", INIT, r"from mha.\1 import \2"),
    "through its package": packed("mha", INIT, r"from mha import \2"),
    "stars": packed("mha", STARS, r"from mha.\1 import *"),
    "package in a package": NESTED,
}


@pytest.mark.parametrize("name", sorted(WAYS))
def test_every_way_is_full_work_and_no_second_answer(tmp_path: Path, name: str) -> None:
    got = hand_in(tmp_path, WAYS[name])
    assert got.problems == ()
    assert {f.id for f in got.flags} <= {"read_as"}
    works(got)
