"""Tables of people: read as text whatever wrote them, and the same after writing and reading again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.gradebook.collected import Entry, collected_text, read_collected
from autograder.gradebook.students import Student, read_students, same_name, students_text
from autograder.gradebook.tables import TableError, read_table

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
    path.write_text(students_text(people), encoding="utf-8")
    assert read_students(path) == people
    entries = [Entry("d.zip", f"e{i}", a, why=b) for i, (a, b, _) in enumerate(rows)]
    path.write_text(collected_text(entries), encoding="utf-8")
    assert read_collected(path) == entries


@pytest.mark.parametrize("text", ["", "name\nana\n", "student\nana\nana\n", "student,name\n,Ana\n"])
def test_a_table_that_cannot_be_used_says_why(tmp_path: Path, text: str) -> None:
    (tmp_path / "students.csv").write_text(text)
    with pytest.raises(TableError, match="students.csv"):
        read_students(tmp_path / "students.csv")


def test_composed_and_decomposed_names_are_the_same() -> None:
    assert same_name("Joa\u0303o  SILVA ") == same_name("João Silva")
