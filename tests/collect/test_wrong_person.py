"""Work never goes to somebody whom a name contradicts: a number or half an e-mail alone decides nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.assignment import load_assignment
from autograder.collect.collect import Collected, collect
from tests.collect.downloads import packed

KIT = load_assignment()


def of(place: Path, roster: str, *names: str) -> Collected:
    """A download of these files, collected with that roster."""
    packed(place / "d.zip", {name: name.encode() for name in names})
    (place / "r.csv").write_text(roster, encoding="utf-8")
    return collect([place / "d.zip"], place / "class", KIT, place / "r.csv")


def owners(done: Collected) -> dict[str, set[str]]:
    """Entry -> whose it is."""
    found: dict[str, set[str]] = {}
    for row in done.entries:
        found.setdefault(row.entry, set()).add(row.student)
    return found


def test_a_number_of_one_and_the_name_of_another_is_a_question(tmp_path: Path) -> None:
    files = ["Bia Lima_77_assignsubmission_file/heads.py", "Caio Reis_78_assignsubmission_file/heads.py"]
    done = of(
        tmp_path, "student,name,lms_id\nana,Ana Souza,77\nbia,Bia Lima,501\ncaio,Caio Reis,502\n", *files
    )
    assert owners(done)[files[0]] & {"ana"} == set()
    (asked,) = [one for one in done.students if one.student == "bia-lima"]
    assert "ana" in asked.question
    assert "bia" in asked.question


def test_a_group_s_number_is_no_person_s(tmp_path: Path) -> None:
    files = ["Grupo A_77_assignsubmission_file/heads.py", "Caio Reis_502_assignsubmission_file/heads.py"]
    roster = "Identifier,Full name,Status,Grade\nParticipant 77,Ana Souza,,\nParticipant 502,Caio Reis,,\n"
    done = of(tmp_path, roster, *files)
    assert owners(done)[files[0]] == {"grupo-a"}
    assert len(done.strange) == 1


def test_anonymous_people_are_known_by_their_number(tmp_path: Path) -> None:
    files = [f"Participante_{n}_assignsubmission_file/heads.py" for n in (77, 78)]
    done = of(tmp_path, "student,name,lms_id\nana,Ana Souza,77\nbia,Bia Lima,78\n", *files)
    assert owners(done) == {files[0]: {"ana"}, files[1]: {"bia"}}
    assert done.strange == []


def test_half_of_an_e_mail_is_not_another_s_user_name(tmp_path: Path) -> None:
    files = [
        f"HW_1_{user}_attempt_2024-02-03-23-5{i}-01_heads.py" for i, user in enumerate(("js12", "silva"))
    ]
    roster = "name,email,username\nJoão Silva,silva@u.edu,js12\nEva Reis,eva@u.edu,er3\n"
    done = of(tmp_path, roster, *files)
    assert owners(done)[files[0]] == {"js12"}
    assert owners(done)[files[1]] == {"silva"}


@pytest.mark.parametrize(("group", "folder"), [("Grupo A;Turma 1", "Grupo A"), ("Grupo A, Turma 1", "Grupo A"),
                                               ("Grupo A_1", "Grupo A 1"), ("Grupo A", "Grupo A")])  # fmt: skip
def test_a_group_s_members_are_found_however_groups_are_listed(
    tmp_path: Path, group: str, folder: str
) -> None:
    roster = f'name,email,group\nAna Souza,a@u.edu,"{group}"\nBia Lima,b@u.edu,"{group}"\n'
    done = of(tmp_path, roster, f"{folder}_9_assignsubmission_file/heads.py")
    assert owners(done) == {f"{folder}_9_assignsubmission_file/heads.py": {"a", "b"}}


def test_late_in_a_file_s_name_is_no_mark(tmp_path: Path) -> None:
    done = of(tmp_path, "name,email,lms_id\nJoão Silva,a@u.edu,12\n", "silvajoão_12_34_LATE_notes.py")
    assert [row.taken_as for row in done.entries] == ["a/LATE_notes.py"]
    assert done.students[0].late == ""


def test_the_exact_name_comes_before_the_other_order(tmp_path: Path) -> None:
    files = ["Marcos Paulo_5_assignsubmission_file/heads.py", "Paulo Marcos_6_assignsubmission_file/heads.py"]
    done = of(tmp_path, "name,email\nMarcos Paulo,a@u.edu\nPaulo Marcos,b@u.edu\n", *files)
    assert owners(done) == {files[0]: {"a"}, files[1]: {"b"}}
    assert done.strange == []
