"""Odd downloads, rosters that change, persons who edit, and a machine that stops: nothing is lost or mixed up."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
import unicodedata
import zipfile
from pathlib import Path

import pytest

from autograder.collect.collect import Collected, collect
from autograder.collect.source import DownloadError
from autograder.collect.write import safe_names
from autograder.gradebook.collected import read_collected
from autograder.gradebook.students import read_students
from autograder.store import StoreError, locked
from tests.collect.downloads import NAMED, make, packed, people
from tests.collect.test_collect import KIT, TWO, due, of

ANA = "Ana Souza_77_assignsubmission_file/work.py"
BO = "Bo Lima_78_assignsubmission_file/work.py"


def work(place: Path) -> dict[str, str]:
    """path -> text of all work in a class, other attempts too."""
    return {p.relative_to(place).as_posix(): p.read_text() for p in place.rglob("*.py")}


def sound(place: Path) -> None:
    """Tables and folders say the same."""
    students = [one.student for one in read_students(place / "students.csv")]
    rows = read_collected(place / "collected.csv")
    assert {row.student for row in rows if row.student} <= set(students)
    for row in rows:
        assert row.why or row.outcome != "left_out"
        assert row.outcome == "left_out" or (place / row.taken_as).is_file(), row
    homes = {p.name for p in place.iterdir() if p.is_dir() and not p.name.startswith(".")}
    assert homes <= set(students)
    told = {row.taken_as for row in rows}
    assert {p for p in work(place) if not p.startswith(".before")} <= told


@pytest.mark.parametrize(
    "names",
    [
        ["a", "a/b.py"], ["A", "a/b.py"], ["a/b", "a/b/c", "a/b/c/d.py"], ["a.", "a/b"], ["a ", "a", "A"],
        ["x/" * 20 + "y.py", "X/" * 20 + "Y.py"], ["é" * 200 + "/" + "ü" * 200 + ".py"],
        ["con/aux/nul.py", "CON"],
    ],
)  # fmt: skip
def test_paths_that_no_folder_can_hold_together(tmp_path: Path, names: list[str]) -> None:
    done = of(tmp_path, {f"ana/{name}": name for name in names} | {"bo/work.py": "z"})
    rows = [row for row in done.entries if row.student == "ana"]
    assert sorted((tmp_path / "class" / row.taken_as).read_text() for row in rows) == sorted(names)
    assert len({row.taken_as.casefold() for row in rows}) == len(names)


def test_no_path_is_too_long() -> None:
    paths = [("d" * 200,) * 20 + (f"{i}.py",) for i in range(3)] + [("é" * 300,) * 10 + ("a.py",)]
    stored = ["/".join(parts) for parts in safe_names(paths).values()]
    assert max(len(path.encode()) for path in stored) < 600
    assert len(set(stored)) == len(paths)


def test_names_in_no_known_encoding(tmp_path: Path) -> None:
    for name in (b"Jo\xe3o", b"bo"):
        folder = os.fsencode(tmp_path) + b"/down/" + name
        os.makedirs(folder)
        with open(folder + b"/w\xe9.py", "w") as file:
            file.write(name.decode("latin-1"))
    done = collect([tmp_path / "down"], tmp_path / "class", KIT)
    assert [one.student for one in done.students] == ["João", "bo"]
    sound(tmp_path / "class")


@pytest.mark.parametrize(
    "key", ["students.csv", "collected.csv", "Overrides.csv", ".attempts", "con", "run.json"]
)
def test_a_student_with_the_name_of_a_file_of_ours(tmp_path: Path, key: str) -> None:
    for _ in range(2):
        of(tmp_path, {f"{key}/work.py": "x", "bo/work.py": "y"})
    assert "bo/work.py" in work(tmp_path / "class")
    sound(tmp_path / "class")


def test_a_worksheet_without_names_is_a_roster(tmp_path: Path) -> None:
    """As Moodle makes it where marking is blind; folders say "Participant" in any language."""
    files = {f"Teilnehmer_{n}_assignsubmission_file/work.py": str(n) for n in (77, 78)}
    roster = "Identifier,Status,Grade\nTeilnehmer 77,x,\nTeilnehmer 78,x,\nTeilnehmer 79,,\n"
    done = of(tmp_path, files, roster)
    assert [(one.student, one.question) for one in done.students] == [("77", ""), ("78", ""), ("79", "")]
    assert work(tmp_path / "class") == {"77/work.py": "77", "78/work.py": "78"}


def test_who_is_in_several_sections_is_one(tmp_path: Path) -> None:
    roster = "name,email,section\nAna Souza,a@x,A\nAna Souza,A@x,B\nBo,b@x,A\nLi,,A\nLi,,A\n"
    done = of(tmp_path, {ANA: "x"}, roster)
    assert [(s.name, s.section) for s in done.students] == [
        ("Ana Souza", "A;B"), ("Bo", "A"), ("Li", "A"), ("Li", "A"),  # a name alone may be two people's
    ]  # fmt: skip
    assert not done.strange


@pytest.mark.parametrize(
    ("first", "then", "names"),
    [
        ("student,name,email\nana,Ana Souza,old@x\n", "student,name,email\nana,Ana Souza,new@x\n", ["ana"]),
        ("name,email,username\nAna Souza,old@x,as\n", "name,email,username\nAna S,new@x,as\n", ["as"]),
        ("name\nAna Souza\n", "name,email\nAna Souza,a@x\n", ["ana-souza"]),
        ("name,email\nAna,ana@x\n", "name,email\nOther,ana@y\n", ["ana-2", "ana"]),
        ("name,email\nAna,a@x\n", "name,email\nAna,b@x\n", ["b", "a"]),
    ],
)
def test_a_roster_that_is_corrected(tmp_path: Path, first: str, then: str, names: list[str]) -> None:
    """The same person stays one row; another one gets one; and nobody has a key twice."""
    of(tmp_path, {ANA: "x"}, first)
    for _ in range(2):
        of(tmp_path, {ANA: "x"}, then)
        found = read_students(tmp_path / "class" / "students.csv")
        assert [one.student for one in found if not one.question] == names
        sound(tmp_path / "class")


def test_a_question_stays_until_it_is_answered(tmp_path: Path) -> None:
    files = {ANA: "x", BO: "y"}
    for _ in range(3):
        done = of(tmp_path, files, "student,name\nbo,Bo Lima\n")
        assert [one.student for one in done.strange] == ["ana-souza"]
    table = tmp_path / "class" / "students.csv"
    table.write_text(table.read_text().replace("not in the roster: who is it?", ""))
    for _ in range(2):
        assert of(tmp_path, files, "student,name\nbo,Bo Lima\n").strange == []
    done = of(tmp_path, files, "student,name\nbo,Bo Lima\nana,Ana Souza\n")
    assert [(one.student, one.question) for one in done.students] == [("bo", ""), ("ana-souza", "")]


WORKSHEET = (
    "Identifier,Full name,Email address,Status,Grade,Last modified (submission)\n"
    'Participant 77,Ana Souza,a@x,Submitted for grading - 1 day 3 hours late,,"Monday, 1 March 2025, 8:41 PM"\n'
    'Participant 78,Bo Lima,b@x,Submitted for grading,,"Sunday, 28 February 2025, 7:00 AM"\n'
    "Participant 79,Cy Ng,c@x,No submission,,-\n"
)


def times(done: Collected) -> dict[str, tuple[str, str, str]]:
    return {s.student: (s.submitted_at[:16], s.time_from, s.late) for s in done.students}


def test_the_platform_s_table_knows_better_than_an_archive(tmp_path: Path) -> None:
    """Whether it is given at once, later or again; what comes after it has its own time."""
    zone = due("2099-03-09T23:59:00-03:00")
    wanted = {
        "a": ("2025-03-01T20:41", "roster", "yes"), "b": ("2025-02-28T07:00", "roster", ""), "c": ("", "", ""),
    }  # fmt: skip
    for roster in (WORKSHEET, WORKSHEET, ""):
        assert times(of(tmp_path, {ANA: "x", BO: "y"}, roster, more=zone)) == wanted
    newer = WORKSHEET.replace("1 March 2025, 8:41", "2 March 2025, 9:00").replace("1 day 3 hours", "2 days")
    done = of(tmp_path, {ANA: "x2", BO: "y"}, newer, more=zone)
    assert times(done)["a"] == ("2025-03-02T21:00", "roster", "yes")
    done = of(tmp_path, {ANA: "x3", BO: "y"}, more=zone)
    assert times(done)["a"][1:] == ("archive time", "")
    (other,) = tmp_path.glob("class/.attempts/a/2/work.py")
    assert other.read_text() == "x2"
    late = of(tmp_path / "later", {ANA: "x", BO: "y"}, more=zone)
    assert {time_from for _, time_from, _ in times(late).values()} == {"archive time"}
    assert (
        times(of(tmp_path / "later", {ANA: "x", BO: "y"}, WORKSHEET, more=zone))["ana-souza"] == wanted["a"]
    )


@pytest.mark.parametrize(("said", "kept"), [("2024-02-01T10:00:00-03:00", "2024-02-01T10:00"), (None, None)])
def test_a_time_that_a_person_writes_stays(tmp_path: Path, said: str | None, kept: str | None) -> None:
    """Also where only `time_from` is emptied: then the archive's time is one that counts."""
    files = {ANA: "x", BO: "y"}
    of(tmp_path, files)
    table = tmp_path / "class" / "students.csv"
    (ana, _) = read_students(table)
    assert ana.time_from == "archive time"
    text = table.read_text().replace(ana.submitted_at, said or ana.submitted_at, 1)
    table.write_text(text.replace("archive time", "", 1))
    for roster in ("", "", WORKSHEET):
        done = of(tmp_path, files, roster)
        assert times(done)["ana-souza"][:2] == (kept or ana.submitted_at[:16], "by hand")
    done = of(tmp_path, {ANA: "new", BO: "y"})
    assert times(done)["ana-souza"][1] == "archive time"


def test_a_group_s_file_in_canvas_is_each_member_s(tmp_path: Path) -> None:
    roster = "student,name,lms_id,group\nana,Ana,44,Team 1;Other\nbo,Bo,46,Team 1\ncy,Cy Ng,45,\n"
    done = of(tmp_path, {"team1_44_55_work.py": "x", "ngcy_45_56_work.py": "y"}, roster)
    assert work(tmp_path / "class") == {"ana/work.py": "x", "bo/work.py": "x", "cy/work.py": "y"}
    assert not done.strange


@pytest.mark.parametrize(
    "text",
    [
        "[",
        "submission_1: 5",
        "submission_1:\n  :submitters: 7",
        "- 3",
        "submission_1:\n- 3",
        "",
        "a: &a\n- *a",
    ],
)
def test_gradescope_s_list_may_be_odd(tmp_path: Path, text: str) -> None:
    top = "assignment_1_export"
    done = of(tmp_path, {f"{top}/submission_metadata.yml": text, f"{top}/submission_1/work.py": "x"})
    assert [one.lms_id for one in done.students] == ["submission_1"]


def test_a_site_that_puts_user_names_before_names(tmp_path: Path) -> None:
    files = {
        "asouza Ana Souza_77_assignsubmission_file/work.py": "x",
        "ana Bo Lima_78_assignsubmission_file/w.py": "y",
    }
    done = of(tmp_path, files, "student,name,username\na,Ana Souza,asouza\nb,Bo Lima,blima\nc,Cy Ng,ana\n")
    assert sorted(row.student for row in done.entries) == ["a", "ana-bo-lima"]


def test_two_at_once_do_not_mix(tmp_path: Path) -> None:
    of(tmp_path, {ANA: "x", BO: "y"})
    with locked(tmp_path / "class"), pytest.raises(StoreError, match="another autograder"):
        of(tmp_path, {ANA: "x", BO: "y"})
    (tmp_path / "class" / "ana-souza" / ".note.part").write_text("a student's own")
    (tmp_path / "class" / ".abc.part").write_text("of a run that was killed")
    of(tmp_path, {ANA: "x", BO: "y"})
    assert (tmp_path / "class" / "ana-souza" / ".note.part").exists()
    assert not (tmp_path / "class" / ".abc.part").exists()


def test_many_files_of_one_take_no_time(tmp_path: Path) -> None:
    files = {f"ana/{'abcd'[i % 4]}/f{i}.txt": str(i) for i in range(4000)} | {"bo/work.py": "z"}
    began = time.process_time()
    of(tmp_path, files)
    assert time.process_time() - began < 10


def test_a_key_that_a_person_changes_takes_its_folders_along(tmp_path: Path) -> None:
    of(tmp_path, {ANA: "first", BO: "b"})
    of(tmp_path, {ANA: "second", BO: "b"})
    table = tmp_path / "class" / "students.csv"
    table.write_text(table.read_text().replace("ana-souza,", "asouza,"))
    for text in ("second", "third"):
        of(tmp_path, {ANA: text, BO: "b"})
        sound(tmp_path / "class")
    assert work(tmp_path / "class") == {
        "asouza/work.py": "third", ".attempts/asouza/1/work.py": "first", ".attempts/asouza/2/work.py": "second",
        "bo-lima/work.py": "b",
    }  # fmt: skip


def test_a_class_is_no_download_of_itself(tmp_path: Path) -> None:
    of(tmp_path, {ANA: "first", BO: "b"})
    of(tmp_path, {ANA: "second", BO: "b"})
    for place in (tmp_path / "class", tmp_path, tmp_path / "class" / "ana-souza"):
        with pytest.raises(DownloadError, match="--out"):
            collect([place], tmp_path / "class", KIT)
    done = collect([tmp_path / "class"], tmp_path / "other", KIT)
    assert sorted(one.student for one in done.students) == ["ana-souza", "bo-lima"]
    assert work(tmp_path / "other") == {"ana-souza/work.py": "second", "bo-lima/work.py": "b"}


def test_a_zip_around_the_zip_is_said(tmp_path: Path) -> None:
    packed(tmp_path / "in.zip", {ANA: b"x", BO: b"x"})
    packed(tmp_path / "out.zip", {"my course/in.zip": (tmp_path / "in.zip").read_bytes()})
    with pytest.raises(DownloadError, match="in.zip"):
        collect([tmp_path / "out.zip"], tmp_path / "class", KIT)
    done = collect([tmp_path / "out.zip"], tmp_path / "class", KIT, lms="folders")
    assert len(done.students) == 1


def test_what_is_damaged_costs_only_itself(tmp_path: Path) -> None:
    packed(tmp_path / "d.zip", {ANA: b"a" * 5000, BO: b"b"})
    data = bytearray((tmp_path / "d.zip").read_bytes())
    data[60:70] = b"\xff" * 10
    (tmp_path / "d.zip").write_bytes(bytes(data))
    done = collect([tmp_path / "d.zip"], tmp_path / "class", KIT)
    (row,) = [row for row in done.entries if row.outcome == "left_out"]
    assert (row.student, row.why.partition(" (")[0]) == ("ana-souza", "is damaged")
    assert work(tmp_path / "class") == {"bo-lima/work.py": "b"}
    assert [one.student for one in done.students] == ["ana-souza", "bo-lima"]


@pytest.mark.endurance
@pytest.mark.slow
def test_memory_does_not_grow_with_the_class(tmp_path: Path) -> None:
    """Forty students with 8 MB each are not 320 MB of memory."""
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        for i in range(40):
            archive.writestr(
                f"P{i:02}_{i}_assignsubmission_file/big.bin", random.Random(i).randbytes(8 << 20)
            )
    code = (
        "import resource, sys; from pathlib import Path; from autograder.assignment import load_assignment;"
        "from autograder.collect.collect import collect;"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        "collect([Path(sys.argv[1])], Path(sys.argv[2]), load_assignment());"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "d.zip", tmp_path / "class"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) < 100


@pytest.mark.endurance
@pytest.mark.slow
def test_ten_moments_of_sigkill(tmp_path: Path) -> None:
    """However often it is killed, the run that ends has what one run would have had."""
    group = make("blackboard", tmp_path, 60)
    words = [sys.executable, "-m", "autograder", "collect", group.download, "--roster", group.roster, "--out"]
    began = time.monotonic()
    subprocess.run([*words, tmp_path / "whole"], capture_output=True, check=True)
    took = time.monotonic() - began
    chance = random.Random(5)
    for _ in range(10):
        one = subprocess.Popen(
            [*words, tmp_path / "class"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(took * chance.uniform(0.4, 1))
        one.send_signal(signal.SIGKILL)
        one.wait()
    subprocess.run([*words, tmp_path / "class"], capture_output=True, check=True)
    assert work(tmp_path / "class") == work(tmp_path / "whole")
    for name in ("students.csv", "collected.csv"):
        assert (tmp_path / "class" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert list((tmp_path / "class").rglob("*.part")) == []


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("platform", ["moodle", "canvas", "blackboard", "folders"])
def test_weeks_of_a_course(tmp_path: Path, platform: str, seed: int) -> None:
    """Downloads come in any order, with and without the roster, which changes; a person edits. At every step
    tables and folders agree, and nothing that came in has gone."""
    chance = random.Random(f"{platform}{seed}")
    seen: set[str] = set()
    for week in range(5):
        group = people(12, seed, lambda i: {"work.py": f"{i} {chance.randrange(3)}".encode()})
        chance.shuffle(group)
        group = group[: chance.randint(3, 12)]
        files = NAMED[platform](group)
        if chance.random() < 0.3:
            files = {unicodedata.normalize("NFD", name): data for name, data in files.items()}
        packed(tmp_path / f"{week}.zip", files)
        roster = None
        if chance.random() < 0.6:
            roster = tmp_path / "roster.csv"
            rows = [f'{p.username},"{p.name}",{p.email},{p.username}' for p in group if chance.random() < 0.9]
            roster.write_text("\n".join(["student,name,email,username", *rows]) + "\n", encoding="utf-8")
        done = collect([tmp_path / f"{week}.zip"], tmp_path / "class", KIT, roster)
        seen |= {data.decode() for name, data in files.items() if name.endswith("work.py")}
        assert seen <= set(work(tmp_path / "class").values())
        sound(tmp_path / "class")
        _edit(tmp_path / "class" / "students.csv", done, chance)


def _edit(table: Path, done: Collected, chance: random.Random) -> None:
    """A person gives an extension, and another key."""
    if done.students and chance.random() < 0.5:
        one = chance.choice(done.students)
        text = table.read_text(encoding="utf-8")
        table.write_text(
            text.replace(f"\n{one.student},", f"\nk{chance.randrange(99)}{one.student},"), encoding="utf-8"
        )


def test_a_deadline_that_moves_moves_attempts_and_loses_none(tmp_path: Path) -> None:
    for at in ("2027-03-01T23:59:00-03:00", "2027-03-09T00:00:00Z", "2027-03-01T23:59:00-03:00"):
        of(tmp_path, TWO, more=due(at))
        sound(tmp_path / "class")
        assert sorted(work(tmp_path / "class").values()) == ["# 1", "# 2"]


@pytest.mark.parametrize(
    "files", [["heads.py", "mask.py"], ["exercises.ipynb"], ["Heads (1).py", "notes.txt"]]
)
@pytest.mark.parametrize("roster", ["", "student\nana\n"])
def test_a_class_of_one_is_no_class_of_files(tmp_path: Path, files: list[str], roster: str) -> None:
    done = of(tmp_path, {f"ana/{KIT.notebook if 'ipynb' in name else name}": "x" for name in files}, roster)
    assert [one.student for one in done.students] == ["ana"]
    assert len(work(tmp_path / "class")) == sum(name.endswith(".py") for name in files)


def test_loose_files_in_a_folder_are_a_class(tmp_path: Path) -> None:
    done = of(tmp_path, {"download/ana.ipynb": "x", "download/bo.zip": "y", "download/cy.py": "z"})
    assert [one.student for one in done.students] == ["ana", "bo", "cy"]


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+Ana", "@bo", "-1", "'=x", "Ana; =1"])
def test_names_that_would_be_formulas_are_text_in_our_tables_and_stay_who_they_are(
    tmp_path: Path, name: str
) -> None:
    roster = f'student,name,email\na,"{name}",a@x\n'
    for _ in range(3):
        done = of(tmp_path, {"a/work.py": "x"}, roster)
        assert [(one.student, one.name) for one in done.students] == [("a", name)]
        (row,) = (tmp_path / "class" / "students.csv").read_text().splitlines()[1:]
        assert f",{name[0]}" not in row.replace('"', "") or name[0] == "'" or ";" in name


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2027-03-01 23:41:00.123456 UTC", "2027-03-01T23:41:00.123456+00:00"),
        ("2027-03-01 20:41:00 America/Sao_Paulo", "2027-03-01T20:41:00-03:00"),
        ("2027-03-01 20:41:00", "2027-03-01T20:41:00+00:00"),
        ("2027-03-01 20:41:00 -0300", "2027-03-01T20:41:00-03:00"),
        ("2027-03-01T20:41:00-03:00", "2027-03-01T20:41:00-03:00"),
        ("yesterday", ""), ("2027-03-01 20:41:00 Nowhere/Land", ""), ("2027-03-01 20:41:00 ../../etc/x", ""),
    ],
)  # fmt: skip
def test_nbgrader_s_times(tmp_path: Path, text: str, at: str) -> None:
    place = "submitted/ana/hw"
    done = of(tmp_path, {f"{place}/timestamp.txt": text, f"{place}/{KIT.notebook}": "{}"})
    assert [one.submitted_at for one in done.students] == [at]


def test_work_that_only_the_platform_has_is_a_question(tmp_path: Path) -> None:
    """And of whom the platform says nothing came, nothing is asked."""
    (one,) = of(tmp_path, {BO: "y"}, WORKSHEET).strange
    assert one.student == "a"
    assert "no download has it" in one.question
    assert not of(tmp_path, {ANA: "x", BO: "y"}, WORKSHEET).strange


def test_times_that_are_read_in_another_zone_than_before_are_told(tmp_path: Path) -> None:
    files = {
        "HW_1_abc12_attempt_2024-02-03-23-59-01_my_heads.py": "x",
        "HW_1_b_attempt_2024-02-03-23-59-01.txt": "",
    }
    assert of(tmp_path, files, more=due("2099-03-09T23:59:00-03:00")).moved == []
    assert of(tmp_path, files, more=due("2099-03-09T23:59:00-03:00")).moved == []
    told = of(tmp_path, files, more=due("2099-03-09T23:59:00+01:00")).moved
    assert [(s, b[-6:], n[-6:]) for s, b, n in told] == [("abc12", "-03:00", "+01:00")]
