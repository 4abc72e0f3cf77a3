"""Does every known mistake get its own name, and nothing right a wrong one? The table behind `autograder
check-kit`.

python -m autograder.diagnosis.confusion        prints it; exit code 1 when something does not hold
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autograder.assignment import Assignment, load_assignment
from autograder.diagnosis.entries import Entry, Words, catalogue
from autograder.diagnosis.matching import Answers, known, match
from autograder.diagnosis.mutants import local_student

# Names of code, which a page sets as code: what has an underscore, a call, and PyTorch's own words.
BARE = re.compile(
    r"\b\w*_\w+|\b\w+\(|\b(?:True|False|dtype|b?float(?:16|32|64)|argmax|triu|tril|reshape|transpose|permute|dim)\b"
)
PLACE = re.compile(r"^# in (\w+\.py)$", re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """One planted variant and what it was called. `named`: several cannot be told apart on any probe."""

    mistake: str
    exercise: str
    number: int
    named: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Named as itself, alone or among its equals."""
        return self.mistake in self.named

    @property
    def alone(self) -> bool:
        """Named as itself and nothing else."""
        return self.named == (self.mistake,)


@dataclass(frozen=True)
class Confusion:
    """`rows`: every variant in every exercise. `styles`: right code that was given a mistake. `texts`: what
    is wrong
    with the texts."""

    rows: tuple[Row, ...]
    styles_tried: int
    styles: tuple[str, ...] = ()
    texts: tuple[str, ...] = field(default=())

    @property
    def passed(self) -> bool:
        """Whether everything holds."""
        return all(r.right for r in self.rows) and not self.styles and not self.texts


def confusion(assignment: Assignment) -> Confusion:
    """Plants every variant alone in the solutions and diagnoses it. Takes some twenty seconds."""
    rows = []
    for exercise in assignment.exercises:
        for one in known(exercise.id, assignment):
            found = match(Answers(one.planted.student()), exercise.id, assignment)
            rows.append(Row(one.planted.mistake, exercise.id, one.planted.number, found.mistakes))
    tried, wronged = right_styles(assignment)
    return Confusion(tuple(rows), tried, tuple(wronged), tuple(text_problems(assignment)))


def right_styles(assignment: Assignment) -> tuple[int, list[str]]:
    """(styles tried, those given a mistake that costs points and in which exercise)."""
    wronged = []
    folder = assignment.chapter_folder / "styles"
    styles = {"solutions": {}, **{path.stem: read_style(path, assignment) for path in folder.glob("*.py")}}
    for name, sources in styles.items():
        student = local_student(assignment, sources)
        for exercise in assignment.exercises:
            for mistake in match(Answers(student), exercise.id, assignment).mistakes:
                if not catalogue(assignment)[mistake].advice:
                    wronged.append(f"{name}: {exercise.id} was called {mistake}")
    return len(styles), wronged


def read_style(path: Path, assignment: Assignment) -> dict[str, str]:
    """The files of a right submission: pieces marked `# in <file>` are put at the end of the solution's
    file."""
    _, *rest = PLACE.split(path.read_text(encoding="utf-8"))
    found = {}
    for file, code in zip(rest[::2], rest[1::2], strict=True):
        found[file] = f"{assignment.solutions[file]}\n\n{code}"
    return found


def text_problems(assignment: Assignment) -> list[str]:
    """What is missing or gives too much away, entry by entry; empty when all is well."""
    found = []
    for entry in catalogue(assignment).values():
        for lang in entry.languages:
            found += [
                f"{entry.id}.toml [{lang}]: {problem}" for problem in _problems(entry, lang, assignment)
            ]
        found += [
            f"{entry.id}.toml: there is no [{lang}]; add it"
            for lang in assignment.languages
            if lang not in entry.languages
        ]
        if len({repr(words) for words in entry.languages.values()}) < len(entry.languages):
            found.append(f"{entry.id}.toml: two languages have the same texts; translate one")
    return found


def _problems(entry: Entry, lang: str, assignment: Assignment) -> list[str]:
    words: Words = entry.words(lang)
    found = []
    if "?" not in words.hints[0]:
        found.append("hints[0] is not a question; ask one")
    for text in (words.name, words.what, words.why, words.effect, *words.hints):
        if text.count("`") % 2 or "{" in text or "}" in text:
            found.append(f"{text[:40]!r}: a ` is not closed, or there is a brace; correct it")
        found += [f"{bare!r} in {text[:40]!r}: put it in backticks" for bare in _bare(text)]
    for hint in words.hints:
        for line in solution_lines(assignment):
            if line in hint.replace("`", ""):
                found.append(f"a hint contains the finished line {line!r}; name the operation instead")
    return found


def _bare(text: str) -> list[str]:
    """Names of code that stand outside of backticks."""
    return BARE.findall(" ".join(text.split("`")[::2]))


@cache
def solution_lines(assignment: Assignment) -> frozenset[str]:
    """Lines of code of the solutions that would solve something if they were told."""
    lines: set[str] = set()
    for text in assignment.solutions.values():
        text = re.sub(r'"""[\s\S]*?"""', "", text)
        for line in text.splitlines():
            code = line.split("  #")[0].strip()
            if len(code) >= 12 and not code.startswith(("#", "def ", "class ", "from ", "import ", "@")):
                lines.add(code.removeprefix("return "))
                lines.add(code.partition(" = ")[2] or code)
    return frozenset(line for line in lines if len(line) >= 12)


def show(found: Confusion, console: Console | None = None) -> bool:
    """Prints the table; whether everything holds."""
    console = console or Console()
    table = Table(title="Known mistakes, each planted alone in an otherwise right submission")
    for heading in ("mistake", "exercise", "variants", "named", "right"):
        table.add_column(
            heading,
            justify="right" if heading == "variants" else "left",
            no_wrap=heading in ("mistake", "exercise"),
        )
    grouped: dict[tuple[str, str], list[Row]] = {}
    for row in sorted(found.rows, key=lambda r: (r.mistake, r.exercise, r.number)):
        grouped.setdefault((row.mistake, row.exercise), []).append(row)
    for (mistake, exercise), rows in grouped.items():
        named = dict.fromkeys(name for r in rows for name in r.named)
        others = [name for name in named if name != mistake]
        what = "itself" if not others else f"itself or {', '.join(others)}"
        right = all(r.right for r in rows)
        table.add_row(
            mistake, exercise, str(len(rows)), what if right else ", ".join(named) or "nothing", _yes(right)
        )
    console.print(table)
    all_rows = found.rows
    alone = sum(r.alone for r in all_rows)
    console.print(
        f"{len({r.mistake for r in all_rows})} mistakes, {len(all_rows)} variants in "
        f"{len({r.exercise for r in all_rows})} exercises: {alone} named as themselves alone, "
        f"{sum(r.right for r in all_rows) - alone} among equals, "
        f"{sum(not r.right for r in all_rows)} not; "
        f"{found.styles_tried} right styles, {len(found.styles)} of them given a mistake; "
        f"{len(found.texts)} problems in the texts"
    )
    for line in (*found.styles, *found.texts):
        console.print(line, markup=False)
    return found.passed


def _yes(right: bool) -> str:
    return "yes" if right else "[red]NO[/red]"


if __name__ == "__main__":
    sys.exit(0 if show(confusion(load_assignment())) else 1)
