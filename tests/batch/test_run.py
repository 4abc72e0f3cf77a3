"""A class is graded whatever its submissions and judge processes do; only what is new is graded."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from autograder.assignment import Assignment, load_assignment
from autograder.batch import judges as judges_module
from autograder.batch.judges import Judges
from autograder.batch.run import NotIsolated, grading
from autograder.intake import IntakeError
from autograder.store import Store, StoreError
from tests.batch.helpers import BOTH_WAYS, FAKE, Heard, Room, problems, scores


def test_all_are_graded_and_written(room: Room) -> None:
    for student, words in {"ana": "score 100", "bo": "score 40", "cy": "score 0"}.items():
        room.hand_in(student, words)
    graded, heard = room.grade()
    assert scores(graded) == {"ana": 100, "bo": 40, "cy": 0}
    assert heard.begun == (3, 0)
    assert sorted(row.student for row in heard.rows) == ["ana", "bo", "cy"]
    assert room.result("bo")["score"] == 40
    assert room.result("bo")["isolation"] == "strong"
    assert all(row.in_order for row in graded.rows)


def test_only_what_changed_is_graded_again(room: Room) -> None:
    for student in ("ana", "bo"):
        room.hand_in(student, "score 50")
    room.grade()
    before = (room.out / "ana" / "result.json").stat().st_mtime_ns
    room.hand_in("bo", "score 60")
    graded, heard = room.grade()
    assert heard.begun == (1, 1)
    assert scores(graded) == {"ana": 50, "bo": 60}
    assert (room.out / "ana" / "result.json").stat().st_mtime_ns == before
    assert room.grade()[1].begun == (0, 2)
    assert room.grade(force=True)[1].begun == (2, 0)


def changed(assignment: Assignment) -> Assignment:
    return assignment.model_copy(update={"course": assignment.course.model_copy(update={"seed": "another"})})


def test_a_changed_course_or_kit_grades_all_again(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    room.hand_in("ana", "score 50")
    room.grade()
    assert room.grade(assignment=changed(load_assignment()))[1].begun == (1, 0)
    assert room.grade()[1].begun == (1, 0)
    assert room.grade(timing=False)[1].begun == (1, 0)
    room.grade()
    assert room.grade()[1].begun == (0, 1)
    monkeypatch.setattr("autograder.identity._versions", lambda: (("torch", "0"),))
    assert room.grade()[1].begun == (1, 0)


def test_what_was_graded_without_isolation_is_graded_again_with_it(room: Room) -> None:
    room.hand_in("ana", "score 50")
    room.grade()
    path = room.out / "ana" / "result.json"
    path.write_text(path.read_text().replace('"isolation": "strong"', '"isolation": "none"'))
    assert room.grade(isolated=False)[1].begun == (0, 1)
    assert room.grade()[1].begun == (1, 0)


def test_only_one_student_leaves_the_others_as_they_are(room: Room) -> None:
    room.hand_in("ana", "score 50")
    room.hand_in("bo", "score 60")
    graded, heard = room.grade(only=("bo",))
    assert scores(graded) == {"ana": None, "bo": 60}
    assert heard.begun == (1, 0)  # nobody else is meant: ana has not been graded before
    assert room.grade(only=("bo",))[1].begun == (0, 1)
    assert problems(graded) == {"ana": ["grader.waiting"]}
    room.hand_in("ana", "score 70")
    room.grade()
    room.hand_in("ana", "score 80")
    graded, _ = room.grade(only=("bo",))
    assert scores(graded) == {"ana": 70, "bo": 60}  # the grade of before, and why it is not the last word
    assert problems(graded) == {"ana": ["grader.waiting"]}


def test_only_somebody_unknown_names_who_is_near(room: Room) -> None:
    room.hand_in("ana-souza", "score 50")
    with pytest.raises(IntakeError, match="Did you mean ana-souza"):
        room.grade(only=("ana-sousa",))


@BOTH_WAYS
def test_a_judge_process_that_dies_once_is_replaced(room: Room) -> None:
    room.hand_in("ana", f"die-once {room.folder / 'mark'} score 80")
    room.hand_in("bo", "score 60")
    graded, _ = room.grade(jobs=1)
    assert scores(graded) == {"ana": 80, "bo": 60}
    assert problems(graded) == {}


@BOTH_WAYS
@pytest.mark.parametrize("words", ["die", "nonsense", "fault"])
def test_a_submission_we_cannot_judge_is_a_fault_of_ours_and_no_zero(room: Room, words: str) -> None:
    room.hand_in("ana", words)
    room.hand_in("bo", "score 60")
    graded, _ = room.grade()
    assert scores(graded) == {"ana": None, "bo": 60}
    assert problems(graded) == {"ana": ["grader.died"]}
    result = room.result("ana")
    assert {t["verdict"] for t in result["tests"]} == {"grader_fault"}  # type: ignore[attr-defined, index]
    assert room.grade()[1].begun == (1, 1)  # tried again the next time


@BOTH_WAYS
def test_a_silent_judge_process_is_ended_and_tried_once_more(
    room: Room, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(judges_module, "watchdog_seconds", lambda limits: 0.5)
    note = tmp_path / "note"
    room.hand_in("ana", f"note {note} hang")
    room.hand_in("bo", "score 60")
    graded, _ = room.grade()
    assert scores(graded) == {"ana": None, "bo": 60}
    assert "no answer" in str(graded.rows[0].problems[0].params["why"])
    assert note.read_text().count("begun") == 2


@BOTH_WAYS
def test_the_last_words_of_a_judge_process_are_kept(room: Room) -> None:
    room.hand_in("ana", "score 1")
    graded, _ = room.grade_with("dies")
    assert "no torch here" in str(graded.rows[0].problems[0].params["why"])


@BOTH_WAYS
def test_a_judge_process_that_cannot_even_be_imported(room: Room) -> None:
    room.hand_in("ana", "score 10")
    graded, _ = room.grade_with("is_not_there")
    (problem,) = graded.rows[0].problems
    assert "is_not_there" in str(problem.params["why"])


def test_noise_of_a_judge_process_blocks_nothing(room: Room) -> None:
    room.hand_in("ana", "noise score 30")
    assert scores(room.grade()[0]) == {"ana": 30}


def test_when_nothing_can_be_graded_it_stops_early_and_says_why(room: Room) -> None:
    for i in range(30):
        room.hand_in(f"s{i:02}", "score 1")
    graded, heard = room.grade_with("dies")
    assert "no torch here" in graded.broken
    assert len(heard.rows) < 10
    assert len(graded.rows) == 30
    assert set(scores(graded).values()) == {None}


@BOTH_WAYS
def test_no_isolation_stops_the_class(room: Room) -> None:
    room.hand_in("ana", "score 1")
    with pytest.raises(NotIsolated, match="no bubblewrap here"):
        room.grade_with("refuses")


@BOTH_WAYS
def test_another_kit_grades_nothing(room: Room) -> None:
    room.hand_in("ana", "score 1")
    graded, _ = room.grade_with("other_kit")
    assert "is not the one" in str(graded.rows[0].problems[0].params["why"])


def test_a_failed_regrade_leaves_the_good_result(room: Room) -> None:
    room.hand_in("ana", "score 90")
    room.grade()
    room.hand_in("ana", "die")
    graded, _ = room.grade()
    assert scores(graded) == {"ana": 90}
    assert room.result("ana")["score"] == 90
    assert problems(graded) == {"ana": ["grader.died", "grader.kept"]}
    assert not graded.rows[0].in_order


def test_an_unreadable_new_version_leaves_the_good_result(room: Room) -> None:
    room.hand_in("ana", "score 90")
    room.grade()
    (room.submissions / "ana" / "heads.py").write_bytes(b"\0\0")
    graded, _ = room.grade()
    assert scores(graded) == {"ana": 90}
    assert problems(graded) == {"ana": ["file.not_text", "grader.kept"]}


def test_what_cannot_be_read_has_a_row_and_a_result(room: Room) -> None:
    room.hand_in("ana", "score 90")
    (room.submissions / "bo").mkdir()
    (room.submissions / "cy").mkdir()
    (room.submissions / "cy" / "essay.docx").write_bytes(b"")
    (room.submissions / "di.zip").write_bytes(b"no zip")
    graded, _ = room.grade()
    assert scores(graded) == {"ana": 90, "bo": 0, "cy": None, "di": None}
    assert problems(graded) == {"bo": ["folder.empty"], "cy": ["folder.unknown"], "di": ["zip.broken"]}
    assert [row.in_order for row in graded.rows] == [True, True, False, False]
    assert room.result("di")["tests"] == []
    assert room.grade()[1].begun == (0, 4)


def test_part_of_a_submission_that_cannot_be_read_is_told_and_the_rest_graded(room: Room) -> None:
    room.hand_in("ana", "score 90")
    (room.submissions / "ana" / "mask.py").write_bytes(b"\0")
    graded, _ = room.grade()
    assert scores(graded) == {"ana": 90}
    assert problems(graded) == {"ana": ["file.not_text"]}
    assert not graded.rows[0].in_order


def test_names_that_no_file_system_likes_have_their_own_results(room: Room) -> None:
    names = [
        "=1+1",
        "-rf",
        "a b",
        "José",
        "grades.csv",
        "con",
        "x" * 200,
        "Ana",
        "ana",
        "new\nline",
        "a:b",
        "~x",
        "é.",
    ]
    for i, name in enumerate(names):
        room.hand_in(name, f"score {i}")
    graded, _ = room.grade()
    assert sorted(scores(graded).values()) == list(range(len(names)))  # type: ignore[type-var]
    folders = [p.parent.name for p in room.out.glob("*/result.json")]
    assert len({f.casefold() for f in folders}) == len(names)
    assert {"=1+1", "-rf", "a b", "José"} <= set(folders)
    assert room.grade()[1].begun == (0, len(names))


def test_a_damaged_result_is_graded_again(room: Room) -> None:
    room.hand_in("ana", "score 90")
    room.grade()
    (room.out / "ana" / "result.json").write_text('{"schema_version": 1,')
    assert scores(room.grade()[0]) == {"ana": 90}


def test_two_batches_into_one_folder(room: Room) -> None:

    room.hand_in("ana", "score 90")
    with Store(room.out, []).locked(), pytest.raises(StoreError, match="another autograder"):
        room.grade()


def test_results_inside_the_class_folder(room: Room) -> None:
    room.hand_in("ana", "score 90")
    out = room.submissions / "feedback"
    room.grade(out=out)
    graded, heard = room.grade(out=out)
    assert (scores(graded), heard.begun) == ({"ana": 90}, (0, 1))
    with pytest.raises(StoreError, match="holds other things"):
        room.grade(out=room.submissions / "ana")
    with pytest.raises(IntakeError, match="inside a student's folder"):
        room.grade(out=room.submissions / "ana" / "new")
    with pytest.raises(StoreError, match="holds other things"):
        room.grade(out=room.submissions)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
@BOTH_WAYS
def test_what_a_judge_process_started_ends_with_it(room: Room, tmp_path: Path) -> None:
    room.hand_in("ana", f"child {tmp_path / 'pid'} die")
    room.grade()
    pid = int((tmp_path / "pid").read_text())
    end = time.monotonic() + 20  # killed is killed, but a busy machine takes a moment to bury it
    while _alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not _alive(pid)


def _alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def test_the_journal_says_what_happened(room: Room) -> None:
    room.hand_in("ana", "score 90")
    room.hand_in("bo", "die")
    room.grade()
    events = [(line["event"], line.get("student")) for line in room.journal()]
    assert events[0] == ("run", None)
    assert sorted(events[1:-1]) == [("graded", "ana"), ("not graded", "bo")]
    assert events[-1] == ("end", None)


def test_a_full_disk_says_so_and_leaves_no_half_file(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    room.hand_in("ana", "score 90")
    monkeypatch.setattr("autograder.store.os.fsync", full)
    with pytest.raises(StoreError, match="No space left"):
        room.grade()
    assert list((room.out / "ana").iterdir()) == []


def test_a_run_about_one_student_is_judged_by_that_one(room: Room) -> None:
    room.hand_in("ana", "die")
    room.hand_in("bo", "score 60")
    graded, _ = room.grade(only=("bo",))
    assert [row.student for row in graded.asked_for(room.options(only=("bo",)))] == ["bo"]
    assert [row.student for row in graded.asked_for(room.options())] == ["ana", "bo"]


def test_nobody_else_writes_until_what_is_made_of_the_results_is_there(room: Room) -> None:
    room.hand_in("ana", "score 10")
    with grading(room.options(), Heard(), Judges(FAKE, room.start)) as graded:
        assert scores(graded) == {"ana": 10}
        with pytest.raises(StoreError, match="another autograder"), Store(room.out, []).locked():
            pass
    with Store(room.out, []).locked():
        pass
