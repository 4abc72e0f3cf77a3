"""Code that gives nothing back is work that is not there: no points, no credit, and told so."""

from __future__ import annotations

import re

import pytest

from autograder.assignment import load_assignment
from autograder.feedback.student_page import student_pages
from autograder.grading.substance import with_substance
from autograder.results import Verdict
from tests.chapter04.grading import assignment, case_of
from tests.grading.conftest import Grade, lost

STUB = re.compile(r"raise NotImplementedError\([^\n]*\)")
NOTHING = {
    "pass": "pass",
    "dots": "...",
    "none": "return None",
    "printed": "print('done')",
    "swallowed": "try:\n        raise NotImplementedError\n    except NotImplementedError:\n        pass",
    "empty text": "return ''",
    "empty tuple": "return ()",
    "empty list": "return []",
    "two nothings": "return None, None",
    "generator": "yield from ()",
    "not implemented": "return NotImplemented",
    "ellipsis": "return ...",
    "zero": "return 0",
    "false": "return False",
    "raises": "raise ValueError('not yet')",
    "itself": "import sys\n    return sys._getframe().f_code",
}


def bodies(body: str) -> dict[str, str]:
    """All stubs with another body."""
    out = {}
    for name, text in load_assignment().stubs.items():
        deeper = body.replace("\n", "\n    ")  # for the method
        for space, instead in (("    ", body), ("        ", deeper)):
            text = re.sub(f"^{space}{STUB.pattern}", (space + instead).replace("\\", r"\\"), text, flags=re.M)
        out[name] = text
    return out


@pytest.mark.parametrize("body", NOTHING.values(), ids=NOTHING)
def test_nothing_earns_nothing(body: str) -> None:
    files = bodies(body)
    assert not any(STUB.search(text) for text in files.values())
    case = case_of(files)
    found = with_substance(case.follow_through(case.first_run()))
    diagnoses = case.diagnoses(found)
    assert [o.id for o in found if o.earns and o.max_points] == []
    assert not any(o.follow_through_of for o in found)
    assert not any(d.complete for d in diagnoses.values())


@pytest.mark.slow
def test_it_is_told_as_not_written(grade: Grade) -> None:
    result = grade({name: text.encode() for name, text in bodies("pass").items()})
    assert result.score == 0
    assert {t.verdict for t in result.tests} <= {Verdict.FAILED, Verdict.SKIPPED}
    assert not any(t.mistakes for t in result.tests)
    page = "".join(student_pages(result, assignment(), "en"))
    assert "it returns nothing" in page
    assert "não devolve nada" in "".join(student_pages(result, assignment(), "pt-BR"))


@pytest.mark.slow
def test_what_hands_on_nothing_is_judged_without_it(grade: Grade, solved: dict[str, bytes]) -> None:
    """A module whose last step is an earlier exercise returns what that gives, which here is nothing."""
    nothing = b"\n\ndef concat_and_project(y, c_proj):\n    c_proj(merge_heads(y))\n"
    result = grade(solved | {"attention.py": solved["attention.py"] + nothing})
    assert set(lost(result)) == {"concat_and_project"}
