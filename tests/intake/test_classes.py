"""What lies in a class folder: whose it is, and whether it is a class at all."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from autograder.assignment import load_assignment
from autograder.intake import IntakeError, incoming
from autograder.store import Store

WORK = "def split_heads(x, n_head):\n    return x.unflatten(-1, (n_head, -1)).movedim(-2, 1)\n"
STUB = load_assignment().stubs["heads.py"]


def put(folder: Path, *names: str, text: str | bytes = WORK) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)


def zipped(**files: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


def rows(folder: Path, *only: str) -> dict[str, str]:
    """Student -> what it is, or why it is refused."""
    return {
        one.student: one.problem.id if one.problem else one.kind
        for one in incoming(folder, load_assignment(), only=only)[0]
    }


WRAPPED = {
    "an export in a folder of its own": ["export/ana/heads.py", "export/bruno/heads.py"],
    "several levels": ["a/b/c/ana/heads.py", "a/b/c/bruno/heads.py"],
    "work deep inside": ["export/ana/hw/exercises/heads.py", "export/bruno/mine/heads.py"],
    "sections": ["section-A/ana/heads.py", "section-B/bruno/heads.py"],
    "sections in Portuguese": ["Turma 1/ana/heads.py", "Turma 2/bruno/heads.py"],
    "groups of several": ["north/ana/mask.py", "north/bo/mask.py", "south/cy/mask.py", "south/di/mask.py"],
    "an export of sections": ["export/section-A/ana/heads.py", "export/section-B/bo/heads.py"],
    "notebooks": ["export/ana.ipynb", "export/bruno.ipynb"],
    "zips": ["export/ana.zip", "export/bruno.zip", "export/roster.csv"],
    "tars": ["export/ana.tar.gz", "export/bruno.tgz"],
    "beside files that are none": ["roster.csv", "README.md", "export/ana/heads.py", "export/bo/heads.py"],
    "numbers for names": ["export/s1001/heads.py", "export/s1002/heads.py"],
    "__MACOSX beside it": ["__MACOSX/export/._x", "export/ana/heads.py", "export/bo/heads.py"],
}
PLAIN = {
    "one student with versions": ["ana/v1/heads.py", "ana/v2/heads.py"],
    "one student with drafts": ["ana/draft/heads.py", "ana/final/heads.py", "ana/backup/heads.py"],
    "one student, an exercise a folder": ["ana/first/heads.py", "ana/second/mask.py"],
    "two students, an exercise a folder": [
        "ana/a/heads.py",
        "ana/b/mask.py",
        "bo/a/heads.py",
        "bo/b/mask.py",
    ],
    "one folder in each": ["ana/hw/heads.py", "bruno/hw/heads.py"],
    "files at the top": ["ana/heads.py", "ana/one/heads.py", "ana/two/heads.py"],
    "one ordinary student is enough": ["ana/one/heads.py", "ana/two/heads.py", "bruno/heads.py"],
    "one empty student too": ["ana/one/heads.py", "ana/two/heads.py", "bruno/notes.txt"],
    "the same zip twice": ["ana/hw.zip", "ana/hw (1).zip"],
    "copies of the notebook": ["ana/multihead_mask.ipynb", "ana/mine.ipynb", "ana/other.ipynb"],
    "nothing at all": ["ana/notes.txt"],
    "hidden ones": ["ana/.git/heads.py", "ana/env/heads.py", "ana/hw/heads.py"],
}


@pytest.mark.parametrize("paths", WRAPPED.values(), ids=WRAPPED)
def test_a_class_one_level_down_stops_the_run(tmp_path: Path, paths: list[str]) -> None:
    put(tmp_path, *paths)
    with pytest.raises(IntakeError, match="Give the folder that holds one folder per student") as error:
        incoming(tmp_path, load_assignment())
    first = sorted(p.name for p in tmp_path.iterdir() if p.is_dir() and p.name != "__MACOSX")[0]
    assert f"{tmp_path / first}" in str(error.value)
    assert f"--only {first!r}" in str(error.value)
    assert first in rows(tmp_path, first)


@pytest.mark.parametrize("paths", PLAIN.values(), ids=PLAIN)
def test_a_student_who_sorts_their_work_is_one_student(tmp_path: Path, paths: list[str]) -> None:
    put(tmp_path, *paths)
    assert set(rows(tmp_path)) == {path.partition("/")[0] for path in paths}


def test_stubs_in_one_folder_and_work_in_the_other_is_one_student(tmp_path: Path) -> None:
    put(tmp_path, "student/first/heads.py", text=STUB)
    put(tmp_path, "student/second/heads.py")
    assert rows(tmp_path) == {"student": "folder"}


def test_the_folder_to_give_is_right(tmp_path: Path) -> None:
    put(tmp_path, "a/b/ana/heads.py", "a/b/bruno/heads.py")
    with pytest.raises(IntakeError, match=f"Give the folder .*: {tmp_path / 'a' / 'b'}"):
        incoming(tmp_path, load_assignment())
    assert set(rows(tmp_path / "a" / "b")) == {"ana", "bruno"}


def test_what_cannot_be_assigned_has_a_row_and_a_reason(tmp_path: Path) -> None:
    put(tmp_path, "ana/heads.py", "bo/heads.py", "heads.py", "Mask (1).py", "cy.pdf", "di.docx", "ana.html")
    put(
        tmp_path,
        "roster.csv",
        "README",
        "README.pdf",
        "grades.xlsx",
        "x.json",
        "y.toml",
        "z.md",
        "conftest.py",
    )
    assert rows(tmp_path) == {
        "ana": "folder",
        "bo": "folder",
        "heads.py": "file.loose",
        "Mask (1).py": "file.loose",
        "cy": "file.no_code",
        "di": "file.no_code",
        "ana.html": "file.no_code",
    }
    assert len(incoming(tmp_path, load_assignment())[1]) == 8


def test_one_file_of_a_students_name_is_a_submission(tmp_path: Path) -> None:
    put(tmp_path, "ana.py", "bo.py.txt", "cy.ipynb", "di.zip", "eva.tar.gz", "fé.TGZ", "gil.rar")
    assert rows(tmp_path) == {
        "ana": "file",
        "bo": "file",
        "cy": "notebook",
        "di": "zip",
        "eva": "archive",
        "fé": "archive",
        "gil": "zip.other_kind",
    }


def test_one_students_files_are_no_class(tmp_path: Path) -> None:
    put(tmp_path, "heads.py", "mask.py", "utils.py", "multihead_mask.ipynb", "notes.txt")
    with pytest.raises(IntakeError, match="looks like one student's submission"):
        incoming(tmp_path, load_assignment())


def test_documents_alone_are_no_class(tmp_path: Path) -> None:
    put(tmp_path, "ana.pdf", "bo.docx")
    with pytest.raises(IntakeError, match=r"holds only ana\.pdf, bo\.docx"):
        incoming(tmp_path, load_assignment())


def test_every_name_has_a_row_and_a_folder_of_its_own(tmp_path: Path) -> None:
    names = [
        "grades.csv",
        "class.html",
        "con",
        "nul",
        "HEADS",
        "heads",
        "Jose\u0301",
        "Jos\u00e9",
        "JOSÉ",
        "ß",
        "ss",
    ]
    names += [
        "x" * 255,
        "é" * 127,
        "...",
        "-",
        "a.",
        "a",
        "a ",
        "journal.jsonl",
        "b\\c",
        "b|c",
        "ﬁ",
        "fi",
        "\u202ea",
    ]
    names = [name for name in names if not name.startswith(".")]
    for name in names:
        put(tmp_path / "class", f"{name}/heads.py")
    put(tmp_path / "class", "a.zip", "con.py", "nul.ipynb", text=b"")
    students = [one.student for one in incoming(tmp_path / "class", load_assignment())[0]]
    assert len(students) == len(set(students)) == len(names) + 3
    store = Store(tmp_path / "out", students)
    folders = {str(store.folder(student)).casefold() for student in students}
    assert len(folders) == len(students)
    for student in students:
        assert store.folder(student).parent == tmp_path / "out"
        store.folder(student).mkdir(parents=True)


def test_a_tar_of_a_folder(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "ana.tar.gz", "w:gz") as archive:
        info = tarfile.TarInfo("hw/heads.py")
        info.size = len(WORK)
        archive.addfile(info, io.BytesIO(WORK.encode()))
    assert rows(tmp_path) == {"ana": "archive"}
