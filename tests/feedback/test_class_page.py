"""The class page: its numbers are right, and it works for one student and for five hundred."""

from __future__ import annotations

import base64
import hashlib
import random
import re
from collections.abc import Callable
from statistics import correlation as pearson

import pytest

from autograder.assignment import Assignment
from autograder.course import Language
from autograder.feedback.class_page import class_html
from autograder.feedback.class_stats import class_stats, correlation
from autograder.feedback.class_view import class_view
from autograder.feedback.similar import ordinary, similar
from autograder.feedback.texts import texts
from autograder.gradebook.grades import ClassFiles, StudentGrade
from autograder.gradebook.students import Student
from autograder.results import Flag, Problem, Source, SubmissionResult, TestResult, Verdict
from tests.feedback import results
from tests.feedback.known import mistakes
from tests.feedback.languages import LANGUAGES
from tests.feedback.reading import Page


def a_class(n: int) -> list[SubmissionResult]:
    makes = [make for name, make in results.ALL.items() if name != "hostile"]
    chance = random.Random(n)
    chosen = [makes[i]() if i < len(makes) else chance.choice(makes)() for i in range(n)]
    return [r.model_copy(update={"student": f"{r.student} {i:03}"}) for i, r in enumerate(chosen)]


def page(class_: list[SubmissionResult], assignment: Assignment, lang: Language = "en") -> Page:
    return Page(class_html(class_, assignment, lang, mistakes=mistakes))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_golden(lang: Language, assignment: Assignment, golden: Callable[[str, str], None]) -> None:
    golden(
        f"class.{lang}.html",
        class_html([*a_class(12), results.hostile()], assignment, lang, mistakes=mistakes),
    )


@pytest.mark.parametrize("n", [0, 1, 2, 12, 500])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_any_size(n: int, lang: Language, assignment: Assignment) -> None:
    p = page(a_class(n), assignment, lang)
    rows = [e for e in p.all("th") if e.attributes.get("scope") == "row" and "table" in e.inside]
    assert len([e for e in rows if e.text[-3:].isdigit()]) == n


def test_five_hundred_students_fit_into_a_megabyte(assignment: Assignment) -> None:
    html = class_html(a_class(500), assignment, "en", mistakes=mistakes)
    assert len(html.encode()) < 1_000_000


def test_a_browser_runs_the_page_s_own_script_and_no_other(assignment: Assignment) -> None:
    html = class_html([*a_class(3), results.hostile()], assignment, "en", mistakes=mistakes)
    (text,) = re.findall(r"<script>(.*?)</script>", html, flags=re.S)
    hashed = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    assert f"script-src 'sha256-{hashed}';" in html
    assert "default-src 'none'" in html


def test_a_row_says_what_it_can_be_filtered_by(assignment: Assignment) -> None:
    """Each link to rows, and each choice of the filter, has as many rows as it says."""
    html = class_html(a_class(40), assignment, "en", mistakes=mistakes)
    rows = [set(tags.split()) for tags in re.findall(r'<tr data-t="([^"]*)"', html)]
    assert len(rows) == 40
    links = re.findall(r'href="#only=(\w+)">show (?:all (\d+) )?below', html)
    assert len(links) > 10
    for tag, n in links:
        assert sum(tag in row for row in rows) == int(n or 1), tag
    for tag in re.findall(r'<option value="([mct]\d+|look|none)"', html):
        assert any(tag in row for row in rows), tag


def test_the_serious_comes_first_grouped_by_student(assignment: Assignment) -> None:
    def flagged(name: str, *ids: str) -> SubmissionResult:
        given = {"what": "x", "file": "heads.py", "line": 1, "name": "y", "files": "z"}
        flags = [Flag(id=id, params={**given}) for id in ids]
        return results.all_right().model_copy(update={"student": name, "flags": flags})

    some = [flagged("a", "left_out"), flagged("b", "needless", "attack"), flagged("c", "not_allowed"),
            flagged("d", "read_as")]  # fmt: skip
    view = class_view(some, texts("en", assignment), mistakes, {})
    assert [one.person.name for one in view.look] == ["b", "c", "a"]
    assert len(view.look[0].texts) == 2
    html = class_html(some, assignment, "en", mistakes=mistakes)
    assert "3 students need a look" in html
    assert html.index("3 students need a look") < html.index('id="distribution"')


@pytest.mark.parametrize("names", [True, False])
def test_people_of_the_class_have_their_columns_and_rows(assignment: Assignment, names: bool) -> None:
    """Who handed nothing in, too; without a table of students there is nothing to tell."""
    some = a_class(2)
    grades = [
        StudentGrade(Student(r.student, "Ana", section="B"), r, ClassFiles().grade(r.student, r, assignment))
        for r in some
    ]
    grades.append(StudentGrade(Student("zoe", "Zoë")))
    html = class_html(some, assignment, "en", mistakes=mistakes, grades=grades if names else ())
    assert ("Section" in html) == names
    assert (">zoe<" in html) == names
    assert html.count("<tr data-t=") == 2 + names


def test_twins_are_a_question_and_right_code_is_none(assignment: Assignment) -> None:
    def of(name: str, **shapes: str) -> SubmissionResult:
        sources = [Source(symbol=s, file="f.py", shape=shape) for s, shape in shapes.items()]
        return results.all_right().model_copy(update={"student": name, "sources": sources})

    long, short, common = "200:aaaa", "20:bbbb", "300:cccc"
    right = max(ordinary(assignment), key=lambda shape: int(shape.partition(":")[0] or 0))
    some = [of("a", generate=long, split_heads=short), of("b", generate=long), of("c", split_heads=short)]
    some += [of(f"d{i}", generate=common) for i in range(9)]
    some += [of("e", generate=right), of("f", generate=right)]
    assert [one.students for one in similar(some, assignment, {})] == [("a", "b")]
    html = class_html(some, assignment, "en", mistakes=mistakes)
    assert "do these belong together?" in html


def test_made_for_everybody(assignment: Assignment) -> None:
    p = page([*a_class(12), results.hostile()], assignment)
    for landmark in ("header", "main", "footer", "h1"):
        assert len(p.all(landmark)) == 1
    levels = [int(e.tag[1]) for e in p.all("h1", "h2", "h3", "h4")]
    assert all(b <= a + 1 for a, b in zip(levels, levels[1:], strict=False))
    ids = [e.attributes["id"] for e in p.elements if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    assert not {e.tag for e in p.elements} & {"img", "iframe", "link"}
    assert len(p.all("script")) == 1
    assert all(e.attributes.get("aria-label") or e.attributes.get("aria-labelledby") for e in p.all("table"))


def test_links_lead_to_the_pages_of_students(assignment: Assignment) -> None:
    one = results.all_right().model_copy(update={"student": "A/../b c?#"})
    links = [e.attributes["href"] for e in page([one], assignment).all("a")]
    assert "A%2F..%2Fb%20c%3F%23/feedback.html" in links
    html = class_html([one], assignment, "en", {"A/../b c?#": "b_c~1/feedback.html"}, mistakes)
    assert 'href="b_c~1/feedback.html"' in html


def test_scores(assignment: Assignment) -> None:
    class_ = [
        results.result(f"s{i}").model_copy(update={"score": float(s)})
        for i, s in enumerate((0, 9.99, 10, 55, 99.5, 100, 100))
    ]
    stats = class_stats(class_, assignment)
    assert stats.bins == (2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2)
    assert sum(stats.bins) == len(class_)
    assert stats.median == 55
    assert stats.mean == pytest.approx(374.49 / 7)


def test_difficulty_discrimination_and_time(assignment: Assignment) -> None:
    id = "heads/split_shape"
    wrong = results.failed("shape.wrong", what="x", expected=[1], got=[2])
    class_ = []
    for i in range(10):
        changes = {"mask/mask_is_bool": wrong} if i in (0, 1, 2) else {}
        if i in (0, 1, 5):
            changes[id] = wrong
        if i == 9:
            changes[id] = {"follow_through": True, "follow_through_of": ["merge_heads"]}
        class_.append(results.result(f"s{i}", changes))
    item = next(x for x in class_stats(class_, assignment).items if x.id == id)
    assert item.judged == 10
    assert item.right == 6  # three are wrong, one has the points but not by itself
    assert item.credited == 1
    got = [0, 0, 1, 1, 1, 0, 1, 1, 1, 0]
    rest = [r.score - next(t.points for t in r.tests if t.id == id) for r in class_]
    assert item.discrimination == pytest.approx(pearson(got, rest))
    assert item.seconds == pytest.approx(0.01)


def test_discrimination_that_is_undefined_says_why(assignment: Assignment) -> None:
    assert {x.undefined for x in class_stats(a_class(3), assignment).items} == {"few"}
    right = [results.result(f"s{i}") for i in range(6)]
    assert {x.undefined for x in class_stats(right, assignment).items} == {"same_item"}
    wrong = results.failed("shape.wrong", what="x", expected=[1], got=[2])
    right[0] = results.result("s0", {"heads/split_shape": wrong})
    item = class_stats(right, assignment).items[0]
    assert item.undefined == "same_rest"
    text = page(right, assignment).text
    assert "undefined: the same for all" in text
    assert "undefined: all have the same rest" in text
    assert "undefined: fewer than 5 students" in page(a_class(3), assignment).text


def test_correlation() -> None:
    chance = random.Random(3)
    xs = [chance.random() for _ in range(50)]
    ys = [x + chance.random() for x in xs]
    assert correlation(xs, ys) == pytest.approx(pearson(xs, ys))
    assert correlation([1, 1, 1], [1, 2, 3]) is None
    assert correlation([0.1] * 3, [1, 2, 3]) is None


def test_a_test_that_the_better_ones_fail_is_pointed_out(assignment: Assignment) -> None:
    wrong = results.failed("shape.wrong", what="x", expected=[1], got=[2])
    good = [results.result(f"g{i}", {"heads/split_shape": wrong}) for i in range(4)]
    bad = [results.result(f"b{i}", {"causal_mask": wrong, "causal_softmax": wrong}) for i in range(4)]
    item = class_stats(good + bad, assignment).items[0]
    assert item.discrimination is not None
    assert item.discrimination < 0
    assert "look at this test" in page(good + bad, assignment).text


def test_mistakes_are_counted_by_students(assignment: Assignment) -> None:
    class_ = [results.split_no_transpose().model_copy(update={"student": f"s{i}"}) for i in range(5)]
    class_ += [results.several_wrong()]
    found = class_stats(class_, assignment).mistakes
    assert [(g.key, len(g.students)) for g in found] == [
        (("split-no-transpose",), 5),
        (("mask-after-softmax",), 1),
    ]


def test_a_mistake_that_costs_nothing_is_marked(assignment: Assignment) -> None:
    named = {"mistakes": ["split-no-transpose"]}
    advice = {**results.failed("split.not_refused", d_model=10, n_head=3), **named}
    free = results.result("A", {"heads/split_refuses_unequal_slices": advice})
    assert "costs no points" in page([free], assignment).text
    dear = results.result("B", {"heads/split_shape": {**results.failed("x"), **named}})
    assert "costs no points" not in page([free, dear], assignment).text


def test_only_the_first_of_several_names_begins_with_a_capital(assignment: Assignment) -> None:
    several = ["order-qvk", "scores-transposed"]
    odd = {**results.failed("values.differ"), "mistakes": several}
    html = class_html([results.result("A", {"MultiHeadAttention": odd})], assignment, "pt-BR")
    text = " ".join(Page(html).text.split())
    assert "K e V pegos na ordem errada ou consultas e chaves trocadas nos escores" in text


def test_a_flag_is_worded_for_the_instructor(assignment: Assignment) -> None:
    text = page([results.several_wrong()], assignment).text
    assert "asks students to do without" in text
    assert "A person will look" not in text


def test_nothing_is_said_of_students_who_are_not_there(assignment: Assignment) -> None:
    text = page([results.all_right()], assignment).text
    assert "No two students share an unexplained output" in text
    assert "These students" not in text


def test_clusters_of_unexplained_outputs(assignment: Assignment) -> None:
    def one(student: str, fingerprint: str, **more: object) -> SubmissionResult:
        change = results.failed("values.differ", what="result", wrong=1, total=2, first=[0], shape=[2])
        return results.result(student, {"split_heads": {**change, "fingerprint": fingerprint, **more}})

    class_ = [one("a", "f1"), one("b", "f1"), one("c", "f2"), one("d", "f1", mistakes=["split-no-transpose"])]
    stats = class_stats(class_, assignment)
    assert [(g.key, g.students) for g in stats.clusters] == [(("split_heads", "f1"), ("a", "b"))]
    assert stats.alone == 1


def test_what_is_for_a_person_is_listed(assignment: Assignment) -> None:
    flags = [
        Flag(id="attack", params={"what": "a system call"}),
        Flag(id="flag.read_as", params={"found": "x", "file": "y"}),
    ]
    problems = [Problem(id="problem.zip.broken", params={"file": "work.zip"})]
    class_ = [results.measured(), results.result("B", flags=flags, problems=problems)]
    text = page(class_, assignment).text
    for wanted in (
        "a system call",
        "x was read as y",
        "work.zip is damaged",
        "Faults of the grader",
        "Not measured",
    ):
        assert wanted in text
    assert "For you to look at" not in page([results.all_right()], assignment).text


def test_the_same_note_is_said_once(assignment: Assignment) -> None:
    class_ = [
        results.result(f"student {i}", problems=[Problem(id="folder.empty", params={})]) for i in range(30)
    ]
    assert page(class_, assignment).text.count("nothing was handed in") == 1


def test_our_faults_do_not_count_in_a_test(assignment: Assignment) -> None:
    fault = {"verdict": Verdict.GRADER_FAULT}
    class_ = [results.result("a", {"heads/split_shape": fault}), results.result("b")]
    item = next(x for x in class_stats(class_, assignment).items if x.id == "heads/split_shape")
    assert (item.judged, item.right) == (1, 1)


def test_without_a_grade_nobody_counts_as_0(assignment: Assignment) -> None:
    graded = [results.all_right(), results.split_no_transpose(), results.empty_folder()]
    class_ = [*graded, results.not_read(), results.not_judged()]
    stats, alone = class_stats(class_, assignment), class_stats(graded, assignment)
    assert stats.scores == alone.scores
    assert stats.bins == alone.bins
    assert (stats.mean, stats.without, alone.without) == (alone.mean, 2, 0)
    p = page(class_, assignment)
    rows = [e.text for e in p.all("tr") if "Íris Prado" in e.text or "Jonas Melo" in e.text]
    assert len(rows) == 2
    assert all("no grade" in row and "0" not in row for row in rows)
    means = [e.text for e in p.all("summary") if "mean" in e.text]
    assert means == [e.text for e in page(graded, assignment).all("summary") if "mean" in e.text]
    assert "2 without a grade" in p.text
    assert "work.zip is damaged" in p.text
    assert "Nothing handed in" in p.text


def test_who_is_not_graded_yet_is_named(assignment: Assignment) -> None:
    html = class_html(a_class(3), assignment, "en", mistakes=mistakes, waiting=["<b>ana", "bruno"])
    assert "Not graded yet" in html
    assert "&lt;b&gt;ana" in html
    assert "Not graded yet" not in class_html(a_class(3), assignment, "en", mistakes=mistakes)


def test_a_submission_without_any_test_is_in_the_table(assignment: Assignment) -> None:
    empty = results.all_right().model_copy(update={"student": "Empty 000", "tests": [], "score": 0.0})
    p = page([empty, results.all_right()], assignment)
    assert "Empty 000" in p.text
    assert isinstance(empty.tests, list)
    assert all(isinstance(t, TestResult) for t in empty.tests)
