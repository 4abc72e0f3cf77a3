"""A submission that holds something is never empty: everything in it is found, or named with the reason."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest

from autograder.assignment import load_assignment
from autograder.course import Limits
from autograder.intake import incoming
from autograder.intake.gather import Gathered, gathered, why_nothing
from autograder.intake.inbox import Incoming
from autograder.intake.reading import Unreadable
from tests.intake.limited import limited

WORK = b"a = 1\n"
Files = dict[str, bytes]


def zipped(files: Files, *, zip64: bool = False) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    if not zip64:
        return buffer.getvalue()
    data = buffer.getvalue()
    end = data.rindex(b"PK\5\6")
    count, size, start = struct.unpack_from("<HII", data, end + 10)
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, end, 1)
    last = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return data[:end] + record + locator + last


def tarred(files: Files, *more: tarfile.TarInfo) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in more:
            archive.addfile(info)
    return buffer.getvalue()


def put(folder: Path, files: Files) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def of_file(tmp_path: Path, name: str, data: bytes, limits: Limits | None = None) -> Gathered:
    (tmp_path / name).write_bytes(data)
    return gathered(Incoming("ana", tmp_path / name, "archive"), limited(limits))


def of_folder(folder: Path) -> Gathered:
    return gathered(Incoming("ana", folder, "folder"), load_assignment())


def contents(found: Gathered) -> dict[str, bytes | str]:
    """Path -> bytes, or the reason why they are not read."""
    result: dict[str, bytes | str] = {}
    for entry in found.entries:
        try:
            result[entry.shown] = entry.read(1 << 20)
        except Unreadable as e:
            result[entry.shown] = e.problem.id
    return result


def told(found: Gathered) -> list[str]:
    return [problem.id for problem in why_nothing(found, load_assignment())]


NESTED = zipped({"in/w.zip": zipped({"heads.py": WORK})})
DEEPER = zipped({"d.zip": NESTED})
FOUND = {
    "thirty folders": ({"a/" * 30 + "heads.py": WORK}, "a/" * 30 + "heads.py"),
    "a zip": ({"hw/w.zip": zipped({"x/heads.py": WORK})}, "hw/w.zip/x/heads.py"),
    "a zip in a zip": ({"w.zip": NESTED}, "w.zip/in/w.zip/heads.py"),
    "Zip64": ({"w.zip": zipped({"heads.py": WORK}, zip64=True)}, "w.zip/heads.py"),
    "a tar": ({"w.tar": tarred({"./x/heads.py": WORK})}, "w.tar/x/heads.py"),
    "a tar.gz": ({"w.tgz": gzip.compress(tarred({"heads.py": WORK}))}, "w.tgz/heads.py"),
    "a tar.bz2": ({"w.tar.bz2": bz2.compress(tarred({"heads.py": WORK}))}, "w.tar.bz2/heads.py"),
    "a tar.xz": ({"w.tar.xz": lzma.compress(tarred({"heads.py": WORK}))}, "w.tar.xz/heads.py"),
    "a tar of long names": ({"w.tar": tarred({"n" * 300 + "/heads.py": WORK})}, None),
    "a zip in a tar": ({"w.tar": tarred({"w.zip": NESTED})}, "w.tar/w.zip/in/w.zip/heads.py"),
    "one packed file": ({"heads.py.gz": gzip.compress(WORK)}, "heads.py.gz/heads.py"),
    "a tar that says zip": ({"w.zip": gzip.compress(tarred({"heads.py": WORK}))}, "w.zip/heads.py"),
    "a zip that says tar": ({"w.tar.gz": zipped({"heads.py": WORK})}, "w.tar.gz/heads.py"),
    "a zip from a disk's top": ({"w.zip": zipped({"/home/me/heads.py": WORK})}, "w.zip/home/me/heads.py"),
    "a zip from Windows": ({"w.zip": zipped({"C:\\me\\heads.py": WORK})}, "w.zip/me/heads.py"),
    "a folder with an exercise's name": ({"heads.py/heads.py": WORK}, "heads.py/heads.py"),
}
HIDDEN = [
    ".hw/heads.py",
    "env/heads.py",
    "venv/lib/heads.py",
    ".ipynb_checkpoints/x.ipynb",
    "__MACOSX/heads.py",
]
HIDDEN += ["__pycache__/heads.pyc", ".heads.py", "node_modules/a/b.py", ".hw/w.zip"]


@pytest.mark.parametrize(("files", "path"), FOUND.values(), ids=FOUND)
def test_work_is_found_wherever_it_lies(tmp_path: Path, files: Files, path: str | None) -> None:
    found = of_folder(put(tmp_path / "ana", files))
    seen = {p: data for p, data in contents(found).items() if data == WORK}
    assert len(seen) == 1
    assert path is None or list(seen) == [path]
    assert found.problems == found.left_out == []


@pytest.mark.parametrize("name", HIDDEN)
def test_what_is_hidden_is_found_marked_and_never_called_empty(tmp_path: Path, name: str) -> None:
    found = of_folder(put(tmp_path / "ana", {name: zipped({"heads.py": WORK}) if ".zip" in name else WORK}))
    assert [entry.hidden for entry in found.entries] == [True]
    assert told(found) == ["folder.hidden"]
    put(tmp_path / "ana", {"heads.py": WORK})
    found = of_folder(tmp_path / "ana")
    assert [entry.shown for entry in found.shown] == ["heads.py"]
    assert found.problems == found.left_out == []


@pytest.mark.parametrize("name", [".DS_Store", "Thumbs.db", "desktop.ini", ".gitkeep", "__MACOSX/._heads.py"])
def test_what_only_a_system_writes_is_nothing_handed_in(tmp_path: Path, name: str) -> None:
    assert told(of_folder(put(tmp_path / "ana", {name: WORK}))) == ["folder.empty"]


def test_hidden_ones_do_not_take_the_room_of_the_others(tmp_path: Path) -> None:
    put(tmp_path / "ana", {f"env/{i}/x{i}.py": b"" for i in range(700)} | {"z/heads.py": WORK})
    found = of_folder(tmp_path / "ana")
    assert [entry.shown for entry in found.shown] == ["z/heads.py"]
    assert found.left_out == []
    files = {f"env/x{i}.py": b"" for i in range(6000)} | {"z/heads.py": WORK}
    found = of_file(tmp_path, "ana.zip", zipped(files))
    assert [entry.shown for entry in found.shown] == ["z/heads.py"]
    assert found.problems == []


LEFT = {
    "too deep": ({"a/" * 70 + "heads.py": WORK}, "folder.too_deep"),
    "an empty zip": ({"w.zip": zipped({})}, "zip.empty"),
    "a broken zip": ({"w.zip": b"PK\3\4 and no more"}, "zip.broken"),
    "no zip": ({"w.zip": b"hello"}, "zip.broken"),
    "no tar": ({"w.tar.gz": gzip.compress(b"hello" * 500)}, "zip.broken"),
    "a cut tar.gz": ({"w.tar.gz": gzip.compress(tarred({"heads.py": os.urandom(5000)}))[:900]}, "zip.broken"),
    "a rar": ({"w.rar": b"Rar!\x1a\x07\0"}, "zip.other_kind"),
    "a 7z that says zip": ({"w.zip": b"7z\xbc\xaf\x27\x1c\0\0"}, "zip.other_kind"),
    "zips without end": ({"a.zip": zipped({"b.zip": zipped({"c.zip": DEEPER})})}, "zip.too_nested"),
    "too many zips": ({f"{i}.zip": zipped({}) for i in range(30)}, "zip.too_many_archives"),
    "out of its folder": ({"w.zip": zipped({"../heads.py": WORK})}, "zip.outside"),
    "too many files": ({"w.zip": zipped({f"{i}.py": b"" for i in range(5100)})}, "folder.more"),
}


@pytest.mark.parametrize(("files", "reason"), LEFT.values(), ids=LEFT)
def test_what_is_not_looked_at_is_named(tmp_path: Path, files: Files, reason: str) -> None:
    found = of_folder(put(tmp_path / "ana", files))
    assert reason in told(found)
    assert "folder.empty" not in told(found)
    assert found.left_out or reason == "folder.more"
    assert sum(len(str(problem.params)) for problem in why_nothing(found, load_assignment())) < 5000


def test_only_nothing_is_empty(tmp_path: Path) -> None:
    (tmp_path / "ana" / "nothing" / "in here").mkdir(parents=True)
    assert told(of_folder(tmp_path / "ana")) == ["folder.empty"]
    assert told(of_file(tmp_path, "ana.zip", zipped({}))) == ["folder.empty"]


def test_a_folder_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "ana", {"closed/heads.py": WORK, "mask.py": WORK})
    real = os.scandir

    def refuse(place: Path):  # type: ignore[no-untyped-def]
        if Path(place).name == "closed":
            raise PermissionError(13, "Permission denied")
        return real(place)

    monkeypatch.setattr("autograder.intake.entries.os.scandir", refuse)
    found = of_folder(tmp_path / "ana")
    assert [problem.id for problem in found.problems] == ["folder.closed"]
    assert found.left_out == ["closed"]
    assert list(contents(found)) == ["mask.py"]


def test_folders_deeper_than_a_path_may_be_long(tmp_path: Path) -> None:
    here = os.getcwd()
    (tmp_path / "ana").mkdir()
    try:
        os.chdir(tmp_path / "ana")
        for _ in range(500):  # 10,000 bytes: more than a path may have
            os.mkdir("d" * 20)
            os.chdir("d" * 20)
    finally:
        os.chdir(here)
    assert told(of_folder(tmp_path / "ana")) == ["folder.too_deep"]


def test_a_folder_of_very_many_files_is_listed_in_part_and_the_exercises_in_it_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograder.intake.entries._AT_ONCE", 50)
    put(tmp_path / "ana", {f"{i}.dat": b"" for i in range(200)} | {"heads.py": WORK, "mask.py": WORK})
    found = of_folder(tmp_path / "ana")
    assert {"heads.py", "mask.py"} <= set(contents(found))
    assert [problem.id for problem in found.problems] == ["folder.more"]


def test_one_member_that_cannot_be_read_does_not_cost_the_others(tmp_path: Path) -> None:
    link, hard, pipe = (tarfile.TarInfo(f"{name}.py") for name in ("link", "hard", "pipe"))
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    hard.type, hard.linkname = tarfile.LNKTYPE, "../bo/heads.py"
    pipe.type = tarfile.FIFOTYPE
    found = of_file(tmp_path, "ana.tar", tarred({"heads.py": WORK}, link, hard, pipe))
    assert contents(found) == {
        "heads.py": WORK,
        "link.py": "file.link",
        "hard.py": "file.link",
        "pipe.py": "file.special",
    }
    data = bytearray(zipped({"heads.py": WORK, "mask.py": WORK}))
    data[data.rindex(b"PK\1\2") + 8] |= 1
    assert contents(of_file(tmp_path, "a.zip", bytes(data))) == {"heads.py": WORK, "mask.py": "zip.encrypted"}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_members_of_one_name_cost_that_name_unless_they_are_equal(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in (("a.py", "1"), ("a.py", "2"), ("b.py", "1"), ("b.py", "1"), ("A.PY", "3")):
            archive.writestr(name, text)
    got = contents(of_file(tmp_path, "ana.zip", buffer.getvalue()))
    assert got == {"a.py": "zip.duplicate", "b.py": b"1", "A.PY": b"3"}


def test_all_archives_of_a_submission_share_one_allowance(tmp_path: Path) -> None:
    limits = Limits(submission_kb=64, notebook_mb=1)
    bomb = zipped({"x.ipynb": b"\0" * 1_000_000, "y.ipynb": b"\0" * 1_000_000})
    found = of_file(tmp_path, "ana.zip", zipped({f"{i}.zip": bomb for i in range(10)}), limits)
    got = list(contents(found).values())
    assert len(got) == 20
    assert sum(isinstance(data, bytes) for data in got) <= 4
    assert "file.all_too_big" in got
    again = [entry.read(1 << 20) for entry in found.entries[:2]]
    assert again == got[:2], "what was read once can be read again"


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(b"\0" * 200_000_000, 1),
        bz2.compress(b"\0" * 40_000_000),
        lzma.compress(b"\0" * 40_000_000),
    ],
    ids=["gz", "bz2", "xz"],
)
def test_a_packed_bomb_is_not_unpacked(tmp_path: Path, data: bytes) -> None:
    assert told(of_file(tmp_path, "ana.tar.gz", data)) == ["file.too_big"]


def test_a_tar_of_nothing_but_headers_and_one_of_wrong_sizes(tmp_path: Path) -> None:
    header = tarfile.TarInfo("a.py").tobuf()
    assert told(of_file(tmp_path, "ana.tar", header * 20_000)) == ["zip.too_many"]
    for size in (-1024, -1, 2**62):
        info = tarfile.TarInfo("heads.py")
        info.size = size
        data = info.tobuf(tarfile.GNU_FORMAT) + WORK.ljust(512, b"\0")
        found = of_file(tmp_path, "ana.tar", data)
        assert set(contents(found).values()) <= {b"", "zip.broken"}


def test_a_list_of_members_with_long_additional_fields_is_not_read(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for i in range(3):
            info = zipfile.ZipInfo(f"{i}.py")
            info.extra = b"\x99\x99\0\0" * 16_000
            archive.writestr(info, "")
    assert told(of_file(tmp_path, "ana.zip", buffer.getvalue())) == ["zip.broken"]


NAMES = [
    "CON",
    "nul.py",
    "heads.py.",
    "heads.py ",
    "\u202eheads.py",
    "HEADS.PY",
    "a\nb.py",
    "n" * 200 + ".py",
    "-",
]


def test_odd_names_are_files_like_others(tmp_path: Path) -> None:
    for found in (
        of_folder(put(tmp_path / "ana", dict.fromkeys(NAMES, WORK))),
        of_file(tmp_path, "ana.zip", zipped(dict.fromkeys(NAMES, WORK))),
        of_file(tmp_path, "ana.tar", tarred(dict.fromkeys(NAMES, WORK))),
    ):
        assert sorted(entry.name for entry in found.entries) == sorted(NAMES)
        assert list(contents(found).values()) == [WORK] * len(NAMES)
        assert all(entry.shown.isprintable() and len(entry.shown) < 250 for entry in found.entries)


@pytest.mark.parametrize("name", [b"a\0.py", b"\0\0\0\0\0", b".....", b"/////", b"\xff\xfe.py", b"../.."])
def test_names_that_no_packer_writes(tmp_path: Path, name: bytes) -> None:
    data = zipped({"aaaaa": WORK, "heads.py": WORK}).replace(b"aaaaa", name)
    found = of_file(tmp_path, "ana.zip", data)
    assert contents(found)["heads.py"] == WORK
    assert len(found.entries) + len(found.left_out) <= 2


def test_names_of_64_kilobytes(tmp_path: Path) -> None:
    found = of_file(tmp_path, "ana.zip", zipped({"x" * 65_000 + ".py": WORK, "a/" * 32_000 + "b.py": WORK}))
    (shown,) = contents(found)
    assert len(shown) < 250
    assert [problem.id for problem in found.problems] == ["folder.too_deep"]
    assert len(str(found.problems[0].params)) < 500


def test_links_and_loops_in_folders_are_not_followed(tmp_path: Path) -> None:
    folder = put(tmp_path / "ana", {"heads.py": WORK})
    try:
        (folder / "loop").symlink_to(folder)
        (folder / "broken.py").symlink_to(tmp_path / "nothing")
        os.mkfifo(folder / "pipe.py")
    except (OSError, AttributeError):
        pytest.skip("this system has no links or FIFOs")
    got = contents(of_folder(folder))
    assert got == {"heads.py": WORK, "loop": "file.link", "broken.py": "file.link", "pipe.py": "file.special"}


def test_a_single_file_and_a_single_notebook(tmp_path: Path) -> None:
    put(tmp_path, {"ana.py": WORK, "bo.ipynb": b"{}"})
    ana, bo = incoming(tmp_path, load_assignment())[0]
    assert contents(gathered(ana, load_assignment())) == {"ana.py": WORK}
    assert contents(gathered(bo, load_assignment())) == {"bo.ipynb": b"{}"}
