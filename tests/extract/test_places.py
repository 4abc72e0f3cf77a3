"""A notebook's author is told cells and lines in them, not lines of files that they never saw."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autograder.assignment import load_assignment
from autograder.course import Limits
from autograder.extract.marks import HEADER, NOWHERE, mark, place
from autograder.extract.places import in_cells
from autograder.feedback import student_html
from autograder.grading.judge import judge
from autograder.intake import Submission
from autograder.results import SubmissionResult
from autograder.sandbox import Sandbox
from tests.intake.limited import read_notebook
from tests.nbgrader.class_of_ten import students
from tests.nbgrader.handed_in import ALL, Json, before, code, data, filled, grade_id

STUDENTS = students()
UNWRITTEN = "igor"  # stubs are the kit's own text


def source(cell: Json) -> str:
    text = cell["source"]
    return text if isinstance(text, str) else "".join(text)


def lines(notebook: Json) -> Iterator[tuple[str, str, tuple[int, int, bool] | None]]:
    """(line as it is in a file, the line of the notebook that is said to be it, its place)."""
    cells = [source(cell).split("\n") for cell in notebook["cells"]]
    for text in read_notebook(data(notebook), Limits()).files.values():
        made = text.decode().split("\n")
        for number, line in enumerate(made, 1):
            found = place(text.decode(), number)
            there = "\n".join(cells[found[0] - 1][found[1] - 1 :][:1]) if found else ""
            yield line, there, found


@pytest.mark.parametrize("student", sorted(STUDENTS))
def test_every_line_of_a_file_is_found_in_its_cell(student: str) -> None:
    seen = 0
    for line, there, found in lines(STUDENTS[student]):
        if found is None or line == "":
            continue
        cell, at, ours, _ = found
        assert ours or line.strip() in there, (cell, at, line, there)
        seen += 1
    assert seen > 20 or student == UNWRITTEN


def test_magics_decorators_and_shared_lines() -> None:
    helper = "%%time\n# a\nimport functools\n\n@functools.cache\ndef two():\n    return 2\na = 1; b = two()"
    answer = "!ls\n\ndef split_heads(x, n_head):\n    return x.view(a, b, -1)"
    notebook = before(filled({**ALL, "split_heads": answer}), "split_heads", code(helper))
    found = {line.strip(): (there.strip(), at) for line, there, at in lines(notebook)}
    for line in ("import functools", "@functools.cache", "return 2", "return x.view(a, b, -1)"):
        assert found[line][0] == line, line
    there, at = found["b = two()"]
    assert there == "a = 1; b = two()"
    assert at is not None
    assert at[1] == helper.count("\n") + 1


def test_a_file_that_is_no_notebook_has_no_places() -> None:
    assert place("a = 1\n" + mark(2, 3) + "\nb = 2\n", 3) is None
    assert place(f"{HEADER}\n{mark(2, 3)}\nb = 2\n", 9) is None
    assert place(f"{HEADER}\n{mark(2, 3)}\nb = 2\nc = 3\n", 4) == (3, 4, False, "")
    assert place(f"{HEADER}\n{mark(2, 3)}\nb = 2\n{NOWHERE}\nc = 3\n", 5) is None


def number_of(notebook: Json, name: str) -> int:
    return 1 + next(i for i, c in enumerate(notebook["cells"]) if grade_id(c) == name)


@pytest.fixture(scope="module")
def graded() -> tuple[Json, SubmissionResult]:
    answers = {
        **ALL,
        "split_heads": "# mine\n\ndef split_heads(x, n_head):\n    n_head = 1\n    return oops",
        "causal_mask": "def causal_mask(n_query, n_key=None, device=None):\n    return (",
        "generate": "import nowhere\n" + ALL["generate"].replace("torch.", "nowhere."),
    }
    notebook = filled(answers)
    assignment = load_assignment()
    found = read_notebook(data(notebook), assignment.limits)
    with Sandbox(assignment, isolation="auto") as sandbox:
        submission = Submission("ana", found.files, found.problems, found.flags)
        return notebook, judge(submission, assignment, sandbox, timing=False)


def test_the_page_names_cells(graded: tuple[Json, SubmissionResult]) -> None:
    notebook, result = graded
    assert result.notebook
    raised = next(t for t in result.tests if t.exercise == "split_heads" and t.message and t.max_points)
    assert raised.message is not None
    at = (raised.message.params["cell"], raised.message.params["cell_line"])
    cell = notebook["cells"][int(str(at[0])) - 1]
    assert at[0] == number_of(notebook, "split_heads")
    assert "oops" in source(cell).split("\n")[int(str(at[1])) - 1]
    page = student_html(result, load_assignment(), "en")
    for name in ("split_heads", "causal_mask", "generate"):
        assert f"cell {number_of(notebook, name)} of the notebook" in page.replace("Cell", "cell"), name
    assert "raise SyntaxError" not in page
    assert "heads.py" not in page
    assert "célula" in student_html(result, load_assignment(), "pt-BR")


def test_a_second_time_changes_nothing(graded: tuple[Json, SubmissionResult]) -> None:
    notebook, result = graded
    files = read_notebook(data(notebook), Limits()).files
    assert in_cells(result, files) == result
    assert in_cells(result, {}) == result
