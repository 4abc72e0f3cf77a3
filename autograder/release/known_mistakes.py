"""Makes exercises/known_mistakes.json from the catalogue: what the commonest mistakes return in the public
tests.

    python -m autograder.release.known_mistakes            writes the file anew; each mistake is really run
    python -m autograder.release.known_mistakes --texts    takes over changed texts only, and runs nothing
    python -m autograder.release.known_mistakes --check    says what would change, writes nothing; exit code 1
    if anything
    (each with --course FILE for another assignment)

The file holds values and texts, no code, so it can go to students. Its form is described in
exercises/selfcheck/known.py. Entries with `selfcheck = true` go in, once for every exercise they can happen
in and every result that one of their variants has there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from autograder.assignment import Assignment, load_assignment
from autograder.diagnosis.entries import Entry, catalogue
from autograder.diagnosis.mutants import Planted, calling, plant
from autograder.release.selfcheck import lay_out
from autograder.sandbox.trusted import package_names

FORMAT = 1


def file_of(assignment: Assignment) -> Path:
    """Where it lies."""
    return assignment.exercises_folder / "known_mistakes.json"


def wanted(assignment: Assignment) -> list[tuple[Entry, Planted]]:
    """The variants to run: of each common mistake all, for each returns something else."""
    return [
        (entry, planted)
        for entry in catalogue(assignment).values()
        if entry.selfcheck and not entry.advice
        for planted in plant(entry, assignment)
    ]


def make(assignment: Assignment) -> dict[str, Any]:
    """The file's content. Raises RuntimeError when the public tests cannot be run."""
    torch.set_num_threads(1)  # a process that is forked must not have threads
    mistakes: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        exercises = lay_out(assignment, Path(folder))
        for entry, planted in wanted(assignment):
            for tests in _spellings(planted, assignment, exercises):
                one = {
                    "id": entry.id,
                    "exercises": [planted.exercise],
                    "section": entry.section,
                    "tests": tests,
                    **_texts(entry),
                }
                if tests and one not in mistakes:  # without tests: the public tests do not see it
                    mistakes.append(one)
    return {"format": FORMAT, "mistakes": mistakes}


def _spellings(planted: Planted, assignment: Assignment, exercises: Path) -> list[dict[str, Any]]:
    """What the mistake returns; where it raises, also in code that calls the earlier exercises.

    Numbers are the same in both, but which line trips over a wrong shape is not.
    """
    found = [recorded(planted, assignment, exercises)]
    called = calling(planted)
    if called.source != planted.source and any(
        "exception" in value for cases in found[0].values() for value in cases.values()
    ):
        found.append(recorded(called, assignment, exercises))
    return found


def retold(assignment: Assignment) -> dict[str, Any]:
    """The file as it is, with the catalogue's texts of today."""
    content: dict[str, Any] = json.loads(file_of(assignment).read_text(encoding="utf-8"))
    known = catalogue(assignment)
    kept = [m for m in content["mistakes"] if m["id"] in known and known[m["id"]].selfcheck]
    for mistake in kept:
        entry = known[mistake["id"]]
        mistake.update({"section": entry.section, **_texts(entry)})
    return {**content, "mistakes": kept}


def _texts(entry: Entry) -> dict[str, Any]:
    """What is said in each language, for a terminal: no marks around code."""

    def plain(text: str) -> str:
        return text.replace("`", "")

    return {
        lang: {"name": plain(w.name), "why": plain(w.why), "hints": [plain(hint) for hint in w.hints]}
        for lang, w in entry.languages.items()
    }


def recorded(planted: Planted, assignment: Assignment, exercises: Path) -> dict[str, Any]:
    """TEST -> cases, of the public tests of the exercise that the mistake fails. exercises: as laid out."""
    with tempfile.TemporaryDirectory() as name:
        folder, record = Path(name) / "code", Path(name) / "record.json"
        folder.mkdir()
        package, solutions = package_names(assignment)
        for file, right in assignment.solutions.items():
            text = planted.source if file == planted.file else right
            text = text.replace(f"from {solutions}.", f"from {package}.")
            (folder / file).write_text(text, encoding="utf-8")
        sheet = str(exercises / f"test_{assignment[planted.exercise].sheet}.py")
        said = _pytest(
            ["-q", "-p", "no:cacheprovider", sheet, "--code", str(folder), "--record", str(record)],
            exercises.parent,
        )
        if not record.exists():
            raise RuntimeError(f"the public tests did not run on {planted.mistake}:\n{said}")
        tests = json.loads(record.read_text(encoding="utf-8"))["tests"]
    return {
        name: test["cases"]
        for name, test in tests.items()
        if test["exercise"] == planted.exercise and test["outcome"] == "wrong"
    }


def _pytest(arguments: list[str], cwd: Path) -> str:
    """Runs pytest in a process of its own and gives back what it printed.

    Forked where that can be done: torch is imported once, and not for every mistake.
    """
    if not hasattr(os, "fork"):
        command = [sys.executable, "-m", "pytest", *arguments]
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
        return done.stdout + done.stderr
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            code = 3
            try:
                os.chdir(cwd)
                code = int(pytest.main(arguments))
            finally:
                sys.stdout.flush()
                os._exit(code)
        os.waitpid(child, 0)
        output.seek(0)
        return output.read().decode("utf-8", "replace")


def text_of(content: dict[str, Any]) -> str:
    """As JSON: one line a mistake, so that a change shows where it is."""
    lines = ",\n".join(json.dumps(m, ensure_ascii=False, separators=(",", ":")) for m in content["mistakes"])
    return f'{{"format": {content["format"]}, "mistakes": [\n{lines}\n]}}\n'


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes or checks the file."""
    parser = argparse.ArgumentParser(prog="python -m autograder.release.known_mistakes", description=__doc__)
    parser.add_argument("--check", action="store_true", help="say what would change, write nothing")
    parser.add_argument("--texts", action="store_true", help="take over changed texts only")
    parser.add_argument("--course", type=Path, help="another assignment's course.toml")
    options = parser.parse_args(arguments)
    assignment = load_assignment(options.course)
    content, file = retold(assignment) if options.texts else make(assignment), file_of(assignment)
    size = f"{len(content['mistakes'])} entries, {len({m['id'] for m in content['mistakes']})} mistakes"
    if options.check:
        old = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
        print(f"{file.name}: {size}; {'up to date' if old == content else 'to be made anew'}")
        return int(old != content)
    file.write_text(text_of(content), encoding="utf-8")
    print(f"{file.name}: {size}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
