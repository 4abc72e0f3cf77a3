"""Round trips on files as each platform makes them: one column is filled, everything else stays byte for byte."""

from __future__ import annotations

import csv
import io
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.assignment import load_assignment
from autograder.exporters import Exported, ExportError, Request, exporters
from autograder.exporters.rawcsv import RawCsv
from autograder.gradebook.collected import Entry
from autograder.gradebook.grades import StudentGrade
from autograder.gradebook.policy import Grade
from autograder.gradebook.students import Student
from autograder.results import SubmissionResult

KIT = load_assignment()


def one(key: str, name: str, final: str | None, **ids: str) -> StudentGrade:
    """A student with a grade, or without one."""
    points = {e.id: Decimal(0) for e in KIT.exercises}
    grade = None if final is None else Grade(
        Decimal(final), Decimal(100), None, Decimal(0), Decimal(final), points
    )  # fmt: skip
    return StudentGrade(Student(key, name, **ids), SubmissionResult.nothing(key), grade)


CLASS = [
    one("ana", "Ana Souza", "87.5", lms_id="101", username="asouza", email="ana@x.br", student_number="007"),
    one("bo", "Lima, Bo", "0", lms_id="102", username="blima", email="bo@x.br", student_number="0070"),
    one("zoe", "Zoë Nguyễn", None, lms_id="103", username="zoe", email="zoe@x.br", student_number="9"),
]


def request(into: Path | None, **more: object) -> Request:
    return Request(CLASS, KIT, "en", into=into, **more)  # type: ignore[arg-type]


CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Quiz (7),Chapter 4 (55),Current Score,Final Score\r\n"
    ",,,,,,Manual Posting,,\r\n"
    "    Points Possible,,,,,10.00,100.00,(read only),(read only)\r\n"
    '"Souza, Ana",101,007,asouza,A,9.00,,90.1,90.1\r\n'
    '"Lima, Bo",102,0070,blima,A and B,,50.00,,\r\n'
    '"Nguyễn, Zoë",103,9,zoe,A,,42.00,,\r\n'
    '"Stranger, A",999,1,str,A,,13.00,,\r\n'
    '"Student, Test",5,,test,A,,,,\r\n'
)
MOODLE = (
    "Identifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
    'Participant 101,Ana Souza,ana@x.br,Submitted for grading - 2 hours late,,100.00,Yes,"Monday, 1 March 2027, '
    '10:00 PM",-,\n'
    "Participant 102,Bo Lima,bo@x.br,Submitted,12.00,100.00,No,-,-,\n"
    "Participant 103,Zoë Nguyễn,zoe@x.br,No submission,,100.00,Yes,-,-,<p>old</p>\n"
)
BLACKBOARD = (
    '"Last Name","First Name","Username","Student ID","Last Access","Availability",'
    '"Chapter 4 [Total Pts: 100 Score] |12","Weighted Total [Total Pts: 100 Score] |9"\n'
    '"Souza","Ana","asouza","007","","Yes","","1"\n"Lima","Bo","blima","0070","","Yes","3","2"\n'
)
D2L = (
    "OrgDefinedId,Username,Chapter 4 Points Grade <Numeric MaxPoints:100>,End-of-Line Indicator\n"
    "#007,#asouza,,#\n"
)
GITHUB = (
    '"assignment_name","github_username","roster_identifier","points_awarded","points_available"\n'
    '"hw","asouza","Ana","0","100"\n"hw","other","Lima, Bo","0","100"\n'
)
FILES = {
    "canvas": (CANVAS, "Chapter 4 (55)", {"ana": "87.5", "bo": "0"}),
    "moodle": (MOODLE, "Grade", {"ana": "87.5"}),
    "blackboard": (BLACKBOARD, "Chapter 4 [Total Pts: 100 Score] |12", {"ana": "87.5", "bo": "0"}),
    "d2l": (D2L, "Chapter 4 Points Grade <Numeric MaxPoints:100>", {"ana": "87.5"}),
    "github-classroom": (GITHUB, "points_awarded", {"ana": "87.5", "bo": "0"}),
}


def told(done: Exported) -> dict[str, list[str]]:
    """What was said: id -> names."""
    return {m.id: list(m.params.get("names", [])) for m in done.said}  # type: ignore[arg-type, union-attr]


def rows(data: bytes, encoding: str = "utf-8-sig", separator: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(encoding), newline=""), delimiter=separator))


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("platform", FILES)
def test_one_column_is_filled_and_all_else_stays(tmp_path: Path, platform: str, bom: bytes) -> None:
    text, column, wanted = FILES[platform]
    path = tmp_path / "f.csv"
    path.write_bytes(bom + text.encode())
    done = exporters()[platform].export(request(path, column=column))
    (data,) = done.files.values()
    before, after = rows(path.read_bytes()), rows(data)
    place = before[0].index(column)
    changed = {
        (r, c): after[r][c]
        for r, line in enumerate(before)
        for c, cell in enumerate(line)
        if after[r][c] != cell
    }
    assert {c for _, c in changed} == {place}
    assert sorted(changed.values()) == sorted(wanted.values()) or {*changed.values()} <= {*wanted.values()}
    assert "87.5" in changed.values()
    assert data.startswith(bom)
    # Without the cells that were filled the file is the same byte for byte.
    filled = RawCsv.read(path)
    for row, column_ in {(r, c) for r, c in changed}:
        filled.set(row, column_, after[row][column_])
    assert filled.bytes() == data
    quoted = path.read_bytes().count(b'"')
    assert data.count(b'"') == quoted


@pytest.mark.parametrize("platform", FILES)
def test_nobody_without_a_grade_is_emptied_and_everybody_is_told(tmp_path: Path, platform: str) -> None:
    path = tmp_path / "f.csv"
    path.write_text(FILES[platform][0], encoding="utf-8", newline="")
    done = exporters()[platform].export(request(path, column=FILES[platform][1]))
    (data,) = done.files.values()
    if platform == "canvas":
        after = {line[1]: line[6] for line in rows(data)}
        assert (after["103"], after["999"], after["5"], after[""]) == ("42.00", "13.00", "", "100.00")
        assert told(done)["export.strangers"] == ["Stranger, A"]
    if platform == "moodle":
        assert told(done)["export.locked"] == ["bo"]
    assert any("zoe" in names for names in told(done).values())


@pytest.mark.parametrize(
    ("separator", "encoding"), [(";", "cp1252"), (";", "utf-8"), ("\t", "utf-16"), (",", "utf-8")]
)
def test_a_file_in_other_clothes_keeps_them(tmp_path: Path, separator: str, encoding: str) -> None:
    text = "Identifier,Full name,Grade,Maximum grade\nParticipant 101,Ana Souzã,,100\nParticipant 7,X,3,100\n"
    path = tmp_path / "f.csv"
    path.write_bytes(text.replace(",", separator).encode(encoding))
    (data,) = exporters()["moodle"].export(request(path)).files.values()
    after = rows(data, encoding, separator)
    assert after[1] == ["Participant 101", "Ana Souzã", "87.5", "100"]
    assert after[2] == ["Participant 7", "X", "3", "100"]


@pytest.mark.parametrize("excused", ["EX", "ex", "EXCUSED"])
def test_who_is_excused_stays_so(tmp_path: Path, excused: str) -> None:
    path = tmp_path / "f.csv"
    path.write_text(CANVAS.replace(",9.00,,", f",9.00,{excused},"), encoding="utf-8", newline="")
    (data,) = exporters()["canvas"].export(request(path, column="Chapter 4 (55)")).files.values()
    assert {line[1]: line[6] for line in rows(data)}["101"] == excused


@pytest.mark.parametrize("platform", FILES)
def test_a_file_of_another_course_is_refused(tmp_path: Path, platform: str) -> None:
    text, column, _ = FILES[platform]
    path = tmp_path / "f.csv"
    path.write_text(text, encoding="utf-8", newline="")
    others = [one(f"p{i}", f"Person {i}", "50", lms_id=f"7{i}", username=f"q{i}") for i in range(3)]
    with pytest.raises(ExportError, match="another course"):
        exporters()[platform].export(Request(others, KIT, "en", into=path, column=column))


@pytest.mark.parametrize("platform", ["canvas", "moodle", "blackboard", "github-classroom"])
def test_other_points_are_refused_or_converted(tmp_path: Path, platform: str) -> None:
    text, column, _ = FILES[platform]
    path = tmp_path / "f.csv"
    ten = text.replace("100.00", "10.00").replace("Pts: 100", "Pts: 10").replace('"100"', '"10"')
    path.write_text(ten, encoding="utf-8", newline="")
    column = column.replace("Pts: 100", "Pts: 10")
    with pytest.raises(ExportError, match="10 points are possible"):
        exporters()[platform].export(request(path, column=column))
    (data,) = exporters()[platform].export(request(path, column=column, scale=True)).files.values()
    assert b"8.75" in data


def test_several_columns_are_a_question(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text(CANVAS, encoding="utf-8", newline="")
    with pytest.raises(ExportError, match=r"Quiz \(7\)"):
        exporters()["canvas"].export(request(path))


def test_leading_zeros_tell_people_apart(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("Student,SIS User ID,Section,A (1)\nX,007,A,\nY,0070,A,\nZ,7,A,\n", encoding="utf-8")
    (data,) = exporters()["canvas"].export(request(path)).files.values()
    assert [line[3] for line in rows(data)] == ["A (1)", "87.5", "0", ""]


def test_excel_opens_it_as_it_is(tmp_path: Path) -> None:
    done = exporters()["csv"].export(Request(CLASS, KIT, "pt-BR", excel=True))
    data = done.files["grades.csv"]
    assert data.startswith(b"\xef\xbb\xbf")
    after = rows(data, separator=";")
    assert "87,5" in after[1]
    assert '="007"' in after[1]
    plain = rows(exporters()["csv"].export(Request(CLASS, KIT, "pt-BR")).files["grades.csv"])
    assert "007" in plain[1]
    assert "87.5" in plain[1]


def test_comments_are_points_by_exercise(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text(MOODLE, encoding="utf-8", newline="")
    (data,) = exporters()["moodle"].export(request(path, comments=True)).files.values()
    after = {line[0]: line[-1] for line in rows(data)}
    assert after["Participant 101"].startswith("<p>")
    assert after["Participant 103"] == "<p>old</p>"


def test_pages_go_back_under_the_names_that_the_platform_knows(tmp_path: Path) -> None:
    (tmp_path / "ana").mkdir()
    (tmp_path / "ana" / "feedback.html").write_text("page")
    ana = StudentGrade(CLASS[0].student, CLASS[0].result, CLASS[0].grade, (), tmp_path / "ana")
    entries = [
        Entry("d.zip", "souzaana_LATE_101_5678_heads-1.py", "ana", outcome="taken"),
        Entry("d.zip", "1-2 - Ana Souza - Mar 1, 2027 926 PM/heads.py", "ana", outcome="taken"),
    ]
    asked = Request([ana], KIT, "en", entries=entries)
    found = {name: list(pages) for name, e in exporters().items() if (pages := e.feedback(asked))}
    assert found["moodle"] == ["Ana Souza_101_assignfeedback_file/feedback.html"]
    assert found["canvas"] == ["souzaana_LATE_101_5678_feedback.html"]
    assert found["csv"] == ["ana/feedback.html"]
    assert found["d2l"] == ["1-2 - Ana Souza - Mar 1, 2027 926 PM/feedback.html"]


@pytest.mark.parametrize(
    ("owners", "names"),
    [
        (["bo"], ["Ana Souza_101_assignfeedback_file/feedback.html"]),  # Ana handed nothing in
        (["ana"], ["Team_9_assignfeedback_file/feedback.html"]),
        (["ana", "bo"], []),  # of a group nobody's page goes back: all of it would see it
    ],
)
def test_who_handed_nothing_in_and_has_a_page_is_known_to_moodle_by_number(
    tmp_path: Path, owners: list[str], names: list[str]
) -> None:
    (tmp_path / "ana").mkdir()
    (tmp_path / "ana" / "feedback.html").write_text("page")
    ana = StudentGrade(CLASS[0].student, None, CLASS[0].grade, (), tmp_path / "ana")
    entries = [
        Entry("d.zip", "Team_9_assignsubmission_file/heads.py", one, outcome="taken") for one in owners
    ]
    found = exporters()["moodle"].feedback(Request([ana], KIT, "en", entries=entries))
    assert list(found or {}) == names


CELL = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0\r"), max_size=8)


@given(
    st.lists(st.lists(CELL, min_size=2, max_size=4), min_size=1, max_size=5), st.sampled_from(["\n", "\r\n"])
)
def test_what_is_not_filled_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, table: list[list[str]], end: str
) -> None:
    out = io.StringIO()
    csv.writer(out, lineterminator=end).writerows([["a", "b"], *table])
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_bytes(out.getvalue().encode())
    assert RawCsv.read(path).bytes() == path.read_bytes()


def test_a_new_exporter_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Mine:
        name, told, options = "mine", "Mine", frozenset[str]()

    class Entry:
        def load(self) -> type[Mine]:
            return Mine

    monkeypatch.setattr("autograder.exporters.entry_points", lambda group: [Entry()])
    assert exporters()["mine"].told == "Mine"
