"""Tables of people: read as text whatever wrote them, and the same after writing and reading again."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.course import Deadline
from autograder.gradebook.collected import Entry, read_collected
from autograder.gradebook.names import same_name
from autograder.gradebook.policy import lateness
from autograder.gradebook.students import Student, read_students
from autograder.gradebook.tables import TableError, read_table, table_text

WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), max_size=12)


@pytest.mark.parametrize(
    ("data", "encoding", "separator"),
    [
        ("id;nome\n007;João\n".encode("cp1252"), "cp1252", ";"),
        ("\ufeffid,nome\n007,João\n".encode(), "utf-8-sig", ","),
        ("id\tnome\r\n007\tJoão\r\n".encode("utf-16"), "utf-16", "\t"),
        ('"id, or key",nome\n007,João\n'.encode(), "utf-8-sig", ","),
    ],
)
def test_any_usual_file_is_read_as_text(tmp_path: Path, data: bytes, encoding: str, separator: str) -> None:
    (tmp_path / "t.csv").write_bytes(data)
    table = read_table(tmp_path / "t.csv")
    assert (table.encoding, table.separator) == (encoding, separator)
    assert table.rows == (("007", "João"),)


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), max_size=5))
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, rows: list) -> None:
    path = tmp_path_factory.mktemp("t") / "students.csv"
    people = [Student(f"s{i}", name, email, question=q) for i, (name, email, q) in enumerate(rows)]
    path.write_text(Student.text(people), encoding="utf-8")
    assert read_students(path) == people
    entries = [Entry("d.zip", f"e{i}", a, why=b) for i, (a, b, _) in enumerate(rows)]
    path.write_text(Entry.text(entries), encoding="utf-8")
    assert read_collected(path) == entries


@pytest.mark.parametrize("text", ["", "name\nana\n", "student\nana\nana\n", "student,name\n,Ana\n"])
def test_a_table_that_cannot_be_used_says_why(tmp_path: Path, text: str) -> None:
    (tmp_path / "students.csv").write_text(text)
    with pytest.raises(TableError, match="students.csv"):
        read_students(tmp_path / "students.csv")


def test_composed_and_decomposed_names_are_the_same() -> None:
    assert same_name("Joa\u0303o  SILVA ") == same_name("João Silva")


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("ana,2027-03-03,,", "neither a duration"),  # does the day begin or end then?
        ("ana,03/03/2027 23:59,,", "neither a duration"),
        ("ana,soon,,", "neither a duration"),
        ("ana,999999w,,", "neither a duration"),
        ("ana,,2027-03-01T10:00:00,", "no time with an offset"),
        ("ana,,yesterday,", "no time with an offset"),
        ("ana,,,-1", "no whole number"),
        ("ana,,,two", "no whole number"),
        (",2d,,", "no `student`"),
    ],
)
def test_what_a_person_wrote_and_nobody_can_read(tmp_path: Path, row: str, why: str) -> None:
    path = tmp_path / "students.csv"
    path.write_text(f"student,extension,submitted_at,slip_days\n{row}\nbo,,nonsense,\n", encoding="utf-8")
    with pytest.raises(TableError) as refused:
        read_students(path)
    assert why in str(refused.value)
    assert "bo" in str(refused.value), "all that is wrong is said at once"


WORDS = st.text("0123456789-:T+.dhmsw Z", max_size=25)


@given(WORDS, WORDS, st.text("0123456789", max_size=4))
def test_whatever_is_read_can_be_graded(extension: str, submitted_at: str, slip_days: str) -> None:
    deadline = Deadline.model_validate({"at": "2027-03-01T23:59:00-03:00", "rate": 10, "slip_days": 2})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "students.csv"
        row = table_text(["student", "extension", "submitted_at", "slip_days"],
                         [["ana", extension, submitted_at, slip_days]])  # fmt: skip
        path.write_text(row, encoding="utf-8")
        try:
            (one,) = read_students(path)
        except TableError:
            return
    late = lateness(deadline, one, one.when)
    assert late.charged >= 0
