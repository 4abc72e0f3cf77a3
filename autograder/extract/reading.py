"""Students' text taken apart by a small process under limits: files and notebooks -> files to grade."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from autograder.assignment import Assignment
from autograder.results import Flag, Problem, Source

# What the notebook imports besides what the exercises' files do.
ALSO_GIVEN = ("import math", "import torch.nn.functional as F")
ABOVE = Path(__file__).resolve().parent.parent  # where that process finds this folder
MEMORY_MB = 1024  # a notebook with 50 MB of outputs takes about half of it
CPU_SECONDS = 10  # of CPU; for a notebook with 50 MB of outputs 0.4
MEND_SECONDS = 5  # of CPU, several times for a file that does not load; for a solution 0.1
LINES_SECONDS = 2  # of CPU; a solution's take 0.05
SCAN_SECONDS = 5  # of CPU for all files of a submission; four solutions take 0.05
MOST_FOUND = 1000  # uses in one answer
# -I -S: nothing of the environment, the working folder or site-packages is imported.
CODE = f"import sys, runpy; sys.path.append({str(ABOVE)!r}); runpy.run_module('extract', None, '__main__')"


@dataclass(frozen=True)
class Cell:
    """One cell as submitted, without its outputs."""

    type: str  # "code", "markdown", "raw"
    source: str
    grade_id: str  # nbgrader's name of the cell, "" when it has none


@dataclass(frozen=True)
class Text:
    """One file of a submission as it is handed to that process. `shown`: its path, for people; `meant`: the
    exercises' file that its name stands for, or ""; `likely`: whether such a file may well hold exercises
    (not notes, not tests)."""

    path: tuple[str, ...]
    shown: str
    data: bytes
    notebook: bool
    meant: str = ""
    likely: bool = True


@dataclass(frozen=True)
class Chosen:
    """What is graded. `files` is empty when nothing could be read, or when a person has to decide; `problems`
    then says why. `written`: whether any exercise is; `used`: the texts that exercises were taken from;
    `seconds`: CPU seconds that it took."""

    files: Mapping[str, bytes]
    cells: tuple[Cell, ...] = ()
    sources: tuple[Source, ...] = ()
    problems: tuple[Problem, ...] = ()
    flags: tuple[Flag, ...] = ()
    written: bool = False
    used: tuple[Text, ...] = ()
    seconds: float = 0.0


@cache
def _own(assignment: Assignment) -> tuple[str, ...]:
    """The assignment's own files for students that define something of an exercise's name."""
    texts = (path.read_text(encoding="utf-8") for path in own_files(assignment))
    return tuple(text for text in texts if defines(text, assignment))


def own_files(assignment: Assignment) -> list[Path]:
    """All Python files that students get."""
    folders = (assignment.exercises_folder, assignment.lab_folder)
    return [path for folder in folders if folder for path in sorted(folder.rglob("*.py"))]


def defines(text: str, assignment: Assignment) -> bool:
    """Whether a text seems to define an exercise. Looks for plain strings only."""
    return any(
        f"def {s}" in text or f"class {s}" in text or f"{s} =" in text or f"{s}=" in text
        for s in assignment.symbols
    )


def choose(texts: Sequence[Text], assignment: Assignment, *, notebook_first: bool = False) -> Chosen:
    """Decides for each exercise which of a submission's files and notebooks it is taken from, and puts them
    together. Never raises for anything in `texts`, and nothing of it is run."""
    job = {
        "task": "choose",
        "sources": [
            {
                "path": t.path,
                "shown": t.shown,
                "notebook": t.notebook,
                "meant": t.meant,
                "likely": t.likely,
                "size": len(t.data),
            }
            for t in texts
        ],
        "symbols": assignment.symbols,
        "stubs": assignment.stubs,
        "given": "\n".join(ALSO_GIVEN),
        "own": _own(assignment),
        "notebook": assignment.notebook,
        "notebook_first": notebook_first,
        "max_code": assignment.limits.submission_kb * 2**10,
        "memory_mb": MEMORY_MB,
        "cpu_seconds": CPU_SECONDS,
    }
    answer, seconds = _apart(job, b"".join(t.data for t in texts))
    if answer is None:
        return Chosen({}, problems=(_problem("limits"),), seconds=seconds)
    return replace(_checked(answer, texts, assignment), seconds=seconds)


def mended(source: bytes, line: int, own: Collection[str]) -> tuple[bytes, frozenset[str]]:
    """A file that cannot be loaded, without the statements that stop it: (the file, the names in it that do
    without them).

    line: where loading it stopped, from 1; own: the exercises in it. All lines keep their numbers. Never
    raises; nothing of it is run.
    """
    job = {"task": "mend", "line": line, "own": list(own)}
    answer, _ = _apart({**job, "memory_mb": MEMORY_MB, "cpu_seconds": MEND_SECONDS}, source)
    if answer is None:
        return source, frozenset()
    return answer["text"].encode("utf-8", "replace"), frozenset(answer["names"])


def fitting_lines(
    source: bytes, symbols: Sequence[str], patterns: Mapping[str, str]
) -> dict[str, list[tuple[int, str]]]:
    """Name of a pattern -> (number, text) of each line that it fits, in these functions of a file.

    Nothing when that took too long. Never raises.
    """
    job = {"task": "fit", "patterns": dict(patterns), "symbols": list(symbols)}
    answer, _ = _apart({**job, "memory_mb": MEMORY_MB, "cpu_seconds": LINES_SECONDS}, source)
    return {name: [(n, text) for n, text in lines] for name, lines in (answer or {}).items()}


@dataclass(frozen=True)
class Found:
    """A use of a name in one of the files; `spelt` differs from `name` where that stands for several."""

    name: str
    spelt: str
    file: str
    line: int


def scanned(
    files: Mapping[str, bytes], wanted: Mapping[str, tuple[Collection[str], Collection[str]]]
) -> tuple[list[Found], list[str]]:
    """(the first use of each name in each file, the files that could not be read within the limits).

    wanted: name -> the files where it counts, and the symbols; without both it counts in all files. See
    scan.py. Never raises; nothing of the files is run.
    """
    job = {
        "task": "scan",
        "sizes": [[name, len(source)] for name, source in files.items()],
        "wanted": [[name, list(f), list(s)] for name, (f, s) in wanted.items()],
        "memory_mb": MEMORY_MB,
        "cpu_seconds": SCAN_SECONDS,
    }
    data = b"".join(files.values())
    too_much: list[str] = []
    for _ in range(2):
        *began, last = _said({**job, "only_text": too_much}, data).splitlines() or [b""]
        with suppress(ValueError):
            answer = json.loads(last)
            if isinstance(answer, dict):
                found = [Found(*one) for one in answer["answer"]["found"][:MOST_FOUND]]
                return found, too_much
            too_much = [*too_much, answer] if answer in files else list(files)
    return [], list(files)


def _apart(job: Mapping[str, Any], data: bytes) -> tuple[Any, float]:
    """The answer of a process of its own, None when it came to its limits; its CPU seconds."""
    try:
        said = json.loads(_said(job, data))
        return said["answer"], said["seconds"]
    except ValueError:
        return None, job["cpu_seconds"]


def _said(job: Mapping[str, Any], data: bytes) -> bytes:
    """What a process of its own wrote (see __main__.py), be it that it came to its limits in the middle.

    One that was killed before it can have come to them is started once more: that was not the text's doing.
    """
    said = b""
    for _ in range(2):
        began = time.monotonic()
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-S", "-X", "utf8", "-c", CODE],
                input=json.dumps(job).encode() + b"\n" + data,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                # It computes and never waits, so its CPU limit ends it; a busy machine may need much longer.
                timeout=job["cpu_seconds"] * 10,
                start_new_session=True,  # Ctrl-C is for who asks
            )
        except subprocess.TimeoutExpired as error:
            return error.stdout or b""
        said = done.stdout
        if done.returncode >= 0 or time.monotonic() - began >= job["cpu_seconds"]:
            break
    return said


def _checked(answer: Mapping[str, Any], texts: Sequence[Text], assignment: Assignment) -> Chosen:
    """The process's answer, its files no larger than a file may be."""
    problems = [Problem.model_validate(p) for p in answer["problems"]]
    made = {name: text.encode("utf-8", "replace") for name, text in answer["files"].items()}
    for name, (number, end) in answer["verbatim"].items():
        made[name] = texts[number].data + end.encode("utf-8", "replace")
    files: dict[str, bytes] = {}
    limits, order = assignment.limits, {name: i for i, name in enumerate(assignment.files)}
    for name, data in sorted(made.items(), key=lambda one: (order.get(one[0], len(order)), one[0])):
        if len(data) > limits.file_kb * 2**10:
            problems.append(_problem("file_too_big", file=name, kb=len(data) // 2**10, limit=limits.file_kb))
        else:
            files[name] = data
    return Chosen(
        files,
        tuple(Cell(*cell) for cell in answer["cells"]),
        tuple(Source.model_validate(s) for s in answer["sources"]),
        tuple(problems),
        tuple(Flag.model_validate(f) for f in answer["flags"]),
        answer["written"],
        tuple(texts[number] for number in answer["used"]),
    )


def _problem(id: str, **params: str | int) -> Problem:
    return Problem.model_validate({"id": f"notebook.{id}", "params": params})
