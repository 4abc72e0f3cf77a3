"""Which files students get."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from autograder.assignment import ROOT, Assignment, Language
from autograder.nbgrader.build import docstrings
from autograder.nbgrader.build.notebook import build, released, students_version

HERE = Path(__file__).resolve().parent
NOTEBOOK = "exercises/multihead_mask.ipynb"
README = {"en": "README.md", "pt-BR": "LEIAME.md"}
KINDS = {".py", ".ipynb", ".md", ".toml", ".json", ".txt", ".css", ".js", ".html", ".svg", ".ini"}
KINDS |= {".safetensors"}
# Of requirements.txt, what students need; the rest is for grading.
PACKAGES = ("torch", "transformers", "tokenizers", "safetensors", "numpy", "einops", "pytest")


class Stale(Exception):
    """A generated file does not fit what it is generated from; the text says what to run."""


def contents(assignment: Assignment, lang: Language) -> dict[str, bytes]:
    """Path in the folder -> bytes. Raises Stale."""
    found = {str(path.relative_to(ROOT).as_posix()): path.read_bytes() for path in _files()}
    if NOTEBOOK not in found or not _fits(found[NOTEBOOK].decode("utf-8"), assignment):
        raise Stale(f"{NOTEBOOK} is older than the exercises or tests; run `autograder notebook build`")
    if lang != "en":
        found[NOTEBOOK] = released(build(assignment, lang)).encode()
        settings = "exercises/selfcheck/settings.toml"
        found[settings] = _in_language(found[settings], lang)
        for file in docstrings.files_of(assignment):
            path = f"exercises/{file}"
            found[path] = docstrings.in_language(found[path].decode("utf-8"), file, assignment, lang).encode()
    for language, name in README.items():
        found[name] = (HERE / f"student.{language}.md").read_bytes()
    found["requirements.txt"] = requirements().encode()
    found["pytest.ini"] = b"[pytest]\ntestpaths = exercises\n"
    return dict(sorted(found.items()))


def _files() -> Iterator[Path]:
    """exercises/ and lab/, without what Python and editors leave behind."""
    for room in ("exercises", "lab"):
        for path in sorted((ROOT / room).rglob("*")):
            parts = path.relative_to(ROOT).parts
            hidden = any(p.startswith(".") or p == "__pycache__" for p in parts)
            if path.is_file() and not path.is_symlink() and not hidden and path.suffix != ".pyc":
                yield path


def _fits(notebook: str, assignment: Assignment) -> bool:
    return students_version(build(assignment, "en")) == students_version(notebook)


def _in_language(settings: bytes, lang: Language) -> bytes:
    found = settings.decode("utf-8")
    text, count = re.subn(r'^language = "[^"]*"', f'language = "{lang}"', found, flags=re.M)
    assert count == 1
    return text.encode()


def requirements() -> str:
    """The lines of requirements.txt that students need."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if re.split(r"[=<>~! ;\[]", line)[0] in PACKAGES]
    return "\n".join([*kept, "", "# only if you work in the notebook", "jupyterlab", ""])
