"""One grade for each person, whatever lies beside the class; what a person has decided is never written over."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.assignment import load_assignment
from autograder.course import Attempts, Deadline
from autograder.gradebook.grades import StudentGrade, class_grades
from autograder.gradebook.record import Late, RunRecord, read_record, write_record
from autograder.gradebook.tables import TableError
from autograder.results import Kit, SubmissionResult, TestResult, Verdict

KIT = load_assignment()


def fill(place: Path, points: dict[str, float], students: str = "", overrides: str = "") -> Path:
    """A class and its results; gives the folder of results."""
    group, out = place / "class", place / "out"
    group.mkdir()
    for name, text in (("students.csv", students), ("overrides.csv", overrides)):
        if text:
            (group / name).write_text(text, encoding="utf-8")
    for name, got in points.items():
        test = TestResult(
            id="a/a", exercise="split_heads", concept="c", verdict=Verdict.PASSED, points=got, max_points=100
        )
        result = SubmissionResult(
            student=name, score=got, isolation="strong", kit=Kit(version="0"), tests=[test]
        )
        (out / name).mkdir(parents=True)
        (out / name / "result.json").write_text(result.model_dump_json(), encoding="utf-8")
    there = [name for name in ("students.csv", "overrides.csv") if (group / name).exists()]
    names = list(points)
    write_record(
        out,
        RunRecord(
            submissions="../class",
            course=None,
            lang="en",
            version="0",
            whole=True,
            tables=there,
            students=names,
        ),
    )
    return out


def change(out: Path, **fields: object) -> None:
    """Another run.json."""
    record = read_record(out)
    assert record is not None
    write_record(out, record.model_copy(update=fields))


def final(grades: list[StudentGrade]) -> dict[str, float | None]:
    return {one.name: None if one.grade is None else float(one.grade.final) for one in grades}


def test_everybody_has_a_row(tmp_path: Path) -> None:
    out = fill(tmp_path, {"ana": 80, "bo": 60}, "student,name\nana,Ana\ncarla,Carla\n")
    assert final(class_grades(out, KIT)) == {"ana": 80, "carla": None, "bo": 60}
    (carla,) = [one for one in class_grades(out, KIT) if one.name == "carla"]
    assert [p.id for p in carla.problems] == ["nothing_handed_in"]


def test_a_decision_counts_and_gives_points_to_who_has_none(tmp_path: Path) -> None:
    decided = "student,exercise,points,reason,who\nana,,90,seen by hand,K\ncarla,,55,on paper,K\n"
    out = fill(tmp_path, {"ana": 80}, "student\nana\ncarla\n", decided)
    before = (tmp_path / "class" / "overrides.csv").read_bytes()
    assert final(class_grades(out, KIT)) == {"ana": 90, "carla": 55}
    assert (tmp_path / "class" / "overrides.csv").read_bytes() == before


@pytest.mark.parametrize(
    "row", ["ana,nonsense,5,why", "ana,,many,why", "ana,,5,", "ana,,900,why", ",,5,why", "ana,,5,a\nana,,6,b"]
)
def test_a_wrong_decision_is_said_and_not_guessed(tmp_path: Path, row: str) -> None:
    out = fill(tmp_path, {"ana": 80}, "", f"student,exercise,points,reason\n{row}\n")
    with pytest.raises(TableError, match="overrides.csv"):
        class_grades(out, KIT)


def test_the_best_attempt_counts_where_the_course_says_so(tmp_path: Path) -> None:
    out = fill(tmp_path, {"ana": 40, "ana [attempt 1]": 80, "bo [attempt x]": 5}, "student\nana\n")
    (ana, bo) = class_grades(out, KIT)
    assert (ana.attempt, ana.grade and ana.grade.final, bo.name) == ("", 40, "bo [attempt x]")
    (ana, bo) = class_grades(out, KIT.model_copy(update={"attempts": Attempts(count="best")}))
    assert (ana.name, ana.attempt, ana.grade and ana.grade.final) == ("ana", "1", 80)
    assert bo.name == "bo [attempt x]"


@pytest.mark.parametrize(("source", "final"), [("file time", 40), ("archive time", 80), ("", 80)])
def test_an_attempt_is_late_by_a_sure_time_of_its_own(tmp_path: Path, source: str, final: float) -> None:
    """Not by the time of another attempt, and not by one that may be that of packing the archive."""
    out = fill(
        tmp_path, {"ana": 5, "ana [attempt 1]": 80}, "student,submitted_at\nana,2027-03-09T00:00:00Z\n"
    )
    (tmp_path / "class" / "collected.csv").write_text(
        "download,entry,student,attempt,submitted_at,time_from\n"
        + (f"a.zip,a.py,ana,1,2027-03-06T00:00:00Z,{source}\n" if source else "")
    )
    due = Deadline(at="2027-03-01T00:00:00Z", rate=10, of="raw")
    rules = KIT.model_copy(update={"attempts": Attempts(count="best"), "deadline": due})
    (ana,) = class_grades(out, rules)
    assert (ana.attempt, ana.grade and ana.grade.final) == ("1", final)


def test_results_of_a_run_that_was_killed_count_and_of_a_whole_one_only_whom_it_found(tmp_path: Path) -> None:
    out = fill(tmp_path, {"ana": 80, "bo": 60})
    change(out, students=["ana"])
    assert final(class_grades(out, KIT)) == {"ana": 80}
    change(out, whole=False)
    assert final(class_grades(out, KIT)) == {"ana": 80, "bo": 60}


def test_extensions_and_decisions_are_not_forgotten_with_the_class(tmp_path: Path) -> None:
    out = fill(tmp_path, {"ana": 80}, "student\nana\n", "student,points,reason\nana,90,by hand\n")
    moved = (tmp_path / "class").rename(tmp_path / "moved")
    with pytest.raises(TableError, match="students.csv and overrides.csv.*--students"):
        class_grades(out, KIT)
    assert final(class_grades(out, KIT, moved / "students.csv")) == {"ana": 90}
    change(out, tables=[])  # there was nothing to forget
    assert final(class_grades(out, KIT)) == {"ana": 80}


def test_what_nbgrader_takes_off_is_shown_and_not_taken_twice(tmp_path: Path) -> None:
    late = Deadline.model_validate({"at": "2020-01-01T00:00:00+00:00", "rate": 50})
    rules = KIT.model_copy(update={"deadline": late})
    out = fill(tmp_path, {"ana": 80, "bo": 60})
    change(out, submissions=None, late={"ana": Late(seconds=100_000, penalty=7.5)})
    ana, bo = class_grades(out, rules)
    assert ana.grade is not None
    assert (ana.grade.late_days, float(ana.grade.penalty), float(ana.grade.final)) == (2, 7.5, 72.5)
    assert bo.grade is not None
    assert (bo.grade.late_days, bo.grade.why, float(bo.grade.final)) == (None, (), 60)


def test_exercises_that_a_person_read_count_where_nothing_could_be_graded(tmp_path: Path) -> None:
    decided = "student,exercise,points,reason\ncarla,split_heads,10,on paper\ncarla,merge_heads,5,on paper\n"
    out = fill(tmp_path, {"ana": 80}, "student\nana\ncarla\n", decided)
    assert final(class_grades(out, KIT)) == {"ana": 80, "carla": 15}


def test_who_came_in_late_by_hand_is_late_all_the_same(tmp_path: Path) -> None:
    late = Deadline.model_validate({"at": "2020-01-01T00:00:00+00:00", "rate": 50, "of": "raw"})
    rules = KIT.model_copy(update={"deadline": late})
    table = "student,submitted_at\ncarla,2020-01-01T10:00:00+00:00\n"
    out = fill(tmp_path, {}, table, "student,exercise,points,reason\ncarla,split_heads,10,on paper\n")
    assert final(class_grades(out, rules)) == {"carla": 5}


def test_what_students_csv_asks_is_a_problem_of_the_row(tmp_path: Path) -> None:
    rules = KIT.model_copy(update={"deadline": Deadline.model_validate({"at": "2020-01-01T00:00:00Z"})})
    table = "student,late,question\nana,yes,who is it?\nbo,,\n"
    out = fill(tmp_path, {"ana": 80, "bo": 70}, table)
    ana, bo = class_grades(out, rules)
    assert [p.id for p in ana.problems] == ["question", "late_unknown"]
    assert ana.problems[0].params == {"text": "who is it?"}
    assert bo.problems == ()


def test_a_name_typed_on_a_mac_is_the_same_name(tmp_path: Path) -> None:
    out = fill(tmp_path, {"joão": 80}, "student\njoão\n", "student,points,reason\njoa\u0303o,90,by hand\n")
    assert final(class_grades(out, KIT)) == {"joão": 90}


def test_nobody_has_zero_for_nothing_unless_the_course_says_so(tmp_path: Path) -> None:
    out = fill(tmp_path, {"ana": 80}, "student\nana\ncarla\n")
    rules = KIT.model_copy(update={"grades": KIT.grades.model_copy(update={"missing": "zero"})})
    assert final(class_grades(out, KIT))["carla"] is None
    assert final(class_grades(out, rules))["carla"] == 0


def test_what_a_person_gave_in_nbgrader_counts(tmp_path: Path) -> None:
    out = fill(tmp_path, {"ana": 80, "bo": 60})
    every = {e.id: 3.0 for e in KIT.exercises}
    said = {
        "ana": Late(seconds=0, penalty=5, points={"merge_heads": 7.5}),
        "bo": Late(seconds=None, penalty=0, points=every),
    }
    change(out, submissions=None, late=said)
    assert final(class_grades(out, KIT)) == {"ana": 82.5, "bo": 3.0 * len(every)}
    (out / "bo" / "result.json").write_text(SubmissionResult.nothing("bo").model_dump_json())
    assert final(class_grades(out, KIT))["bo"] == 3.0 * len(every)
    change(out, late={**said, "bo": Late(seconds=None, penalty=0, points={"merge_heads": 1.0})})
    assert final(class_grades(out, KIT))["bo"] is None


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("ana,split_heads,13,why", True), ("ana,,120,why", True), ("ana,split_heads,12,why", False),
        ("ana,,100,why", False),
    ],
)  # fmt: skip
def test_more_than_there_is_counts_and_is_a_question(tmp_path: Path, row: str, told: bool) -> None:
    out = fill(tmp_path, {"ana": 80}, "", f"student,exercise,points,reason\n{row}\n")
    (ana,) = class_grades(out, KIT)
    assert [p.id for p in ana.problems] == ["override_above"] * told
