"""Rules are a pure function of results, times and what a person decides; each is tried at its edges."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from autograder.assignment import Assignment, load_assignment
from autograder.course import Attempts, Deadline, GradeRules
from autograder.gradebook.grades import StudentGrade
from autograder.gradebook.overrides import Override
from autograder.gradebook.policy import Grade, final_grade, rounded
from autograder.gradebook.students import Student
from autograder.gradebook.table import cells, number
from autograder.identity import kit_of
from autograder.results import Kit, SubmissionResult, TestResult, Verdict

KIT = load_assignment()
AT = datetime.fromisoformat("2027-03-01T23:59:00-03:00")


def result(points: float = 80.0, follow: float = 0.0) -> SubmissionResult:
    """Earned points, of which `follow` were given although an earlier exercise is wrong."""
    tests = [
        TestResult(id="a/a", exercise="split_heads", concept="c", verdict=Verdict.PASSED,
                   points=points - follow, max_points=100),
        TestResult(id="a/b", exercise="merge_heads", concept="c", verdict=Verdict.PASSED,
                   points=follow, max_points=follow, follow_through=True),
    ]  # fmt: skip
    return SubmissionResult(
        student="ana", score=points, isolation="strong", kit=Kit(version="0"), tests=tests
    )


def with_rules(grades: dict[str, Any] | None = None, **deadline: Any) -> Assignment:
    """The kit's assignment with these rules."""
    rules = Deadline.model_validate({"at": AT, **deadline}) if deadline else None
    return KIT.model_copy(update={"deadline": rules, "grades": GradeRules(**(grades or {}))})


def grade(rules: Assignment, late: timedelta | None, points: float = 80.0, **student: str) -> Grade:
    """The grade of work that came so late."""
    at = "" if late is None else (AT + late).isoformat()
    return final_grade(result(points), Student("ana", submitted_at=at, **student), rules)


H, D, S = timedelta(hours=1), timedelta(days=1), timedelta(seconds=1)


@pytest.mark.parametrize(
    ("rules", "late", "days", "final"),
    [
        ({"rate": 10}, -D, 0, 80), ({"rate": 10}, 0 * S, 0, 80), ({"rate": 10}, S, 1, 70),
        ({"rate": 10}, D, 1, 70), ({"rate": 10}, D + S, 2, 60), ({"rate": 10}, 30 * D, 30, 0),
        ({"rate": 10, "of": "raw"}, D, 1, 72), ({"rate": 3, "of": "points"}, 2 * D, 2, 74),
        ({"rate": 10, "grace": "15m"}, 15 * timedelta(minutes=1), 0, 80),
        ({"rate": 10, "grace": "15m"}, 16 * timedelta(minutes=1), 1, 70),
        ({"rate": 10, "cap": 25}, 9 * D, 9, 55), ({"rate": 10, "floor": 50}, 9 * D, 9, 40),
        ({"rate": 1, "unit": "hour"}, 3 * H + S, 1, 76), ({"rate": 10, "slip_days": 2}, 3 * D, 3, 70),
        ({"rate": 10, "hard": AT + 2 * D}, 2 * D, 2, 60), ({"rate": 10, "hard": AT + 2 * D}, 2 * D + S, 3, 0),
        ({"rate": 10}, None, None, 80),
    ],
)  # fmt: skip
def test_late_work(rules: dict[str, Any], late: timedelta | None, days: int | None, final: float) -> None:
    got = grade(with_rules(**rules), late)
    assert (got.late_days, got.final) == (days, Decimal(str(final)))
    assert got.score - got.penalty == got.final


def test_without_a_deadline_nothing_is_taken_off() -> None:
    got = grade(with_rules(), 9 * D)
    assert (got.late_days, got.penalty, got.why) == (None, 0, ())


@pytest.mark.parametrize("extension", ["2d", "48h", (AT + 2 * D).isoformat(), "2027-03-03T23:59:00"])
def test_an_extension_moves_the_deadline_and_the_hard_end(extension: str) -> None:
    rules = with_rules(rate=10, hard=AT + D)
    assert grade(rules, 2 * D, extension=extension).final == 80
    assert grade(rules, 2 * D + S, extension=extension).final == 0
    assert grade(rules, 2 * D).final == 0


def test_slip_days_that_other_work_has_used_are_gone() -> None:
    rules = with_rules(rate=10, slip_days=3)
    assert grade(rules, 3 * D, slip_days="2").final == 60
    assert grade(rules, 3 * D, slip_days="9").final == 50


@pytest.mark.parametrize("share", [1.0, 0.5, 0.0])
def test_follow_through_credit_counts_as_much_as_the_course_says(share: float) -> None:
    rules = with_rules({"follow_through": share})
    got = final_grade(result(80, follow=20), Student("ana"), rules)
    assert got.final == 60 + 20 * Decimal(str(share))
    assert bool(got.why) == (share < 1)


def test_a_person_decides_an_exercise_before_late_work_costs_and_the_whole_after_it() -> None:
    rules = with_rules(rate=10)
    student = Student("ana", submitted_at=(AT + S).isoformat())
    one = Override("ana", "merge_heads", Decimal(8), "read by hand")
    decided = final_grade(result(80), student, rules, [one])
    assert (decided.final, decided.before["merge_heads"]) == (78, 0)
    whole = final_grade(result(80), student, rules, [one, Override("ana", "", Decimal(90), "ill")])
    assert (whole.final, whole.before[""]) == (90, 78)


@given(st.decimals(0, 100, places=4), st.sampled_from([0.5, 0.25, 1.0, None]), st.integers(0, 4))
def test_rounding_is_half_up_and_once(points: Decimal, step: float | None, digits: int) -> None:
    rules = GradeRules(step=step, digits=digits)
    got = rounded(points, rules)
    unit = Decimal(str(step)) if step and Decimal(str(step)) > Decimal(1).scaleb(-digits) else None
    assert abs(got - points) <= (unit or Decimal(1).scaleb(-digits)) / 2 + Decimal(1).scaleb(-digits)
    assert rounded(got, rules) == got


def test_half_a_point_goes_up() -> None:
    assert rounded(Decimal("2.675"), GradeRules()) == Decimal("2.68")
    assert rounded(Decimal("0.5"), GradeRules(digits=0)) == 1


@given(
    st.integers(-(10**6), 10**7),
    st.floats(0, 100),
    st.floats(0, 30),
    st.sampled_from(["raw", "max", "points"]),
)
def test_later_is_never_better_and_nothing_is_below_zero(
    late: int, points: float, rate: float, of: str
) -> None:
    rules = with_rules(rate=rate, of=of)
    now, later = grade(rules, late * S, points), grade(rules, late * S + D, points)
    assert 0 <= later.final <= now.final <= now.score + Decimal("0.01")


@pytest.mark.parametrize(
    "wrong",
    [{"at": "2027-03-01T23:59:00"}, {"at": AT, "hard": AT - D}, {"at": AT, "grace": "soon"}, {"at": AT, "rat": 1},
     {"at": "2027-03-01T23:59:00", "zone": "Mars/Base"}, {"at": AT, "rate": -1}, {"at": 1},
     {"at": AT.date()}, {"at": AT, "hard": 5.0}, {"at": AT, "grace": 15}],
)  # fmt: skip
def test_a_deadline_that_cannot_be_meant_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Deadline.model_validate(wrong)


def test_a_zone_may_stand_in_the_place_of_an_offset() -> None:
    deadline = Deadline.model_validate({"at": "2027-03-01T23:59:00", "zone": "America/Sao_Paulo"})
    assert deadline.at == AT


def test_rules_regrade_nothing() -> None:
    """A result does not depend on what is made of it."""
    with_deadline = with_rules({"digits": 0}, rate=10).model_copy(update={"attempts": Attempts(count="best")})
    assert kit_of({}, with_deadline) == kit_of({}, KIT)


def test_rules_cross_to_the_judge_and_back() -> None:
    rules = with_rules(rate=10, grace="30d", hard=AT + D)
    assert Assignment.model_validate_json(rules.model_dump_json()).deadline == rules.deadline


def test_an_extension_in_a_zone_ends_at_the_same_time_of_day() -> None:
    """Clocks go back in between."""
    rules = KIT.model_copy(
        update={
            "deadline": Deadline.model_validate(
                {"at": "2026-10-24T23:59:00", "zone": "Europe/Berlin", "rate": 10}
            )
        }
    )
    in_time = Student("ana", extension="1d", submitted_at="2026-10-25T23:58:00+01:00")
    late = Student("bo", extension="1d", submitted_at="2026-10-26T00:00:00+01:00")
    assert final_grade(result(80), in_time, rules).final == 80
    assert final_grade(result(80), late, rules).final == 70


def test_a_fault_of_the_grader_costs_nothing_late_or_not() -> None:
    fault = TestResult(
        id="a/c", exercise="causal_mask", concept="c", verdict=Verdict.GRADER_FAULT, points=10, max_points=10
    )
    one = result(80)
    one = one.model_copy(update={"tests": [*one.tests, fault], "score": 90.0})
    assert final_grade(one, Student("ana"), with_rules({"follow_through": 0.0})).final == 90


def test_what_is_rounded_finer_than_to_cents_is_shown_so() -> None:
    one = StudentGrade(
        Student("ana"), None, final_grade(result(33.3333), Student("ana"), with_rules({"digits": 4}))
    )
    assert cells(one, KIT)["final"] == "33.3333"
    assert cells(one, KIT)["score"] == "33.33"
    assert number(Decimal("2.675")) == "2.68"
    assert [number(Decimal(n)) for n in ("100", "10", "0", "0.50")] == ["100", "10", "0", "0.5"]
