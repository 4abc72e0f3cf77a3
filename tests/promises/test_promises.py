"""Nothing written is 0 points, right work in any style and any form of handing in is all of them.

What code without an idea earns is in tests/campaign. `-s` prints the numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from autograder.assignment import load_assignment
from autograder.grading.judge import judge
from autograder.intake import Submission, incoming
from autograder.intake.read import read
from autograder.results import SubmissionResult
from autograder.sandbox import Sandbox
from tests.chapter04.pieces import all_in
from tests.promises.forms import FORMS, ORDER, Tree, files, released

STYLES = {style.name: style.files for style in all_in("styles")}
# These are tried in every form; all others as files are in tests/hidden, and here where they are taken apart.
IN_EVERY_FORM = ("chapter", "portuguese", "relative_imports", "registered_mask_not_saved", "einops_rearrange")
TAKEN_APART = ("notebook_in_portuguese", "one_file")
NOT_WRITTEN = re.compile(r"raise NotImplementedError\([^\n]*\)")
NOTHING = {
    "untouched": "raise NotImplementedError('x')",
    "pass": "pass",
    "dots": "...",
    "returns None": "return None",
    "returns a name for None": "result = None\n    return result",
    "prints": "print('to do')",
    "another error": "raise Exception('to do')",
    "assert": "assert False, 'to do'",
}


class Judged:
    """Grades trees; a submission that comes to the same files is graded once."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self.assignment, self.sandbox, self.folder = load_assignment(), sandbox, folder
        self.known: dict[tuple[tuple[str, bytes], ...], SubmissionResult] = {}

    def tree(self, tree: Tree) -> tuple[Submission, SubmissionResult]:
        """The submission that a folder with these files is, and its result."""
        self.folder = self.folder.with_name(self.folder.name + "+")
        for name, data in tree.items():
            path = self.folder / "class" / "ana" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        (one,), _ = incoming(self.folder / "class", load_assignment())
        submission = read(one, load_assignment())
        key = tuple(sorted(submission.files.items()))
        if key not in self.known:
            self.known[key] = judge(submission, self.assignment, self.sandbox, timing=False)
        return submission, self.known[key]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judged]:
    with Sandbox(load_assignment()) as sandbox:
        yield Judged(sandbox, tmp_path_factory.mktemp("handed-in") / "x")


def as_handed_in(work: Mapping[str, str]) -> dict[str, str]:
    """Files of this repository as a student would have them."""
    return {name: work[name].replace("from solutions.", "from exercises.") for name in ORDER}


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_right_work_is_full_marks_in_every_form(judged: Judged, style: str):
    work, off = as_handed_in(STYLES[style]), {}
    forms = FORMS if style in IN_EVERY_FORM else TAKEN_APART
    for name in forms:
        submission, result = judged.tree(FORMS[name](work))
        lost = [f"{t.id}: {t.verdict} {t.message}" for t in result.tests if t.points < t.max_points]
        if lost or submission.problems:
            off[name] = submission.problems, submission.flags, lost[:3]
    print(f"{style}: full marks in {len(forms) - len(off)} of {len(forms)} forms")
    assert off == {}


@pytest.mark.parametrize("lang", ["en", "pt-BR"])
@pytest.mark.parametrize("what", NOTHING)
def test_nothing_written_is_no_points(judged: Judged, what: str, lang: str):
    stubs = {name: released(lang)[name].decode() for name in ORDER}
    work = {name: NOT_WRITTEN.sub(NOTHING[what], text) for name, text in stubs.items()}
    _, result = judged.tree(files(work))
    print(f"{what} ({lang}): {result.score:g}")
    assert result.score == 0
    for exercise in load_assignment().exercises:
        mine = [t for t in result.tests if t.exercise == exercise.id]
        assert not any(t.follow_through or t.mistakes for t in mine), exercise.id
