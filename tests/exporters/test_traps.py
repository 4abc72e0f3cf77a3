"""What instructors' files have in store: odd bytes, rows of others, columns that are not for grades."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.exporters import Exported, ExportError, Request, exporters
from autograder.exporters.rawcsv import RawCsv, number
from autograder.gradebook.collected import Entry
from autograder.gradebook.grades import StudentGrade
from tests.exporters.test_exporters import CANVAS, CLASS, GITHUB, KIT, MOODLE, one, rows, told


def export(
    platform: str, path: Path, data: bytes | str, grades: list[StudentGrade] | None = None, **more: object
) -> tuple[list[list[str]], Exported]:
    """The filled file as rows, and what was said."""
    path = path / "f.csv"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    done = exporters()[platform].export(Request(grades or CLASS, KIT, "en", into=path, **more))  # type: ignore[arg-type]
    (made,) = done.files.values()
    encoding = "utf-16" if made[:1] in (b"\xff", b"\xfe") else "utf-8-sig"
    separator = max(";,\t", key=made.decode(encoding, "replace").split("\n")[0].count)
    return rows(made, encoding, separator), done


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "cp1252", "latin-1"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_bytes_stay(tmp_path: Path, codec: str, end: str, separator: str) -> None:
    text = (
        'Identifier,Full name,Grade,"a ""b""\n c"\nParticipant 101,"Souza, Ana",,é\n\nParticipant 9,X,7,"x"'
    )
    text = text.replace(", ", "§").replace(",", separator).replace("§", ", ").replace("\n", end)
    bom = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(codec, b"")
    more = "\x81" if codec == "latin-1" else ""  # no character of cp1252
    data = bom + (text + more).encode(codec)
    (tmp_path / "f.csv").write_bytes(data)
    file = RawCsv.read(tmp_path / "f.csv")
    assert file.bytes() == data
    file.set(1, 2, "87.5")
    assert file.bytes() == data.replace(*(
        (f'Ana"{separator}{cell}{separator}é').encode(codec.removesuffix("-sig")) for cell in ("", "87.5")
    ))  # fmt: skip


@given(st.text('a",;\n\r é', max_size=30))
def test_cells_are_those_of_csv(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_bytes(f"a,b\n{text}".encode())
    file = RawCsv.read(path)
    expected = [r for r in csv.reader(io.StringIO(f"a,b\n{text}", newline="")) if any(c.strip() for c in r)]
    found = [[file.get(r, c) for c in range(len(file.rows[r]))] for r in (0, *file.body())]
    assert found == [[cell.strip() for cell in row] for row in expected]
    assert file.bytes() == path.read_bytes()


@pytest.mark.parametrize(("shown", "wanted"), [("100,00", "87,5"), ("100.00", "87.5"), ("100", "87.5")])
def test_numbers_have_the_mark_of_the_file(tmp_path: Path, shown: str, wanted: str) -> None:
    text = MOODLE.replace(",100.00,", f',"{shown}",').replace("12.00", "")
    found, _ = export("moodle", tmp_path, text)
    assert found[1][4] == wanted


def test_canvas_as_a_european_has_it(tmp_path: Path) -> None:
    """BOM, semicolons, comma as decimal mark, names as formulas."""
    lines = list(csv.reader(io.StringIO(CANVAS)))
    out = io.StringIO()
    cells = [[c.replace(".", ",") if number(c) is not None else c for c in line] for line in lines]
    cells[3][0] = '="=Souza, Ana"'
    csv.writer(out, delimiter=";").writerows(cells)
    found, done = export("canvas", tmp_path, b"\xef\xbb\xbf" + out.getvalue().encode(), column="Chapter 4")
    assert [line[6] for line in found] == [
        "Chapter 4 (55)", "Manual Posting", "100,00", "87,5", "0", "42,00", "13,00", "",
    ]  # fmt: skip
    assert [line[:6] + line[7:] for line in found] == [line[:6] + line[7:] for line in cells]
    assert told(done)["export.changed"] == ["bo (50,00 → 0)"]


@pytest.mark.parametrize("column", ["ID", "Section", "Current Score", "Student", "Nothing (1)", "Total (9)"])
def test_only_columns_for_grades_are_filled(tmp_path: Path, column: str) -> None:
    text = CANVAS.replace("Current Score", "Total (9)") if column == "Total (9)" else CANVAS
    with pytest.raises(ExportError, match=r"Quiz \(7\)"):
        export("canvas", tmp_path, text, column=column)


def test_a_column_is_named_by_its_title(tmp_path: Path) -> None:
    text = CANVAS.replace("Quiz (7)", "Chapter 41 (7)")
    found, _ = export("canvas", tmp_path, text, column="chapter 4")
    assert found[3][5:7] == ["9.00", "87.5"]
    with pytest.raises(ExportError, match="2 of the columns"):
        export("canvas", tmp_path, text, column="chapter")


@pytest.mark.parametrize("cell", ["EX", "n/a"])
def test_what_the_platform_has_decided_stays(tmp_path: Path, cell: str) -> None:
    found, done = export("canvas", tmp_path, CANVAS.replace(",9.00,,", f",9.00,{cell},"), column="Chapter 4")
    assert found[3][6] == cell
    assert {"export.excused", "export.not_assigned"} & set(told(done))


def test_who_is_in_the_file_twice_is_left_alone(tmp_path: Path) -> None:
    text = GITHUB + '"hw","asouza","Ana","1","100"\n'
    found, done = export("github-classroom", tmp_path, text)
    assert [line[3] for line in found[1:]] == ["0", "0", "1"]
    assert told(done)["export.twice"] == ["ana"]


def test_more_than_the_maximum_is_said(tmp_path: Path) -> None:
    grades = [one("ana", "Ana Souza", "104", lms_id="101")]
    found, done = export("moodle", tmp_path, MOODLE, grades)
    assert found[1][4] == "104"
    assert told(done)["export.over"] == ["ana"]


def test_zeros_in_front_are_a_question(tmp_path: Path) -> None:
    text = "Student,SIS User ID,Section,A (1)\nX,7,A,5\nSouza Ana,007,A,\n"
    found, done = export("canvas", tmp_path, text)
    assert [line[3] for line in found[1:]] == ["5", "87.5"]
    assert told(done)["export.zeros"] == ["X"]
    assert "export.strangers" not in told(done)


ENTRIES = tuple(
    Entry("d.zip", f"{name}_{pid}_assignsubmission_file/work.py", key, outcome="taken")
    for key, name, pid in (
        ("ana", "Ana Souza", "101"),
        ("bo", "Bo Lima", "102"),
        ("zoe", "Zoë Nguyễn", "103"),
    )
)


@pytest.mark.parametrize("entries", [ENTRIES, ()])
def test_numbers_of_another_assignment_are_seen(tmp_path: Path, entries: tuple[Entry, ...]) -> None:
    """The same people, and numbers that are somebody else's here."""
    shifted = MOODLE.replace("t 101", "t 1").replace("t 102", "t 101").replace("t 103", "t 102")
    with pytest.raises(ExportError, match="another assignment"):
        export("moodle", tmp_path, shifted, entries=entries)
    if entries:  # numbers that nobody has
        with pytest.raises(ExportError, match="another assignment"):
            export("moodle", tmp_path, MOODLE.replace("t 10", "t 90"), entries=entries)


def test_the_same_numbers_of_other_people_are_seen(tmp_path: Path) -> None:
    text = MOODLE
    for i, name in enumerate(("Ana Souza", "Bo Lima", "Zoë Nguyễn")):
        text = text.replace(name, f"Somebody{i} Else{i}")
    for mail in ("ana@x.br", "bo@x.br", "zoe@x.br"):
        text = text.replace(mail, f"else-{mail}")
    with pytest.raises(ExportError, match="another assignment"):
        export("moodle", tmp_path, text, entries=ENTRIES)


def test_one_odd_row_is_left_alone(tmp_path: Path) -> None:
    text = MOODLE.replace("Bo Lima,bo@x.br", "Xenia Petrova,xenia@x.br").replace(",No,", ",Yes,")
    found, done = export("moodle", tmp_path, text, entries=ENTRIES)
    assert [line[4] for line in found[1:]] == ["87.5", "12.00", ""]
    assert told(done)["export.torn"] == ["bo"]


def test_nobody_s_name_is_shown_where_marking_is_blind(tmp_path: Path) -> None:
    text = "Identifier,Status,Grade,Maximum grade,Last modified (grade)\nParticipant 101,x,,100.00,-\n"
    found, _ = export("moodle", tmp_path, text)
    assert found[1][2] == "87.5"


@pytest.mark.parametrize(
    ("header", "no"),
    [
        ("Identificador,Nome completo,Endereço de email,Status,Nota,Nota máxima,Nota pode ser alterada", "Não"),
        ("ID,Vollständiger Name,E-Mail,Status,Bewertung,Bestwertung,Bewertung kann geändert werden", "Nein"),
        ("識別子,フルネーム,メール,ステータス,評点,最大評点,評点を変更できる", ""),
    ],
)  # fmt: skip
def test_other_languages(tmp_path: Path, header: str, no: str) -> None:
    word = "参加者" if not no else "Participante"
    text = f"{header}\n{word} 101,Ana Souza,ana@x.br,x,,100,y\n{word} 102,Bo Lima,bo@x.br,x,,100,{no}\n"
    column = None if no else "評点"
    if column:
        with pytest.raises(ExportError, match="--column"):
            export("moodle", tmp_path, text)
    found, _ = export("moodle", tmp_path, text, column=column)
    assert [line[4] for line in found[1:]] == ["87.5", "" if no else "0"]


def test_a_scale_takes_no_points(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="scale"):
        export("moodle", tmp_path, MOODLE.replace("Maximum grade", "Scale"))


def test_what_is_possible_in_brightspace(tmp_path: Path) -> None:
    text = "OrgDefinedId,A Points Grade <Numeric MaxPoints:10 Weight:5>,End-of-Line Indicator\n#007,,#\n"
    with pytest.raises(ExportError, match="10 points are possible"):
        export("d2l", tmp_path, text)
    found, _ = export("d2l", tmp_path, text, scale=True)
    assert found[1] == ["#007", "8.75", "#"]


def test_a_new_table_for_brightspace() -> None:
    grades = [
        one("a", "A", "5", username="#ua"),
        one("b", "B", "6", student_number="01"),
        one("c", "C", "7"),
        CLASS[2],
    ]
    done = exporters()["d2l"].export(Request(grades, KIT, "en", column="HW 1"))
    assert rows(done.files["d2l.csv"]) == [
        ["OrgDefinedId", "Username", "HW 1 Points Grade", "End-of-Line Indicator"],
        ["", "#ua", "5", "#"], ["#01", "", "6", "#"],
    ]  # fmt: skip
    assert told(done)["export.no_id"] == ["c"]
    assert told(done)["export.without_grade"] == ["zoe"]


def test_excel_takes_no_id_for_a_number_and_no_name_for_a_formula() -> None:
    grades = [one("1E5", '=cmd|"x"', "5", lms_id="007", username="MAR1", student_number="1-2", email="@x.br")]
    data = exporters()["csv"].export(Request(grades, KIT, "pt-BR", excel=True)).files["grades.csv"]
    assert data.startswith(b"\xef\xbb\xbfstudent;")
    (row,) = rows(data, separator=";")[1:]
    assert row[:6] == ['="1E5"', '\'=cmd|"x"', "'@x.br", '="007"', '="MAR1"', '="1-2"']
    assert {"5", "100"} <= set(row)


def test_what_several_handed_in_together_is_given_to_none(tmp_path: Path) -> None:
    grades = []
    for one_ in CLASS:
        (tmp_path / one_.name).mkdir()
        (tmp_path / one_.name / "feedback.html").write_text(one_.name)
        grades.append(StudentGrade(one_.student, one_.result, one_.grade, (), tmp_path / one_.name))
    together = [
        entry
        for key in ("ana", "bo")
        for entry in (
            Entry("d.zip", "team_7_101_55_work.py", key, outcome="taken"),
            Entry("m.zip", "Group A_9_assignsubmission_file/work.py", key, outcome="taken"),
            Entry("b.zip", "1-2 - Group A - Mar 1, 2027 926 PM/work.py", key, outcome="taken"),
        )
    ]
    alone = [
        Entry("d.zip", "nguyễnzoë_103_77_my_1_2_work.py", "zoe", outcome="attempt"),
        Entry("d.zip", "nguyễnzoë_103_78_my_work.py", "zoe", outcome="taken"),
        Entry("d.zip", "nguyễnzoë_103_text.html", "zoe", outcome="taken"),
        Entry("m.zip", "Zoë Nguyễn_103_assignsubmission_file_work.py", "zoe", outcome="taken"),
        Entry("b.zip", "Top/1-2 - Zoë Nguyễn - Mar 1, 2027 926 PM/work.py", "zoe", outcome="taken"),
    ]
    asked = Request(grades, KIT, "en", entries=[*together, *alone])
    assert {p: list(exporters()[p].feedback(asked) or ()) for p in ("canvas", "moodle", "d2l")} == {
        "canvas": ["nguyễnzoë_103_78_feedback.html"],
        "moodle": ["Zoë Nguyễn_103_assignfeedback_file/feedback.html"],
        "d2l": ["1-2 - Zoë Nguyễn - Mar 1, 2027 926 PM/feedback.html"],
    }


@pytest.mark.parametrize(
    ("entry", "lms_id", "wanted"),
    [
        ("doejane_LATE_1234_5679_work-1.py", "1234", "doejane_LATE_1234_5679_feedback.html"),
        ("anon_aB3xZ_5678_work.py", "anon_aB3xZ", "anon_aB3xZ_5678_feedback.html"),
        ("LATE_anon_aB3xZ_5678_my_file.py", "anon_aB3xZ", "LATE_anon_aB3xZ_5678_feedback.html"),
        ("silvajo\u00e3o_12_34_a_b_c.zip", "12", "silvajo\u00e3o_12_34_feedback.html"),
        ("team_7_44_55_x_1_2_y.py", "44", "team_7_44_55_feedback.html"),
        ("team_7_44_55_x_1_2_y.py", "45", None),
        ("doejane_LATE_99_text.html", "99", None),
        ("doejane_99_link.html", "99", None),
        ("doejane_99_5_work.py", "", None),
    ],
)
def test_canvas_knows_a_file_by_two_numbers(
    tmp_path: Path, entry: str, lms_id: str, wanted: str | None
) -> None:
    (tmp_path / "feedback.html").write_text("page")
    base = one("jane", "Jane Doe", "5", lms_id=lms_id)
    jane = StudentGrade(base.student, base.result, base.grade, (), tmp_path)
    asked = Request([jane], KIT, "en", entries=[Entry("d.zip", entry, "jane", outcome="taken")])
    assert list(exporters()["canvas"].feedback(asked) or ()) == ([wanted] if wanted else [])


def test_a_workbook_is_no_csv_file(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="Excel"):
        export("moodle", tmp_path, b"PK\x03\x04\x14\0\x06\0")


@pytest.mark.parametrize(
    ("here", "there", "wanted"),
    [
        (["José Silva"], ["Silva, José"], ["5"]),
        (["Jose\u0301 Silva"], ["SILVA,  Jos\u00e9"], ["5"]),
        (["José Silva"], ["Jose Silva"], ["5"]),
        (["José Silva"], ["Jose Silva", "José Silva"], ["", "5"]),
        (["José Silva"], ["José Silva", "José Silva"], None),
        (["José Silva", "Jose Silva"], ["Silva, Jose"], ["6"]),
        (["José Silva", "José Silva"], ["José Silva"], None),
        (["José Silva"], ["José Silvas"], None),
    ],
)
def test_names_decide_where_nobody_else_has_them(
    tmp_path: Path, here: list[str], there: list[str], wanted: list[str] | None
) -> None:
    grades = [one(f"s{i}", name, str(5 + i)) for i, name in enumerate(here)]
    text = "Student,ID,Section,A (1)\n" + "".join(f'"{name}",{900 + i},A,\n' for i, name in enumerate(there))
    if wanted is None:
        with pytest.raises(ExportError, match="another course"):
            export("canvas", tmp_path, text, grades)
    else:
        found, _ = export("canvas", tmp_path, text, grades)
        assert [line[3] for line in found[1:]] == wanted


def test_a_class_made_by_hand_is_known_by_its_folders(tmp_path: Path) -> None:
    grades = [one("ana-souza", "", "5"), one("jsilva", "", "6")]
    text = 'Student,ID,SIS Login ID,Section,A (1)\n"Souza, Ana",1,as,A,\n"Silva, J",2,jsilva,A,\n'
    found, _ = export("canvas", tmp_path, text, grades)
    assert [line[4] for line in found[1:]] == ["5", "6"]
