"""Times, extensions and drafts as Moodle writes them in the language of the instructor."""

from __future__ import annotations

from datetime import timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.collect.dates import time_in
from tests.collect.test_collect import due, of

ZONE = timezone(timedelta(hours=-3))
RULES = due("2026-11-24T23:59:00-03:00")
ANA = "Ana Souza_77_assignsubmission_file/work.py"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Monday, 1 March 2027, 8:41 PM", "2027-03-01T20:41"),
        ("Sunday, 28 February 2027, 12:05 AM", "2027-02-28T00:05"),
        ("sábado, 21 nov 2026, 15:00", "2026-11-21T15:00"), ("sábado, 21 nov. 2026, 15:00", "2026-11-21T15:00"),
        ("sábado, 21 de novembro de 2026, 15:00", "2026-11-21T15:00"),
        ("sábado, 21 de nov. de 2026 às 15:00", "2026-11-21T15:00"), ("1 mar 2027, 9h05", "2027-03-01T09:05"),
        ("lunes, 1 de marzo de 2027, 20:41", "2027-03-01T20:41"),
        ("Montag, 1. März 2027, 20:41", "2027-03-01T20:41"),
        ("lundi 1 décembre 2026, 08:00", "2026-12-01T08:00"), ("2026-11-21 15:00:07", "2026-11-21T15:00"),
        ("2026-11-21T15:00:00-03:00", "2026-11-21T15:00"), ("21/11/2026, 15:00", "2026-11-21T15:00"),
        ("-", ""), ("", ""), ("Thursday, 31 February 2026, 8:41 PM", ""), ("1 Nonsense 2026, 15:00", ""),
        ("2 hours", ""),
        ("1 " * 5000 + "March 2027, 8:41 PM", ""),
    ],
)  # fmt: skip
def test_times_in_many_languages(text: str, wanted: str) -> None:
    assert time_in(text, ZONE)[:16] == wanted
    assert not wanted or time_in(text, ZONE).endswith("-03:00")


@given(st.text(max_size=100))
def test_any_text_is_a_time_or_none(text: str) -> None:
    time_in(text, ZONE)


def worksheet(header: str, *rows: str) -> str:
    return "\n".join([header, *rows]) + "\n"


PT = (
    "Identificador,Nome completo,Endereço de email,Status,Nota,"
    "Última modificação (envio),Última modificação (nota)"
)
UNKNOWN = "Tunniste,Nimi,Email address,Tila,Arvosana,Muokattu (palautus),Muokattu (arvosana)"


@pytest.mark.parametrize("header", [PT, UNKNOWN])
def test_a_worksheet_in_another_language(tmp_path: Path, header: str) -> None:
    row = 'Participante 77,Ana Souza,ana@x,Enviado para avaliação,,"sábado, 21 nov 2026, 15:00",-'
    other = "Participante 78,Bo Lima,bo@x,Nenhum envio,,-,-"
    done = of(tmp_path, {ANA: "x"}, worksheet(header, row, other), more=RULES)
    told = {one.lms_id: (one.submitted_at[:16], one.time_from) for one in done.students}
    assert told == {"77": ("2026-11-21T15:00", "roster"), "78": ("", "")}
    assert done.unread == []


def test_times_that_are_not_understood_are_told(tmp_path: Path) -> None:
    row = 'Participante 77,Ana Souza,ana@x,Enviado,,"the day before yesterday at 5",-'
    done = of(tmp_path, {ANA: "x"}, worksheet(PT, row), more=RULES)
    assert done.unread == ["the day before yesterday at 5"]


@pytest.mark.parametrize(
    "status",
    ["Submitted for grading - Extension granted until: Monday, 30 November 2026, 11:59 PM",
     "Enviado - Prorrogação concedida até: segunda, 30 nov 2026, 23:59 - Avaliado"],
)  # fmt: skip
def test_an_extension_that_the_platform_has_granted_counts_unless_a_person_wrote_another(
    tmp_path: Path, status: str
) -> None:
    row = f'Participante 77,Ana Souza,ana@x,"{status}",,"sábado, 28 nov 2026, 15:00",-'
    (ana,) = of(tmp_path, {ANA: "x"}, worksheet(PT, row), more=RULES).students
    assert ana.extension == "2026-11-30T23:59:00-03:00"
    table = tmp_path / "class" / "students.csv"
    table.write_text(table.read_text().replace("2026-11-30T23:59:00-03:00", "9d"))
    (ana,) = of(tmp_path, {ANA: "x"}, worksheet(PT, row), more=RULES).students
    assert ana.extension == "9d"


@pytest.mark.parametrize(
    "status", ["Draft (not submitted)", "Rascunho (não enviado)", "Borrador (no enviado)"]
)
def test_a_draft_is_a_question_until_it_is_submitted_or_somebody_says_that_it_counts(
    tmp_path: Path, status: str
) -> None:
    def row(status: str) -> str:
        return worksheet(PT, f'Participante 77,Ana Souza,ana@x,{status},,"sábado, 21 nov 2026, 15:00",-')

    (ana,) = of(tmp_path, {ANA: "x"}, row(status), more=RULES).students
    assert "a draft" in ana.question
    (ana,) = of(tmp_path, {ANA: "x"}, more=RULES).students
    assert "a draft" in ana.question
    table = tmp_path / "class" / "students.csv"
    table.write_text(table.read_text().replace(",draft,", ",,"))
    assert not of(tmp_path, {ANA: "x"}, more=RULES).strange
    assert of(tmp_path, {ANA: "x"}, row(status), more=RULES).strange
    assert not of(tmp_path, {ANA: "x"}, row("Enviado para avaliação"), more=RULES).strange
