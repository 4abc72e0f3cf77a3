"""Zips as students hand them in, and as nobody should."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
from pathlib import Path

import pytest

from autograder.assignment import load_assignment
from autograder.course import Limits
from autograder.intake import Submission, incoming
from autograder.intake.read import read
from tests.intake.limited import limited


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


def hand_in(folder: Path, data: bytes, limits: Limits | None = None) -> Submission:
    (folder / "ana.zip").write_bytes(data)
    ((one,), _) = incoming(folder, load_assignment())
    assert one.student == "ana"
    return read(one, limited(limits))


def ids(submission: Submission) -> list[str]:
    return [p.id for p in submission.problems]


def test_files_at_the_top_or_in_a_folder(tmp_path: Path) -> None:
    for prefix in ("", "homework/", "kit/exercises/", "kit\\exercises\\"):
        got = hand_in(tmp_path, zipped((prefix + "heads.py", b"a = 1\n"), ("__MACOSX/._heads.py", b"junk")))
        assert dict(got.files) == {"heads.py": b"a = 1\n"}
        assert (got.problems, got.flags) == ((), ())


def test_a_zip_inside_the_students_folder(tmp_path: Path) -> None:
    (tmp_path / "ana").mkdir()
    (tmp_path / "ana" / "work.zip").write_bytes(zipped(("heads.py", b"a = 1\n")))
    ((one,), _) = incoming(tmp_path, load_assignment())
    assert read(one, load_assignment()).files == {"heads.py": b"a = 1\n"}
    (tmp_path / "ana" / "old.zip").write_bytes(zipped(("heads.py", b"a = 2\n")))
    assert ids(read(one, load_assignment())) == ["file.several"]


def test_files_beside_a_zip_win(tmp_path: Path) -> None:
    (tmp_path / "ana").mkdir()
    (tmp_path / "ana" / "heads.py").write_bytes(b"b = 2\n")
    (tmp_path / "ana" / "work.zip").write_bytes(zipped(("heads.py", b"a = 1\n")))
    ((one,), _) = incoming(tmp_path, load_assignment())
    got = read(one, load_assignment())
    assert got.files == {"heads.py": b"b = 2\n"}


def test_a_folder_and_a_zip_of_one_name_are_two_rows(tmp_path: Path) -> None:
    (tmp_path / "ana").mkdir()
    (tmp_path / "ana.zip").write_bytes(zipped(("heads.py", b"a = 1\n")))
    assert [one.student for one in incoming(tmp_path, load_assignment())[0]] == ["ana", "ana.zip"]


@pytest.mark.parametrize("name", ["../heads.py", "a/../../heads.py", "..\\heads.py"])
def test_members_that_lead_out(tmp_path: Path, name: str) -> None:
    got = hand_in(tmp_path, zipped(("mask.py", b"m = 1\n"), (name, b"x = 1\n")))
    assert ids(got) == ["zip.outside"]
    assert list(got.files) == ["mask.py"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicates(tmp_path: Path) -> None:
    got = hand_in(tmp_path, zipped(("heads.py", b"a"), ("heads.py", b"b")))
    assert (ids(got), got.files) == (["zip.duplicate"], {})
    got = hand_in(tmp_path, zipped(("w/heads.py", b"a"), ("w\\heads.py", b"b")))
    assert (ids(got), got.files) == (["zip.duplicate"], {})


def test_links(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("heads.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    got = hand_in(tmp_path, zipped((link, b"/etc/passwd"), ("mask.py", b"m = 1\n")))
    assert (ids(got), got.files) == (["file.link"], {"mask.py": b"m = 1\n"})


def test_a_bomb_is_not_inflated(tmp_path: Path) -> None:
    got = hand_in(tmp_path, zipped(("heads.py", b"\n" * 30_000_000), ("mask.py", b"m = 1\n")))
    assert (ids(got), got.files) == (["file.too_big"], {"mask.py": b"m = 1\n"})


def test_a_bomb_that_lies_about_its_size(tmp_path: Path) -> None:
    data = bytearray(zipped(("heads.py", b"\n" * 30_000_000)))
    at = data.rindex(b"PK\1\2")
    struct.pack_into("<I", data, at + 24, 100)  # "uncompressed size" in the list of members
    got = hand_in(tmp_path, bytes(data))
    assert (ids(got), got.files) == (["zip.broken"], {})


def test_encrypted(tmp_path: Path) -> None:
    data = bytearray(zipped(("heads.py", b"a = 1\n")))
    data[data.rindex(b"PK\1\2") + 8] |= 1
    assert ids(hand_in(tmp_path, bytes(data))) == ["zip.encrypted"]


def test_methods_that_take_the_memory_they_ask_for(tmp_path: Path) -> None:
    assert ids(hand_in(tmp_path, zipped(("heads.py", b"a = 1\n"), method=zipfile.ZIP_LZMA))) == ["zip.method"]


def test_too_many_members(tmp_path: Path) -> None:
    many = zipped(*((f"f{i}", b"") for i in range(6000)))
    assert ids(hand_in(tmp_path, many)) == ["folder.more", "folder.unknown"]


def test_a_list_of_members_that_would_take_long_to_read_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = zipped(*((f"{i:0300}", b"") for i in range(20_000)))
    monkeypatch.setattr(zipfile, "ZipFile", None)
    assert ids(hand_in(tmp_path, many)) == ["zip.too_many"]


@pytest.mark.parametrize(
    "data", [b"", b"not a zip", zipped(("heads.py", b"a" * 99))[:60]], ids=["empty", "other", "cut off"]
)
def test_broken(tmp_path: Path, data: bytes) -> None:
    assert ids(hand_in(tmp_path, data)) == ["zip.broken"]


@pytest.mark.parametrize("name", ["ana.rar", "ana.7z", "ana.zipx"])
def test_other_archives_are_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"Rar!")
    ((one,), _) = incoming(tmp_path, load_assignment())
    assert one.student == "ana"
    assert ids(read(one, load_assignment())) == ["zip.other_kind"]


def test_other_archives_inside_the_students_folder(tmp_path: Path) -> None:
    (tmp_path / "bo").mkdir()
    (tmp_path / "bo" / "work.rar").write_bytes(b"Rar!")
    ((one,), _) = incoming(tmp_path, load_assignment())
    assert ids(read(one, load_assignment())) == ["zip.other_kind"]
