"""Whatever people are called, on whatever platform: work goes to whose it is, or is a question."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from autograder.collect.collect import collect
from autograder.gradebook.names import by_order, without_accents
from tests.collect.downloads import NAMED, Person, packed
from tests.collect.test_collect import KIT

# Letters of several scripts, composed and not, and what stands in names.
LETTERS = st.text("abcdeABCDEéàüßøłñçĐđŞşİıΩωЖж王美\u0301", min_size=1, max_size=8)
WORD = st.builds(
    lambda a, mark, b: a + mark + b, LETTERS, st.sampled_from(["", "", "-", "'", "’", "."]), LETTERS
)
NAME = st.lists(WORD, min_size=2, max_size=4).map(" ".join)


@st.composite
def classes(draw: st.DrawFn) -> list[Person]:
    """People with names that may be the same, or the same but for accents and case; some without work."""
    names = draw(st.lists(NAME, min_size=1, max_size=6))
    names += [draw(st.sampled_from([n, n.upper(), n.swapcase()])) for n in names[:2]]
    files = [{"heads.py": b"# %d\n" % i, "more/mask.py": b"# %d too\n" % i} for i in range(len(names))]
    without = draw(st.sets(st.integers(0, len(names) - 1), max_size=len(names) - 1))
    return [
        Person(i, name, f"u{i:04d}", {} if i in without else files[i], late=draw(st.booleans()))
        for i, name in enumerate(names)
    ]


@pytest.mark.parametrize("platform", NAMED)
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(group=classes(), listed=st.booleans())
def test_work_goes_to_whose_it_is(
    tmp_path_factory: pytest.TempPathFactory, platform: str, group: list[Person], listed: bool
) -> None:
    if platform == "d2l":  # says nothing of people but their names, so two of one name are one there
        assume(len({by_order(without_accents(p.name)).casefold() for p in group}) == len(group))
    place = tmp_path_factory.mktemp("c")
    packed(place / "d.zip", NAMED[platform](group))
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["student", "name", "email", "lms_id", "username", "student_number"])
    table.writerows([p.username, p.name, p.email, p.lms_id, p.username, f"00{p.number}"] for p in group)
    (place / "r.csv").write_text(text.getvalue(), encoding="utf-8")
    done = collect([place / "d.zip"], place / "class", KIT, place / "r.csv" if listed else None)
    questions = {one.student for one in done.students if one.question}
    lies: dict[bytes, set[str]] = {}
    for path in (place / "class").rglob("*.py"):
        lies.setdefault(path.read_bytes().split()[1], set()).add(path.relative_to(place / "class").parts[0])
    for p in group:
        where = lies.get(b"%d" % p.number, set()) - {".attempts"}
        if not p.files:
            assert not where
        elif listed:
            assert where
            assert where == {p.username} or where <= questions, (p, where)
        else:
            assert lies.get(b"%d" % p.number)
    owners = [student for found in lies.values() for student in found - {".attempts"}]
    assert listed or len(owners) == len(set(owners)), "two people's work lies in one folder"
    assert {p.username for p in group} <= {one.student for one in done.students} or not listed
