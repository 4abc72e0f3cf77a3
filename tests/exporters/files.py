"""The instructor's own file of grades, as each platform makes it of a class: rows in another order than ours, one
of a stranger, and columns that are nobody's business."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence

from tests.collect.downloads import Person

Rows = list[list[str]]


def last_first(p: Person) -> str:
    """Doe, Jane"""
    first, _, last = p.name.partition(" ")
    return f"{last}, {first}"


def canvas(group: Sequence[Person]) -> bytes:
    """With a BOM, Manual Posting, Points Possible, totals and the test student."""
    rows = [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Quiz (7)", "HW 1 (55)", "Final Score"],
        ["", "", "", "", "", "", "Manual Posting", ""],
        ["    Points Possible", "", "", "", "", "10.00", "100.00", "(read only)"],
        *(
            [last_first(p), p.lms_id, f"00{p.number}", p.username, "A and B", "9.50", "", "95.0"]
            for p in group
        ),
        ["Stranger, A", "999999", "x", "xx", "A", "1.00", "13.00", ""],
        ["Student, Test", "5", "", "", "A", "", "", ""],
    ]
    return b"\xef\xbb\xbf" + written(rows, "\r\n")


def moodle(group: Sequence[Person]) -> bytes:
    """With dates that have commas, and comments of another year."""
    return written([
        ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum grade", "Grade can be changed",
         "Last modified (submission)", "Last modified (grade)", "Feedback comments"],
        *([f"Participant {p.lms_id}", p.name, p.email, "Submitted for grading", "", "100.00", "Yes",
           "Monday, 1 March 2027, 10:00 PM", "-", ""] for p in group),
        ["Participant 999999", "A Stranger", "x@x.org", "-", "13.00", "100.00", "Yes", "-", "-", "<p>old</p>"],
    ])  # fmt: skip


def blackboard(group: Sequence[Person]) -> bytes:
    """UTF-16 and tabs, as its .xls."""
    rows = [
        ["Last Name", "First Name", "Username", "Student ID", "Last Access", "Availability",
         "HW 1 [Total Pts: 100 Score] |1281892", "Weighted Total [Total Pts: 0 Score] |9"],
        *([*last_first(p).split(", "), p.username, f"00{p.number}", "", "Yes", "", "1"] for p in group),
        ["Stranger", "A", "xx", "x", "", "Yes", "13", "2"],
    ]  # fmt: skip
    out = io.StringIO()
    csv.writer(out, delimiter="\t", lineterminator="\r\n", quoting=csv.QUOTE_ALL).writerows(rows)
    return out.getvalue().encode("utf-16")


def d2l(group: Sequence[Person]) -> bytes:
    """Ids with "#" in front."""
    item = "HW 1 Points Grade <Numeric MaxPoints:100 Weight:5>"
    rows = [["OrgDefinedId", "Username", item, "End-of-Line Indicator"]]
    rows += [[f"#00{p.number}", f"#{p.username}", "", "#"] for p in group]
    return written([*rows, ["#x", "#xx", "13", "#"]])


def github_classroom(group: Sequence[Person]) -> bytes:
    """All quoted."""
    rows = [["assignment_name", "github_username", "roster_identifier", "points_awarded", "points_available"]]
    rows += [["hw-1", p.username, f"{last_first(p)} (A)", "0", "100"] for p in group]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(
        [*rows, ["hw-1", "xx", "x", "13", "100"]]
    )
    return out.getvalue().encode()


def written(rows: Rows, end: str = "\n") -> bytes:
    """A CSV file of them."""
    out = io.StringIO()
    csv.writer(out, lineterminator=end).writerows(rows)
    return out.getvalue().encode()


FILES: dict[str, Callable[[Sequence[Person]], bytes]] = {
    "canvas": canvas, "moodle": moodle, "blackboard": blackboard, "d2l": d2l,
    "github-classroom": github_classroom,
}  # fmt: skip
# Where the file says whose row it is, and where the grade goes.
PLACES = {"canvas": (3, 6), "moodle": (2, 4), "blackboard": (2, 6), "d2l": (1, 2), "github-classroom": (1, 3)}


def read(data: bytes) -> Rows:
    """The rows of such a file."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return list(csv.reader(io.StringIO(data.decode("utf-16"), newline=""), delimiter="\t"))
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def key(platform: str, p: Person) -> str:
    """What that place says of somebody."""
    return {"moodle": p.email, "d2l": f"#{p.username}"}.get(platform, p.username)
