"""What the hidden tests take points off for, the self-check refuses too; what has full marks, it finds right.

Exercise by exercise, in one process, over every right style, every known mistake, and strange code of both
kinds. GPT-2 is left out (no code belongs to it), and so are the hidden tests that measure time: see TIMING.
"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from functools import cache

from autograder.assignment import load_assignment
from autograder.checks import directly
from autograder.diagnosis.entries import catalogue
from autograder.diagnosis.mutants import plant
from autograder.sandbox import LocalStudent
from autograder.sandbox.trusted import load
from exercises.selfcheck.chapter import FILE_OF
from tests.chapter04.grading import assignment, hidden_tests
from tests.chapter04.pieces import all_in
from tests.exercises import strange
from tests.exercises.direct import troubles
from tests.exercises.run import FILES, ROOT

EXERCISES = [e.id for e in assignment().exercises if e.id != "gpt2"]
# Right numbers, no time saved: the hidden tests see that only with a clock, which is left out here.
TIMING = {"cache_whole_text_again", "cache_whole_text_again_fast", "recompute-all"}

# Demands of a docstring that the self-check asks for also where a course gives no points for them.
WITHOUT_POINTS = {
    "heads/split_refuses_uneven_heads": "heads/split_refuses_unequal_slices",
    "kv_cache/more_than_the_model_can_see_is_refused": "kv_cache/past_the_last_position",
}


def lost(files: dict[str, str], exercise: str) -> list[str]:
    """The hidden tests of that exercise that take points off."""
    ids = [
        id
        for id, (_, mark) in hidden_tests().items()
        if mark["exercise"] == exercise and mark["points"] > 0 and not mark["timing"]
    ]
    student = LocalStudent(load_assignment(), load(load_assignment(), files))
    return [o.id for o in directly.run_directly(assignment(), student, only=ids) if not o.earns]


def differences(name: str, files: dict[str, str], exercise: str, right: bool | None = None) -> Iterator[str]:
    """What the two do not agree in; `right`: what both must say, if that is known."""
    with contextlib.redirect_stdout(io.StringIO()):
        hidden, public = lost(files, exercise), troubles(load(load_assignment(), files), exercise)
    for test, counterpart in WITHOUT_POINTS.items():
        if hidden_tests()[counterpart][1]["points"] == 0 and right is not False:
            public.pop(test, None)
    differ = bool(hidden) != bool(public) if right is None else bool(public) == right or bool(hidden) == right
    if differ:
        yield f"{name}, {exercise}: hidden {hidden}, self-check {public}"


def touched(files: dict[str, str]) -> list[str]:
    """The exercises in the first file that is not the solution's, and in those after it: they may import."""
    first = next((i for i, file in enumerate(FILES) if files[file] != of_solution(file)), 0)
    return [id for id in EXERCISES if FILES.index(FILE_OF[id]) >= first]


@cache
def of_solution(file: str) -> str:
    return (ROOT / "solutions" / file).read_text(encoding="utf-8")


def with_code(code: dict[str, tuple[str, str, str]], right: bool) -> list[str]:
    return [
        line
        for name, (exercise, file, text) in code.items()
        for line in differences(name, {file: f"{of_solution(file)}\n\n{text}"}, exercise, right)
    ]


def test_right_styles() -> None:
    found = []
    for style in all_in("styles"):
        for exercise in touched(style.files):
            found += differences(style.name, style.files, exercise, True)
    for folder in sorted((ROOT / "tests/exercises/styles").iterdir()):
        files = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}
        for exercise in touched(files):
            found += differences(folder.name, files, exercise, True)
    assert found == []


def test_strange_but_right() -> None:
    assert len(strange.RIGHT) >= 40
    assert with_code(strange.RIGHT, True) == []


def test_no_idea() -> None:
    assert with_code(strange.no_idea(), False) == []


def test_strange_and_wrong() -> None:
    assert with_code(strange.WRONG, False) == []


def test_what_only_the_self_check_sees() -> None:
    """Nobody loses points for it, and whoever asks is told. A hidden test that sees it moves it to WRONG."""
    for name, (exercise, file, text) in strange.ONLY_PUBLIC.items():
        files = {file: f"{of_solution(file)}\n\n{text}"}
        assert troubles(load(load_assignment(), files), exercise), name


def test_wrong_code() -> None:
    found = []
    for wrong in all_in("wrong"):
        for exercise in wrong.loses & set(EXERCISES):
            if wrong.name not in TIMING:
                found += differences(wrong.name, wrong.files, exercise)
    assert found == []


def test_known_mistakes() -> None:
    found = []
    for entry in catalogue(load_assignment()).values():
        for planted in plant(entry, load_assignment()):
            if planted.exercise in EXERCISES and entry.id not in TIMING:
                found += differences(entry.id, {planted.file: planted.source}, planted.exercise)
    assert found == []
