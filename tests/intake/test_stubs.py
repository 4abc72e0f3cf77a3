"""Exercises solved in place would give their points to whoever handed in nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from autograder.assignment import KIT as ROOT
from autograder.assignment import load_assignment
from autograder.intake import IntakeError
from autograder.intake.stubs import check_stubs


@pytest.fixture
def exercises(tmp_path: Path) -> Path:
    for name in ("heads", "mask", "attention", "kv_cache"):
        shutil.copy(ROOT / "exercises" / f"{name}.py", tmp_path)
    return tmp_path


def test_what_the_kit_ships_is_unwritten() -> None:
    check_stubs(load_assignment())


@pytest.mark.parametrize("name", ["heads", "mask", "attention", "kv_cache"])
def test_a_solved_file_is_refused(exercises: Path, name: str) -> None:
    shutil.copy(ROOT / "solutions" / f"{name}.py", exercises)
    with pytest.raises(IntakeError, match=rf"{name}\.py: \w+ is not as students get it"):
        check_stubs(load_assignment(), exercises)


def test_one_written_function_is_enough(exercises: Path) -> None:
    heads = exercises / "heads.py"
    text = heads.read_text(encoding="utf-8")
    heads.write_text(
        text.replace('raise NotImplementedError("merge_heads is not written yet")', "return y.flatten(2)"),
        encoding="utf-8",
    )
    with pytest.raises(IntakeError, match="merge_heads"):
        check_stubs(load_assignment(), exercises)


def test_a_file_that_does_not_load_is_refused(exercises: Path) -> None:
    (exercises / "mask.py").write_text("def causal_mask(\n", encoding="utf-8")
    with pytest.raises(IntakeError, match="causal_mask"):
        check_stubs(load_assignment(), exercises)
