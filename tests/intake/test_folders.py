"""Folders as students really hand them in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from autograder.assignment import KIT as ROOT
from autograder.assignment import load_assignment
from autograder.course import Limits
from autograder.intake import IntakeError, Submission, incoming
from autograder.intake.read import read
from tests.intake.limited import limited

LIMITS = Limits()


def put(path: Path, data: bytes | str = "x = 1\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def written(n: int) -> str:
    return f"def split_heads(x, n_head):\n    return x + {n}\n"


def read_one(folder: Path, student: str = "ana", limits: Limits = LIMITS) -> Submission:
    found, _ = incoming(folder, load_assignment())
    return read(next(one for one in found if one.student == student), limited(limits))


def problem_ids(submission: Submission) -> list[str]:
    return [p.id for p in submission.problems]


def flag_ids(submission: Submission) -> list[str]:
    return [f.id for f in submission.flags]


def test_plain_folder_is_taken_without_remark(tmp_path: Path) -> None:
    put(tmp_path / "ana" / "heads.py", "a = 1\n")
    put(tmp_path / "ana" / "mask.py", "b = 2\n")
    put(tmp_path / "ana" / "notes.txt")
    got = read_one(tmp_path)
    assert dict(got.files) == {"heads.py": b"a = 1\n", "mask.py": b"b = 2\n"}
    assert got.problems == ()
    assert got.flags == ()


@pytest.mark.parametrize(
    "name",
    [
        "Heads.py",
        "heads (1).py",
        "heads.py.txt",
        "heads-1.py",
        "heads - Copy.py",
        "HEADS.PY",
        "Cópia de heads.py",
    ],
)
def test_a_name_that_can_only_mean_one_exercise_is_read_as_it_and_said(tmp_path: Path, name: str) -> None:
    put(tmp_path / "ana" / name, "a = 1\n")
    got = read_one(tmp_path)
    assert dict(got.files) == {"heads.py": b"a = 1\n"}
    assert [(f.id, f.params) for f in got.flags] == [("read_as", {"found": name, "file": "heads.py"})]


@pytest.mark.parametrize("name", ["myheads.py", "heads2go.py", "test_heads.py", "heads.pyc", "overheads.py"])
def test_other_names_are_not_taken_for_an_exercise(tmp_path: Path, name: str) -> None:
    put(tmp_path / "ana" / name)
    assert read_one(tmp_path).files == {}


def test_two_names_for_one_exercise_are_left_to_a_person(tmp_path: Path) -> None:
    put(tmp_path / "ana" / "heads (1).py", "a = 1\n")
    put(tmp_path / "ana" / "heads (2).py", "a = 2\n")
    put(tmp_path / "ana" / "mask.py")
    got = read_one(tmp_path)
    assert list(got.files) == ["mask.py"]
    assert [(p.id, p.params) for p in got.problems] == [
        ("file.several", {"file": "heads.py", "found": "heads (1).py, heads (2).py"})
    ]


def test_the_plain_name_wins_and_the_other_is_mentioned(tmp_path: Path) -> None:
    put(tmp_path / "ana" / "heads.py", written(1))
    put(tmp_path / "ana" / "heads (1).py", written(2))
    got = read_one(tmp_path)
    assert got.files["heads.py"] == written(1).encode()
    assert flag_ids(got) == ["also_written"]


def test_the_work_in_a_copy_beside_the_untouched_exercise_is_what_counts(tmp_path: Path) -> None:
    stub = (ROOT / "exercises" / "heads.py").read_text(encoding="utf-8")
    put(tmp_path / "ana" / "heads.py", stub)
    put(tmp_path / "ana" / "heads (1).py", written(1))
    put(tmp_path / "ana" / "heads (2).py", stub)
    got = read_one(tmp_path)
    assert dict(got.files) == {"heads.py": written(1).encode()}
    assert [(f.id, f.params["found"]) for f in got.flags] == [("read_as", "heads (1).py")]
    put(tmp_path / "ana" / "heads (2).py", written(2))
    got = read_one(tmp_path)
    assert got.files == {}
    (problem,) = got.problems
    assert (problem.id, problem.params["found"]) == ("written.several", "heads (1).py, heads (2).py")


def test_unknown_files_are_named_with_what_was_expected(tmp_path: Path) -> None:
    put(tmp_path / "ana" / "homework.docx")
    (problem,) = read_one(tmp_path).problems
    assert problem.id == "folder.unknown"
    assert problem.params["found"] == "homework.docx"
    assert "heads.py" in str(problem.params["expected"])


def test_what_systems_leave_behind_is_not_a_file(tmp_path: Path) -> None:
    put(tmp_path / "ana" / ".DS_Store")
    put(tmp_path / "ana" / "__MACOSX" / "._heads.py")
    put(tmp_path / "ana" / "__pycache__" / "heads.cpython-311.pyc")
    put(tmp_path / "__MACOSX" / "ana" / "heads.py")
    put(tmp_path / ".DS_Store")
    found, others = incoming(tmp_path, load_assignment())
    assert ([one.student for one in found], others) == (["ana"], [])
    (problem,) = read_one(tmp_path).problems
    assert (problem.id, problem.params["found"]) == (
        "folder.hidden",
        "__pycache__/heads.cpython-311.pyc",
    )


def test_the_folder_inside_the_folder_is_found(tmp_path: Path) -> None:
    put(tmp_path / "ana" / "homework" / "exercises" / "heads.py", "mine = 1\n")
    put(tmp_path / "ana" / "homework" / "exercises" / "mask.py")
    put(tmp_path / "ana" / "homework" / "solutions" / "heads.py", "not mine = 1\n")
    got = read_one(tmp_path)
    assert got.files["heads.py"] == b"mine = 1\n"
    assert sorted(got.files) == ["heads.py", "mask.py"]


def test_two_equal_places_outside_home_are_not_chosen_between(tmp_path: Path) -> None:
    put(tmp_path / "ana" / "heads.py")
    put(tmp_path / "ana" / "a" / "mask.py")
    put(tmp_path / "ana" / "b" / "mask.py", "x = 2\n")
    got = read_one(tmp_path)
    assert "mask.py" not in got.files
    assert problem_ids(got) == ["file.several"]


def test_links_and_special_files_are_not_opened(tmp_path: Path) -> None:
    secret = put(tmp_path / "secret.py", "secret\n")
    folder = tmp_path / "class" / "ana"
    put(folder / "mask.py")
    try:
        (folder / "heads.py").symlink_to(secret)
        os.link(secret, folder / "attention.py")
        os.mkfifo(folder / "kv_cache.py")
    except (OSError, AttributeError):
        pytest.skip("this system has no links or FIFOs")
    got = read_one(tmp_path / "class")
    assert list(got.files) == ["mask.py"]
    assert sorted(problem_ids(got)) == ["file.link", "file.second_name", "file.special"]


def test_devices_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "ana").mkdir()
    try:
        os.mknod(tmp_path / "ana" / "heads.py", 0o20666, os.makedev(1, 5))  # /dev/zero: never ends
    except (OSError, AttributeError):
        pytest.skip("needs the right to make a device")
    assert problem_ids(read_one(tmp_path)) == ["file.special"]


def test_links_in_the_class_folder_are_rows_with_a_reason(tmp_path: Path) -> None:
    elsewhere = put(tmp_path / "elsewhere" / "heads.py").parent
    put(tmp_path / "class" / "bo" / "heads.py")
    try:
        (tmp_path / "class" / "ana").symlink_to(elsewhere)
        os.mkfifo(tmp_path / "class" / "cy")
    except (OSError, AttributeError):
        pytest.skip("this system has no links or FIFOs")
    assert problem_ids(read_one(tmp_path / "class")) == ["file.link"]
    assert problem_ids(read_one(tmp_path / "class", "cy")) == ["file.special"]


def test_linked_folders_are_not_followed(tmp_path: Path) -> None:
    elsewhere = put(tmp_path / "elsewhere" / "heads.py").parent
    (tmp_path / "class" / "ana").mkdir(parents=True)
    try:
        (tmp_path / "class" / "ana" / "exercises").symlink_to(elsewhere)
    except OSError:
        pytest.skip("this system has no links")
    assert read_one(tmp_path / "class").files == {}


def test_a_folder_in_a_files_place(tmp_path: Path) -> None:
    (tmp_path / "ana" / "heads.py").mkdir(parents=True)
    assert problem_ids(read_one(tmp_path)) == ["file.folder"]


def test_huge_files_are_refused_by_size_and_by_sum(tmp_path: Path) -> None:
    put(tmp_path / "ana" / "heads.py", b"#" * 1500)
    put(tmp_path / "ana" / "mask.py", b"#" * 700)
    put(tmp_path / "ana" / "attention.py", b"#" * 700)
    got = read_one(tmp_path, limits=Limits(file_kb=1, submission_kb=1))
    assert list(got.files) == ["mask.py"]
    assert problem_ids(got) == ["file.too_big", "file.too_big"]


def test_a_file_without_permission_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "ana" / "heads.py")

    def refuse(*args: object, **kwargs: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("autograder.intake.reading.os.open", refuse)
    (problem,) = read_one(tmp_path).problems
    assert (problem.id, problem.params["why"]) == ("file.unreadable", "Permission denied")


def test_works_where_o_nofollow_does_not_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.intake.reading._FLAGS", os.O_RDONLY)
    put(tmp_path / "ana" / "heads.py", "a = 1\n")
    assert read_one(tmp_path).files == {"heads.py": b"a = 1\n"}


@pytest.mark.parametrize(
    ("data", "text", "flagged"),
    [
        ("x = 'ç'\n".encode("utf-8-sig"), "x = 'ç'\n", []),
        ("x = 'ç'\n".encode("utf-16"), "x = 'ç'\n", ["encoding"]),
        ("# máscara\n".encode("cp1252"), "# máscara\n", ["encoding"]),
        ("# coding: latin-1\n# máscara\n".encode("latin-1"), "# coding: utf-8\n# máscara\n", ["encoding"]),
        ("# coding: utf-8\n# máscara\n".encode(), "# coding: utf-8\n# máscara\n", []),
        (b"# coding: rot13\nk = 1\n", "# coding: rot13\nk = 1\n", []),
    ],
)
def test_encodings(tmp_path: Path, data: bytes, text: str, flagged: list[str]) -> None:
    put(tmp_path / "ana" / "heads.py", data)
    got = read_one(tmp_path)
    assert got.files["heads.py"].decode() == text
    assert flag_ids(got) == flagged


@pytest.mark.parametrize("data", [b"\0\0\0", b"\x7fELF\0\1", b"\xff\xfea"])
def test_bytes_that_are_no_text(tmp_path: Path, data: bytes) -> None:
    put(tmp_path / "ana" / "heads.py", data)
    assert problem_ids(read_one(tmp_path)) == ["file.not_text"]


def test_every_kind_of_name_gets_its_own_row(tmp_path: Path) -> None:
    names = [
        "=1+1",
        "-rf",
        "José",
        "a b",
        "new\nline",
        "Ana",
        "ana",
        "<b>x</b>",
        "🐍",
        "x" * 200,
        "\u202eevil",
    ]
    for name in names:
        put(tmp_path / name / "heads.py")
    students = [one.student for one in incoming(tmp_path, load_assignment())[0]]
    assert len(set(students)) == len(names)
    assert {"=1+1", "-rf", "José", "a b", "new\\nline", "Ana", "ana", "\\u202eevil"} <= set(students)
    assert all(s.isprintable() for s in students)


def test_a_name_that_is_no_utf8(tmp_path: Path) -> None:
    try:
        os.mkdir(os.fsencode(tmp_path) + b"/jos\xe9")
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    ((one,), _) = incoming(tmp_path, load_assignment())
    assert one.student == "jos\\xe9"
    assert problem_ids(read(one, load_assignment())) == ["folder.empty"]


def test_where_results_go_is_no_student(tmp_path: Path) -> None:
    put(tmp_path / "ana" / "heads.py")
    put(tmp_path / "feedback" / "ana" / "result.json")
    found, _ = incoming(tmp_path, load_assignment(), leave_out=tmp_path / "feedback")
    assert [one.student for one in found] == ["ana"]


def test_other_files_in_the_class_folder_are_named_and_left(tmp_path: Path) -> None:
    put(tmp_path / "ana" / "heads.py")
    put(tmp_path / "roster.csv")
    assert incoming(tmp_path, load_assignment())[1] == ["roster.csv"]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda p: None, "no such folder"),
        (lambda p: put(p), "this is a file"),
        (lambda p: p.mkdir(), "holds nothing"),
        (lambda p: put(p / "heads.py"), "one student's submission"),
        (lambda p: put(p / "a.txt"), "only a.txt"),
    ],
)
def test_a_class_that_is_none_says_what_to_do(tmp_path: Path, make, says: str) -> None:  # type: ignore[no-untyped-def]
    make(tmp_path / "class")
    with pytest.raises(IntakeError, match=says) as error:
        incoming(tmp_path / "class", load_assignment())
    assert "per student" in str(error.value)
