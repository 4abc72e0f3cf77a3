"""A result as the student's page tells it, in one language: HTML and Markdown are two clothes of this."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pydantic import JsonValue, ValidationError

from autograder.course import Course, Exercise, Language
from autograder.feedback import causes as why
from autograder.feedback.causes import Cause, Status, missed, not_written
from autograder.feedback.mistake_texts import MistakeTexts, Told, told
from autograder.feedback.rich import Rich, capital
from autograder.feedback.shown import Line, Shown, line, shown
from autograder.feedback.texts import known, sentence, t
from autograder.results import Flag, Message, Problem, SubmissionResult, TestResult, Verdict

_NUMBER = re.compile(r"\d\.\d|\d[eE][+-]?\d")  # a value, not a size or a position
# Flags that a machine must not put to a student: a person looks first. They are on the class page.
BETWEEN_PEOPLE = {"flag.attack", "flag.not_measured"}  # not measured has its own part of the page


@dataclass(frozen=True)
class Check:
    """One hidden test: its concept and what it found."""

    id: str
    concept: Rich
    message: Rich
    points: float
    max_points: float


@dataclass(frozen=True)
class Block:
    """One reason for missed points."""

    anchor: str
    kind: str
    title: Rich
    exercises: tuple[str, ...]  # titles
    points: float
    checks: tuple[Check, ...]
    mistakes: tuple[Told, ...]
    intro: tuple[Rich, ...]  # what can be said for certain, without a known mistake
    line: Line | None
    shown: Shown


@dataclass(frozen=True)
class Follow:
    """Points that were given although an earlier exercise is wrong."""

    exercises: tuple[str, ...]  # titles
    points: float
    of: tuple[str, ...]  # titles


@dataclass(frozen=True)
class Part:
    """One exercise."""

    id: str
    anchor: str
    title: str
    symbol: str
    file: str
    section: str
    status: Status
    points: float
    max_points: float
    blocks: tuple[Block, ...] = ()
    elsewhere: tuple[Block, ...] = ()  # shown under an earlier exercise
    right: tuple[Check, ...] = ()


@dataclass(frozen=True)
class Wait:
    """Exercises that could not be judged for the same reason."""

    exercises: tuple[str, ...]  # titles
    reason: Rich


@dataclass(frozen=True)
class Ours:
    """What the kit could not decide or did wrong itself."""

    exercise: str
    concept: Rich
    message: Rich
    points: float


@dataclass(frozen=True)
class First:
    """The one thing to look at first: a new hand-in, a block, the next exercise to write, or nothing left."""

    hand_in: bool = False

    block: Block | None = None
    write: Part | None = None


@dataclass(frozen=True)
class StudentView:
    """The whole page."""

    student: str
    score: float
    max_score: float
    parts: tuple[Part, ...]
    first: First
    follow: tuple[Follow, ...] = ()
    waits: tuple[Wait, ...] = ()
    tips: tuple[Block, ...] = ()  # cost no points
    faults: tuple[Ours, ...] = ()
    undecided: tuple[Ours, ...] = ()
    problems: tuple[Rich, ...] = ()
    flags: tuple[Rich, ...] = ()
    footer: dict[str, str] = field(default_factory=dict)

    def having(self, *wanted: Status) -> list[Part]:
        """The exercises in one of these states."""
        return [p for p in self.parts if p.status in wanted]


def student_view(
    result: SubmissionResult, course: Course, lang: Language, mistakes: MistakeTexts
) -> StudentView:
    """Everything the page says, in its order."""
    found = why.causes(result, course)
    blocks = {id(c): _block(c, i, course, lang, mistakes) for i, c in enumerate(found)}
    parts = tuple(
        _part(e, result, course, lang, [(c, blocks[id(c)]) for c in found if not c.tip])
        for e in course.exercises
    )
    top = why.first(found, result, course)
    todo = next((p for p in parts if p.status == "not_written"), None)
    return StudentView(
        student=result.student,
        score=result.score,
        max_score=result.max_score,
        parts=parts,
        first=_first(result, blocks[id(top)] if top else None, todo),
        follow=_follow(result, course, lang),
        waits=_waits(result, course, lang),
        tips=tuple(blocks[id(c)] for c in found if c.tip),
        faults=_ours(result, Verdict.GRADER_FAULT, course, lang),
        undecided=_ours(result, Verdict.NOT_MEASURED, course, lang),
        problems=tuple(problem(p, lang) for p in result.problems),
        flags=tuple(flag(f, lang) for f in result.flags if text_id("flag", f.id) not in BETWEEN_PEOPLE),
        footer={"version": result.kit.version, "isolation": result.isolation, **result.kit.packages},
    )


def _first(result: SubmissionResult, block: Block | None, todo: Part | None) -> First:
    if result.problems and all(not_written(x) for x in result.tests):
        return First(hand_in=True)
    return First(block=block) if block else First(write=todo)


def text_id(kind: str, id: str) -> str:
    """One name for a flag or problem: not_allowed and flag.not_allowed are the same."""
    return id if id.startswith(f"{kind}.") else f"{kind}.{id}"


def problem(said: Problem, lang: Language) -> Rich:
    """Why something could not be read or graded."""
    return sentence(text_id("problem", said.id), lang, said.params)


def flag(said: Flag, lang: Language) -> Rich:
    """Something for a person to look at."""
    return sentence(text_id("flag", said.id), lang, said.params)


def concept(test: TestResult, lang: Language) -> Rich:
    """The concept in the student's language; as the test itself says it where there is no text."""
    id = f"concept.{test.id}"
    return capital(sentence(id, lang) if known(id) else sentence("concept", lang, {"text": test.concept}))


def message(said: Message | None, course: Course, lang: Language) -> Rich:
    """A result's message as a sentence; exercises are called by their titles."""
    if said is None:
        return ()
    params: dict[str, JsonValue] = dict(said.params)
    order = params.get("order")
    if isinstance(order, list):  # axes by name
        params["order"] = [t(f"axis.{a}", lang) if known(f"axis.{a}") else a for a in order]
    name = params.get("exercise")
    if isinstance(name, str):
        params["exercise"] = title(name, course, lang)
    return sentence(said.id, lang, params)


def title(exercise: str, course: Course, lang: Language) -> str:
    """An exercise's title; its id when course.toml does not know it."""
    try:
        return course[exercise].title.get(lang) or exercise
    except KeyError:
        return exercise


def _check(test: TestResult, course: Course, lang: Language) -> Check:
    return Check(
        test.id, concept(test, lang), message(test.message, course, lang), test.points, test.max_points
    )


def _block(cause: Cause, number: int, course: Course, lang: Language, mistakes: MistakeTexts) -> Block:
    lead = next((x for x in cause.tests if x.shown), cause.tests[0])
    params = dict(lead.message.params) if lead.message else {}
    extra = lead.shown.get("params")
    if isinstance(extra, dict):
        params |= extra
    ids = lead.mistakes if cause.kind == "mistake" else []
    texts = [text for text in (mistakes(m, lang) for m in ids) if text]
    known_ones = tuple(told(text, params, lang) for text in texts)
    example = shown(lead.shown, lead.exercise, lang)
    return Block(
        anchor=f"look-{number + 1}",
        kind=cause.kind,
        title=_title(cause, known_ones, course, lang),
        exercises=tuple(title(e, course, lang) for e in cause.exercises),
        points=cause.points,
        checks=tuple(_check(x, course, lang) for x in cause.tests),
        mistakes=known_ones,
        intro=_intro(cause, lead, known_ones, course, lang),
        line=example.line or _line(lead.message),
        shown=example,
    )


def _title(cause: Cause, known_ones: tuple[Told, ...], course: Course, lang: Language) -> Rich:
    symbol = course[cause.exercises[0]].symbols[0]
    params = {**(cause.tests[0].message.params if cause.tests[0].message else {}), "symbol": symbol}
    if len(known_ones) == 1:
        return known_ones[0].name
    if known_ones:
        return sentence("block.several", lang, params)
    return sentence(f"block.{cause.kind}", lang, params)


def _intro(
    cause: Cause, lead: TestResult, known_ones: tuple[Told, ...], course: Course, lang: Language
) -> tuple[Rich, ...]:
    """The top of a block that names no mistake: what happened, and what that kind of thing means."""
    said: list[Rich] = []
    if known_ones:
        return ()
    if cause.kind in ("load", "raised", "timeout", "died", "bad_reply"):
        said.append(message(_without_hidden_numbers(lead), course, lang))
    kind = lead.message.params.get("kind") if lead.message else None
    if cause.kind in ("load", "raised") and isinstance(kind, str) and known(f"explain.{kind}"):
        said.append(sentence(f"explain.{kind}", lang))
    if cause.kind == "unknown":
        said.append(sentence("block.unknown.text", lang))
    said.append(_certain(lead, course, lang) or message(_without_hidden_numbers(lead), course, lang))
    return tuple(dict.fromkeys(s for s in said if s))


def _without_hidden_numbers(test: TestResult) -> Message | None:
    """The message; what an error said about a hidden input gives way to what it said about the public one."""
    said, got = test.message, test.shown.get("got")
    if said is None or said.id != "raised":
        return said
    text = str(said.params.get("text", ""))
    if isinstance(got, dict) and got.get("exception") == said.params.get("kind"):
        text = str(got.get("text", ""))
    elif len(text) > 200 or _NUMBER.search(text):
        text = ""
    return Message(id=said.id, params={**said.params, "text": text})


def _certain(lead: TestResult, course: Course, lang: Language) -> Rich:
    """What the diagnosis can say for certain."""
    try:
        return message(Message.model_validate(lead.shown["certain"]), course, lang)
    except (KeyError, ValidationError):
        return ()


def _line(said: Message | None) -> Line | None:
    if said is None:
        return None
    p = said.params
    text = p.get("line_text")
    return line({"file": p.get("file"), "line": p.get("line"), "text": text}) if text else None


def _part(
    exercise: Exercise,
    result: SubmissionResult,
    course: Course,
    lang: Language,
    found: list[tuple[Cause, Block]],
) -> Part:
    tests = [x for x in result.tests if x.exercise == exercise.id]
    state: Status = why.status(tests) if tests else "not_written"
    return Part(
        id=exercise.id,
        anchor=f"exercise-{exercise.id}",
        title=title(exercise.id, course, lang),
        symbol=exercise.symbols[0],
        file=exercise.file,
        section=exercise.section,
        status=state,
        points=sum(x.points for x in tests),
        max_points=sum(x.max_points for x in tests) or exercise.points,
        blocks=tuple(b for c, b in found if c.exercises[0] == exercise.id),
        elsewhere=tuple(b for c, b in found if exercise.id in c.exercises[1:]),
        right=tuple(_check(x, course, lang) for x in tests if x.verdict is Verdict.PASSED),
    )


def _follow(result: SubmissionResult, course: Course, lang: Language) -> tuple[Follow, ...]:
    """Follow-through credit, one entry for the same earlier exercises."""
    groups: dict[tuple[str, ...], list[TestResult]] = {}
    for test in result.tests:
        if test.follow_through and test.points:
            groups.setdefault(tuple(test.follow_through_of), []).append(test)
    return tuple(
        Follow(
            exercises=tuple(title(e, course, lang) for e in dict.fromkeys(x.exercise for x in tests)),
            points=sum(x.points for x in tests),
            of=tuple(title(e, course, lang) for e in of),
        )
        for of, tests in groups.items()
    )


def _waits(result: SubmissionResult, course: Course, lang: Language) -> tuple[Wait, ...]:
    groups: dict[Rich, dict[str, None]] = {}
    for test in result.tests:
        if missed(test) and test.verdict is Verdict.SKIPPED:
            groups.setdefault(message(test.message, course, lang), {})[title(test.exercise, course, lang)] = (
                None
            )
    return tuple(Wait(tuple(exercises), reason) for reason, exercises in groups.items())


def _ours(result: SubmissionResult, verdict: Verdict, course: Course, lang: Language) -> tuple[Ours, ...]:
    return tuple(
        Ours(
            title(x.exercise, course, lang), concept(x, lang), message(x.message, course, lang), x.max_points
        )
        for x in result.tests
        if x.verdict is verdict
    )


def points(value: float, lang: Language) -> str:
    """Points: at most two decimals, with the language's comma."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return text.replace(".", ",") if lang == "pt-BR" else text


def score_line(view: StudentView, lang: Language) -> str:
    """How many of how many points, in words."""
    return t("page.score", lang, points=points(view.score, lang), max=points(view.max_score, lang))
