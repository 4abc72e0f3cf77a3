"""A submitted notebook -> the files to grade, read by a small process under limits (see extract/)."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from autograder.course import ROOT, Course
from autograder.results import Flag, Problem

HERE = Path(__file__).resolve().parent
MEMORY_MB = 1024  # a notebook with 50 MB of outputs takes about a third of it
CPU_SECONDS = 20
# -I -S: nothing of the environment, the working folder or site-packages is imported.
CODE = f"import sys; sys.path.insert(0, {str(HERE)!r}); import runpy; runpy.run_module('extract', run_name='__main__')"


@dataclass(frozen=True)
class Cell:
    """One cell as submitted, without its outputs."""

    type: str  # "code", "markdown", "raw"
    source: str
    grade_id: str  # nbgrader's name of the cell, "" when it has none


@dataclass(frozen=True)
class Notebook:
    """What could be read. `files` is empty when nothing could; `problems` then says why."""

    files: Mapping[str, bytes]
    cells: tuple[Cell, ...] = ()
    problems: tuple[Problem, ...] = ()
    flags: tuple[Flag, ...] = ()


def symbols_of(course: Course) -> dict[str, str]:
    """Exercise symbol -> the file it is written in, in the chapter's order."""
    found: dict[str, str] = {}
    for exercise in course.exercises:
        if exercise.id in exercise.symbols:  # "gpt2" has no symbol of its own
            found[exercise.id] = exercise.file
    return found


@cache
def stubs(files: tuple[str, ...]) -> dict[str, str]:
    """File name -> its text as students get it."""
    return {name: (ROOT / "exercises" / name).read_text(encoding="utf-8") for name in files}


def read_notebook(data: bytes, course: Course) -> Notebook:
    """Takes a notebook apart. Never raises for anything in `data`, and nothing of it is run."""
    if len(data) > course.limits.notebook_mb * 2**20:
        sizes = {"mb": round(len(data) / 2**20, 1), "limit": course.limits.notebook_mb}
        return Notebook({}, problems=(Problem(id="notebook.too_big", params=sizes),))
    symbols = symbols_of(course)
    job = {
        "symbols": symbols,
        "stubs": stubs(tuple(dict.fromkeys(symbols.values()))),
        "max_code": course.limits.submission_kb * 2**10,
        "memory_mb": MEMORY_MB,
        "cpu_seconds": CPU_SECONDS,
    }
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-X", "utf8", "-c", CODE],
            input=json.dumps(job).encode() + b"\n" + data,
            capture_output=True,
            timeout=CPU_SECONDS * 6,
            check=True,
            env={},
        )
        answer = json.loads(done.stdout)
    except (subprocess.SubprocessError, ValueError):
        return Notebook({}, problems=(Problem(id="notebook.limits"),))
    return _checked(answer, course)


def _checked(answer: dict[str, object], course: Course) -> Notebook:
    """The process's answer, its files no larger than a file may be."""
    assert isinstance(answer["files"], dict)
    assert isinstance(answer["cells"], list)
    assert isinstance(answer["problems"], list)
    assert isinstance(answer["flags"], list)
    problems = [Problem.model_validate(p) for p in answer["problems"]]
    files: dict[str, bytes] = {}
    for name, text in answer["files"].items():
        data = text.encode("utf-8", "replace")
        if len(data) > course.limits.file_kb * 2**10:
            sizes = {"file": name, "kb": len(data) // 2**10, "limit": course.limits.file_kb}
            problems.append(Problem(id="notebook.file_too_big", params=sizes))
        else:
            files[name] = data
    cells = tuple(Cell(*cell) for cell in answer["cells"])
    return Notebook(files, cells, tuple(problems), tuple(Flag.model_validate(f) for f in answer["flags"]))


def best_of(notebooks: Mapping[str, Notebook], wanted: str = "multihead_mask.ipynb") -> str | None:
    """Which of several notebooks in one submission is the exercise: by name, else the one with most of its cells."""
    if wanted in notebooks and notebooks[wanted].files:
        return wanted
    usable = {name: n for name, n in notebooks.items() if n.files}
    ranked = sorted(usable, key=lambda name: (len(usable[name].problems), name))
    return ranked[0] if ranked else next(iter(sorted(notebooks)), None)
