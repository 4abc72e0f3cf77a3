"""Which files students get."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograder.assignment import KIT, Assignment
from autograder.course import Language
from autograder.nbgrader.build import docstrings
from autograder.nbgrader.build.notebook import build, released, students_version
from autograder.release.selfcheck import FACTS, facts, package

EXERCISES = "exercises"  # so students import their files
KINDS = {".py", ".ipynb", ".md", ".toml", ".json", ".txt", ".css", ".js", ".html", ".svg", ".ini"}
KINDS |= {".safetensors"}
# Of requirements.txt, what students need; the rest is for grading.
PACKAGES = ("torch", "transformers", "tokenizers", "safetensors", "numpy", "einops", "pytest")


class Stale(Exception):
    """A generated file does not fit what it is generated from; the text says what to run."""


def contents(assignment: Assignment, lang: Language) -> dict[str, bytes]:
    """Path in the folder -> bytes. Raises Stale."""
    found = {f"{EXERCISES}/{name}": data for name, data in package().items()} | dict(_files(assignment))
    told = f"{EXERCISES}/{FACTS}"
    if found.setdefault(told, facts(assignment).encode()) != facts(assignment).encode():
        raise Stale(f"{told} is older than course.toml; run `autograder notebook build`")
    notebook = f"{EXERCISES}/{assignment.notebook}"
    if notebook not in found or not _fits(found[notebook].decode("utf-8"), assignment):
        raise Stale(f"{notebook} is older than the exercises or tests; run `autograder notebook build`")
    if lang != "en":
        found[notebook] = released(build(assignment, lang), assignment).encode()
        settings = f"{EXERCISES}/selfcheck/settings.toml"
        found[settings] = _in_language(found[settings], lang)
        for file in docstrings.files_of(assignment):
            name = f"{EXERCISES}/{file}"
            found[name] = docstrings.in_language(found[name].decode("utf-8"), file, assignment, lang).encode()
    for path in sorted((assignment.chapter_folder / "readme").glob("*.*.md")):
        found[f"{path.name.split('.')[0]}.md"] = path.read_bytes()  # README.en.md -> README.md
    found["requirements.txt"] = requirements().encode()
    found["pytest.ini"] = b"[pytest]\ntestpaths = exercises\n"
    return dict(sorted(found.items()))


def _files(assignment: Assignment) -> Iterator[tuple[str, bytes]]:
    """exercises/ and the lab, without what Python and editors leave behind."""
    folders = {EXERCISES: assignment.exercises_folder, "lab": assignment.lab_folder}
    for room, folder in folders.items():
        for path in sorted(folder.rglob("*")) if folder else []:
            parts = path.relative_to(folder).parts if folder else ()
            hidden = any(p.startswith(".") or p == "__pycache__" for p in parts)
            if path.is_file() and not path.is_symlink() and not hidden and path.suffix != ".pyc":
                yield "/".join([room, *parts]), path.read_bytes()


def _fits(notebook: str, assignment: Assignment) -> bool:
    return students_version(build(assignment, "en")) == students_version(notebook)


def _in_language(settings: bytes, lang: Language) -> bytes:
    found = settings.decode("utf-8")
    text, count = re.subn(r'^language = "[^"]*"', f'language = "{lang}"', found, flags=re.M)
    assert count == 1
    return text.encode()


def requirements() -> str:
    """The lines of requirements.txt that students need."""
    lines = (KIT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if re.split(r"[=<>~! ;\[]", line)[0] in PACKAGES]
    return "\n".join([*kept, "", "# only if you work in the notebook", "jupyterlab", ""])
