"""What differs between two gradings of a class: no change is missed, and nothing is said that is none."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from autograder.gradebook.changes import Change, by_test, change, changes, differing
from autograder.results import Kit, SubmissionResult, TestResult, Verdict

HASHES = {"submission": "s", "course": "c", "hidden": "h", "model": "m", "seed": "1"}


def result(student: str, points: dict[str, float], fault: bool = False, **hashes: str) -> SubmissionResult:
    tests = [
        TestResult(
            id=id,
            exercise=id.split("/")[0],
            concept=id,
            verdict=Verdict.GRADER_FAULT if fault else Verdict.PASSED if got else Verdict.FAILED,
            points=got,
            max_points=10,
            mistakes=[] if got else ["some_mistake"],
        )
        for id, got in points.items()
    ]
    kit = Kit(version="1", hashes=HASHES | hashes)
    return SubmissionResult(
        student=student, score=sum(points.values()), isolation="strong", kit=kit, tests=tests
    )


def of(found: list[Change]) -> list[tuple[str, float]]:
    return [(one.student, float(one.gain)) for one in found]


def test_who_loses_most_comes_first_and_who_is_as_before_is_not_there() -> None:
    old = {s: result(s, {"a/x": 5, "a/y": 5}) for s in ("ana", "bo", "cy", "di")}
    new = {
        "ana": result("ana", {"a/x": 5, "a/y": 5}, hidden="other"),
        "bo": result("bo", {"a/x": 0, "a/y": 5}, hidden="other"),
        "cy": result("cy", {"a/x": 9, "a/y": 5}, hidden="other"),
        "di": result("di", {"a/x": 0, "a/y": 0}, hidden="other"),
    }
    found = changes(old, new)
    assert of(found) == [("di", -10), ("bo", -5), ("cy", 4)]
    assert {one.causes for one in found} == {("hidden",)}


def test_the_test_and_the_mistake_behind_it() -> None:
    one = change("ana", result("ana", {"a/x": 5}), result("ana", {"a/x": 0, "a/new": 3}, seed="2"))
    assert one is not None
    assert [(t.test.id, t.before, t.now, t.mistakes) for t in one.tests] == [
        ("a/x", 5, 0, ("some_mistake",)),
        ("a/new", 0, 3, ()),
    ]
    assert one.causes == ("seed",)


def test_the_same_points_by_other_tests_are_a_change() -> None:
    one = change("ana", result("ana", {"a/x": 5, "a/y": 0}), result("ana", {"a/x": 0, "a/y": 5}))
    assert one is not None
    assert (one.gain, len(one.tests)) == (0, 2)


def test_no_grade_before_or_now_is_a_change() -> None:
    good, fault = result("ana", {"a/x": 5}), result("ana", {"a/x": 5}, fault=True)
    for old, new, before, now in ((good, None, 5, None), (None, good, None, 5), (fault, good, None, 5)):
        one = change("ana", old, new)
        assert one is not None
        assert (one.before, one.now, one.tests) == (before, now, ())
    assert change("ana", fault, None) is None


def test_what_graded_differently_is_named() -> None:
    one = Kit(version="1", packages={"torch": "2"}, hashes=HASHES)
    assert differing(one, one) == ()
    other = Kit(version="2", packages={"torch": "3"}, hashes={**HASHES, "course": "d", "submission": "t"})
    assert differing(one, other) == ("submission", "course", "packages", "version")


def test_the_test_that_moves_most_points_comes_first() -> None:
    old = {s: result(s, {"a/x": 1, "a/y": 5}) for s in ("ana", "bo")}
    new = {"ana": result("ana", {"a/x": 0, "a/y": 1}), "bo": result("bo", {"a/x": 1, "a/y": 9})}
    rows = [(test.id, [float(p.gain) for p in parts]) for test, parts in by_test(changes(old, new))]
    assert rows == [("a/y", [-4, 4]), ("a/x", [-1])]


POINTS = st.dictionaries(st.sampled_from(["a/x", "a/y", "b/z"]), st.sampled_from([0.0, 0.1, 0.2, 2.5]))


@given(POINTS, POINTS)
def test_the_tests_add_up_to_the_gain(old: dict[str, float], new: dict[str, float]) -> None:
    one = change("ana", result("ana", old), result("ana", new))
    if one is not None and one.before is not None and one.now is not None:
        assert abs(sum((t.gain for t in one.tests), Decimal(0)) - one.gain) < Decimal("0.00001")
    elif old and new:
        assert old == new or all(old.get(k, 0) == new.get(k, 0) for k in old.keys() | new.keys())
