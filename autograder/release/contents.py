"""Which files students get."""

from __future__ import annotations

import re

from autograder.assignment import KIT, Assignment
from autograder.course import Language
from autograder.nbgrader.build import docstrings
from autograder.nbgrader.build.notebook import build, released, students_version
from autograder.release.selfcheck import EXERCISES, ORIGINALS, Stale, exercises_of, files_in, originals

KINDS = {".py", ".ipynb", ".md", ".toml", ".json", ".txt", ".css", ".js", ".html", ".svg", ".ini"}
KINDS |= {".safetensors"}
# Of requirements.txt, what students need; the rest is for grading.
PACKAGES = (
    "torch",
    "transformers",
    "tokenizers",
    "safetensors",
    "numpy",
    "einops",
    "pytest",
    "watchfiles",
    "rich",
)


def contents(assignment: Assignment, lang: Language) -> dict[str, bytes]:
    """Path in the folder -> bytes. Raises Stale."""
    found = {f"{EXERCISES}/{name}": data for name, data in exercises_of(assignment).items()}
    if assignment.lab_folder:
        found |= {f"lab/{name}": data for name, data in files_in(assignment.lab_folder)}
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
    own = {
        name.removeprefix(f"{EXERCISES}/"): d for name, d in found.items() if name.startswith(f"{EXERCISES}/")
    }
    found[f"{EXERCISES}/{ORIGINALS}"] = originals(own, assignment, own=False).encode()
    for path in sorted((assignment.chapter_folder / "readme").glob("*.*.md")):
        found[f"{path.name.split('.')[0]}.md"] = path.read_bytes()  # README.en.md -> README.md
    found["requirements.txt"] = requirements().encode()
    found["pytest.ini"] = b"[pytest]\ntestpaths = exercises\n"
    return dict(sorted(found.items()))


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
