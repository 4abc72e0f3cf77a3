"""Table and progress in the terminal: 80 columns, plain lines in a pipe, strange names as they are."""

from __future__ import annotations

import io

from rich.console import Console

from autograder.assignment import load_assignment
from autograder.batch.rows import Row
from autograder.commands.screen import Screen
from autograder.commands.table import show
from autograder.course import Language
from autograder.diagnosis.texts import mistake_words
from autograder.feedback.texts import texts
from autograder.results import Flag, Kit, Message, Problem, SubmissionResult, TestResult, Verdict

COURSE = load_assignment()


def a_test(exercise: str, message: str = "", **changes: object) -> TestResult:
    base = {
        "id": f"x/{exercise}",
        "exercise": exercise,
        "concept": "c",
        "verdict": Verdict.FAILED,
        "points": 0.0,
        "max_points": 5.0,
        "message": Message(id=message, params={"file": "mask.py", "line": 6}) if message else None,
    }
    return TestResult.model_validate(base | changes)


def row(student: str, *tests: TestResult, problems: tuple[Problem, ...] = ()) -> Row:
    result = SubmissionResult(
        student=student, score=42.5, isolation="strong", kit=Kit(version="0"), tests=list(tests)
    )
    return Row(student, result, problems)


def shown(*rows: Row, width: int = 80, lang: Language = "en") -> str:
    out = Console(file=io.StringIO(), width=width, highlight=False)
    show(out, rows, COURSE, lang)
    return out.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_says_what_is_missing_and_why() -> None:
    text = shown(
        row("ana", a_test("split_heads", mistakes=["split-no-transpose"])),
        row("bo", a_test("generate", verdict=Verdict.TIMEOUT)),
        row("cy", a_test("causal_mask", "load.syntax"), a_test("gpt2", "needs_file")),
        row("di", *(a_test(e.id, "not_written") for e in COURSE.exercises)),
    )
    assert "split_heads: heads cut out without exchanging axes" in text
    assert "generate: does not end" in text
    assert "mask.py, line 6, does not load" in text
    assert "waits until the exercises it needs are right: gpt2" in text
    assert "nothing is written yet" in text


def test_fits_into_80_columns_and_keeps_names_that_look_like_markup() -> None:
    text = shown(
        row("[red]x[/red]", a_test("split_heads")),
        row("a" * 100, *(a_test(e.id, "raised") for e in COURSE.exercises)),
        Row("bo", None, (Problem(id="zip.broken", params={"file": "[bold]bo.zip"}),)),
    )
    assert max(map(len, text.splitlines())) <= 80
    assert "[red]x[/red]" in text
    assert "…" not in text.replace("a" * 29 + "…", "")  # names are cut, exercises are not
    assert all(e.id in text for e in COURSE.exercises)
    assert "[bold]bo.zip" in text
    assert "none" in text


def test_the_mistake_is_called_by_its_title_in_the_language_asked_and_never_cut() -> None:
    found = row("ana", a_test("split_heads", mistakes=["split-no-transpose"]), a_test("causal_mask"))
    odd = row("bo", a_test("split_heads", mistakes=["from-a-newer-kit", "split-no-transpose"]))
    english, portuguese, narrow = shown(found), shown(found, lang="pt-BR"), shown(found, width=40)
    assert "split-no-transpose" not in english
    assert mistake_words("split-no-transpose", "pt-BR", load_assignment()).name in portuguese
    assert "…" not in narrow
    assert max(map(len, narrow.splitlines())) <= 40
    assert "exchanging axes" in narrow
    assert "from-a-newer-kit / " in shown(odd)


def test_a_cell_that_is_no_python_is_named() -> None:
    flag = Flag(
        id="notebook.syntax",
        params={"exercise": "causal_softmax", "cell": 16, "line": 23, "text": "x =", "says": "no"},
    )
    one = row("mara", a_test("causal_softmax"))
    assert one.result is not None
    one = Row("mara", one.result.model_copy(update={"flags": [flag]}))
    assert "cell 16, line 23, does not load" in shown(one)


def test_where_work_was_found_is_said_when_it_is_not_where_it_is_expected() -> None:
    flags = [
        Flag(id="read_as", params={"found": "v2/heads.py", "file": "heads.py"}),
        Flag(id="taken_from", params={"exercises": "generate", "file": "all.py"}),
        Flag(id="also_written", params={"exercises": "generate", "used": "all.py", "others": "old.py"}),
    ]
    one = row("mara", a_test("causal_softmax"))
    assert one.result is not None
    one = Row("mara", one.result.model_copy(update={"flags": flags}))
    for text in (shown(one), shown(one, lang="pt-BR")):
        assert all(name in text for name in ("v2/heads.py", "all.py", "old.py"))


def test_what_a_person_should_look_at_is_said_once_a_kind() -> None:
    uses = [
        Flag(id="not_allowed", params={"file": "mask.py", "line": n, "name": "sdpa"}) for n in range(7, 27)
    ]
    flags = [*uses, Flag(id="left_out", params={"files": "big.bin"}), Flag(id="attack", params={"what": "x"})]
    one = row("mara", a_test("causal_softmax"))
    assert one.result is not None
    one = Row("mara", one.result.model_copy(update={"flags": flags}))
    for lang, more in (("en", "(19 more on the class page)"), ("pt-BR", "(mais 19 na página da turma)")):
        text = shown(one, lang=lang)
        assert text.count("sdpa") == text.count("big.bin") == 1
        assert more in " ".join(text.split())


def test_what_returns_nothing_is_not_written_though_it_refuses_what_it_should() -> None:
    text = shown(row("mara", a_test("split_heads", "not_written"), a_test("split_heads", "needs_substance")))
    assert "not written: split_heads" in text


def test_of_how_many_points_is_said_where_it_is_not_all_of_them() -> None:
    one = row("mara", a_test("causal_softmax"))
    assert one.result is not None
    assert "42.5 of" not in shown(one)
    assert "42.5 of 97" in shown(Row("mara", one.result.model_copy(update={"max_score": 97.0})))


def test_that_the_run_was_stopped_is_not_said_in_every_row() -> None:
    stopped = (Problem(id="grader.waiting"),)
    before = Row("ana", row("ana", a_test("split_heads")).result, stopped)
    text = shown(before, Row("bo", None, stopped), Row("cy", None, stopped))
    assert "ana" in text  # has a grade from an earlier run
    assert "bo" not in text
    assert "stopped" not in text
    assert shown(Row("bo", None, stopped)) == ""


def test_of_a_large_class_only_those_that_need_a_look() -> None:
    rows = [row(f"s{i:02}", a_test("split_heads")) for i in range(60)]
    rows.append(row("late", a_test("split_heads"), problems=(Problem(id="grader.kept"),)))
    text = shown(*rows)
    assert "late" in text
    assert "s01" not in text
    assert "61 graded, mean 42.5 points" in text


def test_plain_lines_in_a_pipe() -> None:
    out = Console(file=io.StringIO(), width=80, highlight=False)
    with Screen(out, 2, texts("en", COURSE)) as screen:
        screen.begins(2, 3, ["notes.txt"])
        screen.done(row("ana", a_test("split_heads")))
        screen.done(Row("bo", None))
    assert out.file.getvalue().splitlines() == [  # type: ignore[attr-defined]
        "Not submissions, left alone: notes.txt",
        "Grading 2 submissions, 2 at a time; 3 unchanged since the last time.",
        "1/2  ana  42.5",
        "2/2  bo  no grade",
    ]


def test_nothing_new() -> None:
    out = Console(file=io.StringIO(), width=80, highlight=False)
    with Screen(out, 2, texts("en", COURSE)) as screen:
        screen.begins(0, 1, [])
    assert out.file.getvalue() == "Nothing new: 1 submission, graded before.\n"  # type: ignore[attr-defined]
