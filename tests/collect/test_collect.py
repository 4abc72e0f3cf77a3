"""Whatever platform a class comes from: everybody and every file is accounted for, and nothing is guessed."""

from __future__ import annotations

import shutil
import unicodedata
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder.assignment import Assignment, load_assignment
from autograder.collect.collect import Collected, collect
from autograder.collect.detect import recognise
from autograder.collect.source import DownloadError, open_download
from autograder.course import Attempts, Deadline
from autograder.gradebook.collected import read_collected
from autograder.gradebook.students import read_students
from tests.collect.downloads import NAMED, make, packed

KIT = load_assignment()
TOLD_BY_NAME = {"d2l"}  # of two of the same name nobody can say who is who


def due(at: str, count: str = "last_in_time") -> Assignment:
    """The kit's assignment with a deadline."""
    rules = {
        "deadline": Deadline.model_validate({"at": at}),
        "attempts": Attempts.model_validate({"count": count}),
    }
    return KIT.model_copy(update=rules)


@pytest.mark.parametrize("platform", NAMED)
def test_a_class_of_five_hundred(tmp_path: Path, platform: str) -> None:
    """Everybody of the roster has a row; what each handed in lies in their folder, byte for byte."""
    group = make(platform, tmp_path, 500)
    done = collect([group.download], tmp_path / "class", KIT, group.roster)
    assert [name.split(" ")[0] for _, name, _ in done.recognised] == [done.recognised[0][1].split(" ")[0]]
    rows = {one.student: one for one in read_students(tmp_path / "class" / "students.csv")}
    assert {p.username for p in group.people} <= set(rows)
    names = Counter(p.name for p in group.people)
    for p in group.people:
        if platform in TOLD_BY_NAME and names[p.name] > 1:
            continue
        folder = tmp_path / "class" / p.username
        last = {name: data + (b"# again\n" if platform == "blackboard" and p.number % 5 == 0 else b"")
                for name, data in p.files.items()}  # fmt: skip
        found = {
            f.name: f.read_bytes() for f in folder.rglob("*") if f.is_file() and f.name != ".attempt.json"
        }
        assert found == last, p
        assert rows[p.username].question == ""
    if platform not in TOLD_BY_NAME:
        assert done.strange == []
    members = {i.filename for i in zipfile.ZipFile(group.download).infolist()}
    told = {row.entry for row in done.entries}
    behind = {row.entry for row in done.entries if row.entry.endswith("/")}
    assert {m for m in members if m not in told and not any(m.startswith(b) for b in behind)} == set()


@pytest.mark.parametrize("platform", sorted(set(NAMED) - {"d2l"}))
def test_without_a_roster_names_are_the_download_s(tmp_path: Path, platform: str) -> None:
    group = make(platform, tmp_path, 40)
    done = collect([group.download], tmp_path / "class", KIT)
    assert len(done.students) == sum(bool(p.files) for p in group.people)
    assert done.strange == []
    assert {one.in_roster for one in done.students} == {""}


@pytest.mark.parametrize("platform", NAMED)
@pytest.mark.parametrize("change", ["NFD", "no flag", "a folder around", "unpacked"])
def test_in_other_clothes(tmp_path: Path, platform: str, change: str) -> None:
    group = make(platform, tmp_path, 30)
    plain = collect([group.download], tmp_path / "one", KIT, group.roster)
    with zipfile.ZipFile(group.download) as archive:
        files = {info.filename: archive.read(info) for info in archive.infolist()}
    other = tmp_path / "other.zip"
    match change:
        case "NFD":
            packed(other, {unicodedata.normalize("NFD", n): d for n, d in files.items()})
        case "no flag":
            _without_flag(other, files)
        case "a folder around":
            packed(other, {f"Class 2027 (1)/{n}": d for n, d in files.items()})
        case "unpacked":
            with zipfile.ZipFile(group.download) as archive:
                archive.extractall(tmp_path / "un" / ("submitted" if platform == "x" else "packed"))
            other = tmp_path / "un" / "packed"
    done = collect([other], tmp_path / "two", KIT, group.roster)
    assert done.recognised[0][1] == plain.recognised[0][1]
    assert _files(tmp_path / "two") == _files(tmp_path / "one")


def _without_flag(path: Path, files: dict[str, bytes]) -> None:
    """As old programs write it: UTF-8 names, and nothing that says so."""
    packed(path, files)
    data = path.read_bytes()
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = data.find(mark)
        while start >= 0:
            flags = data[start + place] | data[start + place + 1] << 8
            flags &= ~0x800
            data = data[: start + place] + flags.to_bytes(2, "little") + data[start + place + 2 :]
            start = data.find(mark, start + 4)
    path.write_bytes(data)


def _files(folder: Path) -> dict[str, bytes]:
    found = (p for p in folder.rglob("*") if p.is_file() and p.name != ".attempt.json" and p.suffix != ".csv")
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in found}


def of(
    tmp_path: Path, files: dict[str, str], roster: str = "", lms: str = "auto", more: Assignment = KIT
) -> Collected:
    """A download of these files, collected."""
    tmp_path.mkdir(exist_ok=True)
    packed(tmp_path / "d.zip", {name: text.encode() for name, text in files.items()})
    path = None
    if roster:
        path = tmp_path / "r.csv"
        path.write_text(roster, encoding="utf-8")
    return collect([tmp_path / "d.zip"], tmp_path / "class", more, path, lms)


@pytest.mark.parametrize(
    ("platform", "files"),
    [
        ("Moodle", ["Ana Souza_12345_assignsubmission_file/heads.py",
                    "Ana Souza_12345_assignsubmission_file_/s/mask.py",
                    "Ana Souza_12345_assignsubmission_file_heads_v2.py",
                    "Participante_77_assignsubmission_onlinetext/onlinetext.html",
                    "Grupo A_9_assignsubmission_file/heads.py", "Default group_assignsubmission_file/heads.py"]),
        ("Canvas", ["doejane_1234_5678_heads.py", "doejane_LATE_1234_5679_mask-1.py", "silvajoão_12_34_a_b_c.zip",
                    "doejane_LATE_99_text.html", "anon_aB3xZ_5678_heads.py", "LATE_anon_aB3xY_5678_my_file.py",
                    "team_7_44_55_x_1_2_y.py"]),
        ("Blackboard", ["HW_1_abc12_attempt_2024-02-03-23-59-01.txt",
                        "HW_1_abc12_attempt_2024-02-03-23-59-01_my_heads.py"]),
        ("Brightspace (D2L)", ["397063-2557369 - Mary-Ann Smith - Sep 24, 2024 926 PM/heads.py",
                               "397063-2557369 - Mary-Ann Smith - Sep 24, 2024 1105 PM/heads.py"]),
        ("Sakai", ["HW/Silva, João(js12)/Submission attachment(s)/heads.py"]),
    ],
)  # fmt: skip
def test_names_that_cover_the_traps(tmp_path: Path, platform: str, files: list[str]) -> None:
    done = of(tmp_path, {name: name for name in files})
    assert done.recognised[0][1] == platform
    assert {row.entry for row in done.entries} == set(files)
    left = [row.entry for row in done.entries if row.outcome == "left_out"]
    assert all(name.endswith(".txt") for name in left)


def test_a_number_in_a_group_s_name_is_no_user_where_the_roster_knows(tmp_path: Path) -> None:
    done = of(tmp_path, {"team_7_44_55_x_1_2_y.py": "x"}, "student,name,lms_id\nana,Ana,44\nbo,Bo,8\n")
    assert [(row.student, row.taken_as) for row in done.entries] == [("ana", "ana/x_1_2_y.py")]


def test_a_group_s_work_is_each_member_s(tmp_path: Path) -> None:
    roster = "student,name,group\nana,Ana,Grupo A\nbo,Bo,Grupo A\nzoe,Zoe,Grupo B\n"
    done = of(tmp_path, {"Grupo A_9_assignsubmission_file/heads.py": "x"}, roster)
    assert sorted(row.student for row in done.entries) == ["ana", "bo"]


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("doejane_1_2_heads-1.py", "heads.py"),
        ("doejane_1_2_plan-1.py", "plan-1.py"),
        ("doejane_1_2_heads.py", "heads.py"),
    ],
)
def test_canvas_numbers_are_taken_off_what_is_an_exercise(tmp_path: Path, name: str, stored: str) -> None:
    (row,) = of(tmp_path, {name: "x"}).entries
    assert row.taken_as == f"doejane/{stored}"
    assert ("Canvas called it" in row.why) == (stored not in name)


def test_two_files_for_one_exercise_both_stay(tmp_path: Path) -> None:
    done = of(tmp_path, {"doejane_1_2_heads-1.py": "new", "doejane_1_3_heads.py": "old"})
    assert sorted(row.taken_as for row in done.entries) == ["doejane/heads-1.py", "doejane/heads.py"]


TWO = {f"HW_abc_attempt_2027-03-0{day}-10-00-00_heads.py": f"# {day}" for day in (1, 2)}


@pytest.mark.parametrize(("at", "counts"), [("2027-03-01T23:59:00-03:00", "# 1"), ("2027-03-09T00:00:00Z", "# 2"),
                                            ("2027-02-01T00:00:00Z", "# 2")])  # fmt: skip
def test_the_last_attempt_in_time_counts_and_the_other_is_kept(tmp_path: Path, at: str, counts: str) -> None:
    done = of(tmp_path, TWO, more=due(at))
    assert (tmp_path / "class" / "abc" / "heads.py").read_text() == counts
    assert sorted(row.outcome for row in done.entries) == ["attempt", "taken"]
    (other,) = (tmp_path / "class" / ".attempts" / "abc").iterdir()
    assert (other / "heads.py").read_text() != counts
    for row in done.entries:
        assert (tmp_path / "class" / row.taken_as).read_text() == TWO[row.entry]


def test_an_extension_that_a_person_writes_changes_which_attempt_counts(tmp_path: Path) -> None:
    rules = due("2027-03-01T23:59:00-03:00")
    of(tmp_path, TWO, more=rules)
    table = tmp_path / "class" / "students.csv"
    lines = table.read_text().splitlines()
    place = lines[0].split(",").index("extension")
    cells = lines[1].split(",")
    cells[place] = "2d"
    table.write_text("\n".join([lines[0], ",".join(cells)]) + "\n")
    of(tmp_path, TWO, more=rules)
    assert (tmp_path / "class" / "abc" / "heads.py").read_text() == "# 2"
    assert read_students(table)[0].extension == "2d"


def test_a_newer_download_changes_only_what_is_new(tmp_path: Path) -> None:
    files = {"Ana_1_assignsubmission_file/heads.py": "old", "Bo_2_assignsubmission_file/heads.py": "same"}
    of(tmp_path, files)
    before = (tmp_path / "class" / "Bo" / "heads.py").stat().st_mtime_ns
    done = of(tmp_path, {**files, "Ana_1_assignsubmission_file/heads.py": "new"})
    assert done.new == 1
    assert (tmp_path / "class" / "Ana" / "heads.py").read_text() == "new"
    assert (tmp_path / "class" / ".attempts" / "Ana" / "1" / "heads.py").read_text() == "old"
    assert (tmp_path / "class" / "Bo" / "heads.py").stat().st_mtime_ns == before
    rows = read_collected(tmp_path / "class" / "collected.csv")
    assert sorted((r.student, r.outcome) for r in rows) == [
        ("Ana", "attempt"),
        ("Ana", "taken"),
        ("Bo", "taken"),
    ]


def test_whom_a_download_no_longer_has_stays(tmp_path: Path) -> None:
    of(tmp_path, {"Ana_1_assignsubmission_file/heads.py": "a", "Bo_2_assignsubmission_file/heads.py": "b"})
    done = of(
        tmp_path, {"Ana_1_assignsubmission_file/heads.py": "a", "Cy_3_assignsubmission_file/heads.py": "c"}
    )
    assert [one.student for one in done.students] == ["Ana", "Bo", "Cy"]
    assert (tmp_path / "class" / "Bo" / "heads.py").exists()


def test_who_is_not_in_the_roster_is_a_question_and_an_alias_answers_it(tmp_path: Path) -> None:
    files = {"Jo Silva_5_assignsubmission_file/heads.py": "x"}
    roster = "student,name,aliases\njoao,João da Silva,\n"
    done = of(tmp_path, files, roster)
    assert [(s.student, bool(s.question)) for s in done.students] == [("joao", False), ("jo-silva", True)]
    done = of(tmp_path, files, roster.replace("Silva,", "Silva,Jo Silva"))
    assert [(s.student, s.question) for s in done.students] == [("joao", "")]
    assert (tmp_path / "class" / "joao" / "heads.py").exists()
    assert not (tmp_path / "class" / "jo-silva").exists()


def test_two_who_may_be_meant_are_both_named(tmp_path: Path) -> None:
    done = of(tmp_path, {"Ana Silva_5_assignsubmission_file/heads.py": "x"},
              "student,name\nana1,Ana Silva\nana2,Ana  SILVA\n")  # fmt: skip
    (one,) = done.strange
    assert "ana1" in one.question
    assert "ana2" in one.question
    assert (tmp_path / "class" / one.student / "heads.py").exists()


@pytest.mark.parametrize(
    "name", ["../evil.py", "/etc/evil.py", "C:\\evil.py", "a/../../evil.py", "..\\evil.py"]
)
def test_a_path_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    done = of(tmp_path, {name: "x", "ana/heads.py": "y", "bo/heads.py": "z"})
    (row,) = [r for r in done.entries if r.outcome == "left_out"]
    assert "leads out" in row.why
    assert not list(tmp_path.rglob("evil.py"))
    assert not (tmp_path.parent / "evil.py").exists()


@pytest.mark.parametrize(
    "name", ["con.py", "heads.py.", "a" * 300 + ".py", "x:y.py", "HEADS.py", "\x07bell.py"]
)
def test_names_that_some_system_cannot_store_are_stored_and_told(tmp_path: Path, name: str) -> None:
    done = of(tmp_path, {f"ana/{name}": "odd", "ana/heads.py": "plain", "bo/heads.py": "z"})
    row = next(r for r in done.entries if r.student == "ana" and not r.taken_as.endswith("/heads.py"))
    assert (tmp_path / "class" / row.taken_as).read_text() == "odd"
    assert (tmp_path / "class" / "ana" / "heads.py").read_text() == "plain"


def test_a_folder_that_a_person_made_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "class" / "ana").mkdir(parents=True)
    (tmp_path / "class" / "ana" / "mine.py").write_text("by hand")
    of(tmp_path, {"ana/heads.py": "x", "bo/heads.py": "z"})
    kept = (tmp_path / "class").rglob("mine.py")
    assert [p.read_text() for p in kept] == ["by hand"]
    assert (tmp_path / "class" / "ana" / "heads.py").read_text() == "x"


@pytest.mark.parametrize("left", ["part", "no mark", "no home", "no tables"])
def test_a_run_that_was_killed_is_completed_by_the_next(tmp_path: Path, left: str) -> None:
    rules = due("2027-03-09T00:00:00Z")
    of(tmp_path / "whole", TWO, more=rules)
    of(tmp_path, TWO, more=rules)
    home, other = tmp_path / "class" / "abc", tmp_path / "class" / ".attempts" / "abc" / "1"
    match left:
        case "part":
            shutil.move(other, other.with_name(".1.part"))
        case "no mark":
            (other / ".attempt.json").unlink()
        case "no home":
            shutil.move(home, other.with_name("2"))
        case "no tables":
            (tmp_path / "class" / "students.csv").unlink()
            (tmp_path / "class" / "collected.csv").unlink()
    of(tmp_path, TWO, more=rules)
    wanted = _files(tmp_path / "whole" / "class")
    found = _files(tmp_path / "class")
    assert {n: found.get(n) for n in wanted} == wanted or sorted(found.values()) == sorted(wanted.values())
    assert found["abc/heads.py"] == b"# 2"


@pytest.mark.parametrize("what", ["empty folder", "text", "missing", "empty zip"])
def test_what_is_no_download_is_refused_with_words(tmp_path: Path, what: str) -> None:
    path = tmp_path / "d"
    match what:
        case "empty folder":
            path.mkdir()
        case "text":
            path.write_text("hello")
        case "empty zip":
            packed(path, {})
    with pytest.raises(DownloadError, match="d: "):
        recognise(open_download(path), [], ())


NAME = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="/\\\0:"), min_size=1, max_size=12
).filter(lambda s: s.strip(". ") not in ("", ".."))


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.tuples(NAME, NAME), st.binary(max_size=20), min_size=1, max_size=6))
def test_every_file_has_its_row(
    tmp_path_factory: pytest.TempPathFactory, files: dict[tuple[str, str], bytes]
) -> None:
    place = tmp_path_factory.mktemp("d")
    packed(place / "d.zip", {"/".join(path): data for path, data in files.items()})
    try:
        done = collect([place / "d.zip"], place / "class", KIT)
    except DownloadError:
        return
    for row in done.entries:
        assert row.why or row.student
        if row.outcome in ("taken", "question", "attempt"):
            assert (place / "class" / row.taken_as).is_file(), row
    assert len(done.entries) >= len(files)
