"""Download -> collect -> grade -> grades -> export, for each platform, and what goes back is of nobody else."""

from __future__ import annotations

import csv
import html
import io
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.collect.downloads import NAMED, Person
from tests.exporters.files import FILES
from tests.exporters.whole_way import Way, group, run

PLATFORMS = [name for name in NAMED if name in {*FILES, "moodle flat", "nbgrader", "gradescope"}]
FORM = {"moodle flat": "moodle", "nbgrader": "nbgrader", "gradescope": "csv"}
SECRET = "SecretIllness"  # reasons that are between two people
PLACE = "private-path-name"  # of the folder that all of it lies in
PUBLIC = "BecauseOfThePublicReason"


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Way:
    """Ten people, graded once; other platforms bring the same bytes, so nothing is graded again for them."""
    way = Way(tmp_path_factory.mktemp("way") / PLACE, "moodle", group(10))
    way.collect()
    way.grade()
    return way


def way_of(graded: Way, place: Path, platform: str) -> Way:
    """The same class, out of that platform's download, with decisions of all kinds."""
    way = Way(place / PLACE, platform, graded.people)
    way.collect()
    shutil.copytree(graded.out, way.out)
    table = io.StringIO()
    rows = [["student", "exercise", "points", "reason", "who", "private"]]
    for p in way.people[:4]:
        rows.append([p.username, "", str(60 + p.number), f"{SECRET}{p.username}", "K", "yes"])
    rows.append([way.people[4].username, "", "33.5", f"{PUBLIC}{way.people[4].username}", "K", ""])
    csv.writer(table).writerows(rows)
    (way.place / "class" / "overrides.csv").write_text(table.getvalue(), encoding="utf-8")
    students = way.place / "class" / "students.csv"
    with students.open(encoding="utf-8", newline="") as file:
        people = list(csv.DictReader(file))
    for one in people:
        one["extension"], one["extension_reason"] = "2d", f"{SECRET}{one['student']}"
    with students.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, people[0])
        writer.writeheader()
        writer.writerows(people)
    way.grade()
    return way


def of_others(people: Sequence[Person], mine: Person | None) -> list[str]:
    """Everything that names somebody else, and what is nobody's business."""
    words = [SECRET, PLACE, "result.json", "overrides.csv"]
    for p in (p for p in people if p is not mine):
        words += [*p.name.split(), p.username, p.email, p.lms_id, f"{PUBLIC}{p.username}"]
    return words


def clean(data: bytes, people: Sequence[Person], mine: Person | None) -> None:
    text = html.unescape(data.decode("utf-8"))
    assert [
        word for word in of_others(people, mine) if re.search(rf"(?<![\w.]){re.escape(word)}", text)
    ] == []


def owns(p: Person, name: str) -> bool:
    """Whether the name of a page is somebody's."""
    return any(word in name for word in (p.username, p.lms_id, p.name, p.name.replace("'", "")))


OFTEN = ("moodle", "canvas")  # the others take the same way; each has its own tests of names and files


@pytest.mark.slow
@pytest.mark.parametrize(
    "platform", [p if p in OFTEN else pytest.param(p, marks=pytest.mark.endurance) for p in PLATFORMS]
)
def test_the_whole_way(graded: Way, tmp_path: Path, platform: str) -> None:
    way = way_of(graded, tmp_path, platform)
    finals = way.finals()
    assert [finals[p.username] for p in way.people[:5]] == ["60", "61", "62", "63", "33.5"]
    assert finals[way.people[9].username] == ""
    assert "100" not in finals.values()
    if platform in FILES:
        way.fill()
    form = FORM.get(platform, platform)
    if form in ("blackboard", "github-classroom"):
        assert "takes no pages back" in run("export", way.out, "-f", form, "--feedback", codes=(2,))
        form = "csv"
    pages = way.pages(form)
    with_page = [p for p in way.people if p.files]
    assert len(pages) == len(with_page)
    seen = set()
    for name, page in pages.items():
        (mine,) = (p for p in with_page if owns(p, name))
        seen.add(mine.username)
        assert not re.search(r"result|json|/\.|\\|^/|\.\.", name)
        clean(name.encode(), way.people, mine)
        clean(page, way.people, mine)
        assert mine.username.encode() in page or mine.name.encode() in page
        assert (PUBLIC.encode() in page) == (mine is way.people[4])
    assert len(seen) == len(with_page)


@pytest.mark.slow
def test_no_table_for_a_platform_tells_reasons_or_paths(graded: Way, tmp_path: Path) -> None:
    way = way_of(graded, tmp_path, "moodle")
    (way.place / "own.csv").write_bytes(FILES["moodle"](way.people))
    filled = way.export("moodle", "--into", way.place / "own.csv", "--comments").decode()
    for line in csv.reader(io.StringIO(filled)):
        mine = [p for p in way.people if p.email in line]
        if mine:
            clean(line[-1].encode(), way.people, mine[0])
    tables = [way.export(form) for form in ("csv", "gradescope", "nbgrader", "d2l")] + [filled.encode()]
    assert not any(word.encode() in table for table in tables for word in (SECRET, PLACE, PUBLIC))


@pytest.mark.slow
def test_grades_of_before_are_not_exported(graded: Way, tmp_path: Path) -> None:
    way = way_of(graded, tmp_path, "moodle")
    text = (way.place / "class" / "overrides.csv").read_text(encoding="utf-8")
    (way.place / "class" / "overrides.csv").write_text(text.replace("33.5", "34.5"), encoding="utf-8")
    assert "autograder grades" in run("export", way.out, "--format", "csv", codes=(2,))
    run("grades", way.out, "--yes")
    assert b"34.5" in way.export("csv")
