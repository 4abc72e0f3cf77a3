"""A result as the student's page tells it, in one language: HTML and Markdown are two clothes of this."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograder.course import Exercise
from autograder.feedback import causes as why
from autograder.feedback.blocks import Block, Check, block, check, once
from autograder.feedback.causes import Cause, Status, missed, not_written
from autograder.feedback.mistake_texts import MistakeTexts, told
from autograder.feedback.rich import Rich
from autograder.feedback.shown import Line, shown
from autograder.feedback.texts import Texts
from autograder.feedback.wording import concept, flag, message, problem, text_id, title
from autograder.results import Problem, SubmissionResult, TestResult, Verdict

# Flags that a machine must not put to a student: a person looks first. They are on the class page.
BETWEEN_PEOPLE = {"flag.attack", "flag.not_measured"}  # not measured has its own part of the page


@dataclass(frozen=True)
class Follow:
    """Points that were given although an earlier exercise is wrong."""

    exercises: tuple[str, ...]  # titles
    points: float
    of: tuple[str, ...]  # titles


@dataclass(frozen=True)
class Again:
    """An exercise that repeats an earlier mistake: its points were given, but it is to change as well."""

    title: str
    symbol: str
    names: tuple[Rich, ...]  # of the mistake; several: nothing tells them apart
    anchor: str | None  # of the block that tells all about it
    points: float
    of: tuple[str, ...]  # titles
    line: Line | None


@dataclass(frozen=True)
class Part:
    """One exercise."""

    id: str
    anchor: str
    title: str
    symbol: str
    file: str
    sheet: str
    section: str
    status: Status
    points: float
    max_points: float
    blocks: tuple[Block, ...] = ()
    elsewhere: tuple[Block, ...] = ()  # shown under an earlier exercise
    right: tuple[Check, ...] = ()
    returns_nothing: bool = False


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
    """The one thing to look at first: a new hand-in, a fault of ours, a block, the next exercise to write, or
    nothing left."""

    hand_in: bool = False
    not_judged: bool = False
    block: Block | None = None
    write: Part | None = None


@dataclass(frozen=True)
class StudentView:
    """The whole page."""

    student: str
    graded: bool
    score: float
    max_score: float
    parts: tuple[Part, ...]
    first: First
    rest: tuple[Block, ...] = ()  # what else is to change
    follow: tuple[Follow, ...] = ()
    again: tuple[Again, ...] = ()
    waits: tuple[Wait, ...] = ()
    tips: tuple[Block, ...] = ()  # cost no points
    faults: tuple[Ours, ...] = ()
    undecided: tuple[Ours, ...] = ()
    nothing: bool = False  # nothing was handed in
    by_hand: bool = False  # there is no result at all, only what a person has decided
    notebook: bool = False
    problems: tuple[Rich, ...] = ()
    flags: tuple[Rich, ...] = ()
    flags_cost: bool = False  # whether one of them says why something is missing
    footer: dict[str, str] = field(default_factory=dict)

    def having(self, *wanted: Status) -> list[Part]:
        """The exercises in one of these states."""
        return [p for p in self.parts if p.status in wanted]


def student_view(result: SubmissionResult, say: Texts, mistakes: MistakeTexts) -> StudentView:
    """Everything the page says, in its order."""
    found = why.causes(result, say.assignment)
    code = {x.exercise: x.shown["code"] for x in reversed(result.tests) if "code" in x.shown}
    top = why.first(found, result, say.assignment)
    order = sorted(range(len(found)), key=lambda i: (found[i] is not top, found[i].tip))  # as on the page
    made = [
        block(found[i], i, say, mistakes, code.get(found[i].tests[0].exercise), result.notebook)
        for i in order
    ]
    blocks = {id(found[i]): b for i, b in zip(order, once(made), strict=True)}
    parts = tuple(
        _part(e, result, say, [(c, blocks[id(c)]) for c in found if not c.tip])
        for e in say.assignment.exercises
    )
    todo = next((p for p in parts if p.status == "not_written"), None)
    credited = [x for x in result.tests if x.follow_through and x.points]
    named = [(frozenset(c.tests[0].mistakes), blocks[id(c)]) for c in found if c.kind == "mistake"]
    first = _first(result, blocks[id(top)] if top else None, todo)
    return StudentView(
        student=result.student,
        graded=result.graded,
        score=result.score,
        max_score=result.max_score,
        parts=parts,
        first=first,
        rest=tuple(b for c in found if not c.tip and (b := blocks[id(c)]) is not first.block),
        follow=_follow([x for x in credited if not why.again(x, say.assignment)], say),
        again=_again([x for x in credited if why.again(x, say.assignment)], named, say, mistakes),
        waits=_waits(result, say),
        tips=tuple(blocks[id(c)] for c in found if c.tip),
        faults=_ours(result, Verdict.GRADER_FAULT, say) if result.graded else (),
        undecided=_ours(result, Verdict.NOT_MEASURED, say),
        notebook=result.notebook,
        by_hand=not result.tests and not result.kit.version,
        nothing=any(p.nothing_handed_in for p in result.problems),
        problems=tuple(problem(p, say) for p in _not_read(result)),
        flags=tuple(flag(f, say) for f in result.flags if text_id("flag", f.id) not in BETWEEN_PEOPLE),
        flags_cost=any(f.id in ("notebook.not_found", "notebook.syntax") for f in result.flags),
        footer={"version": result.kit.version, "isolation": result.isolation, **result.kit.packages},
    )


def _not_read(result: SubmissionResult) -> list[Problem]:
    """What the student can mend by handing it in again."""
    return [
        p
        for p in result.problems
        if not p.nothing_handed_in and not text_id("problem", p.id).startswith("problem.grader.")
    ]


def _first(result: SubmissionResult, block: Block | None, todo: Part | None) -> First:
    if result.tests and not result.graded:
        return First(not_judged=True)
    if not result.graded or (_not_read(result) and all(not_written(x) for x in result.tests)):
        return First(hand_in=True)
    return First(block=block) if block else First(write=todo)


def _part(
    exercise: Exercise,
    result: SubmissionResult,
    say: Texts,
    found: list[tuple[Cause, Block]],
) -> Part:
    tests = [x for x in result.tests if x.exercise == exercise.id]
    state: Status = why.status(tests, say.assignment) if tests else "not_written"
    return Part(
        id=exercise.id,
        anchor=f"exercise-{exercise.id}",
        title=title(exercise.id, say),
        symbol=exercise.symbols[0],
        file=exercise.file,
        sheet=exercise.sheet,
        section=exercise.section,
        status=state,
        points=sum(x.points for x in tests),
        max_points=sum(x.max_points for x in tests) or exercise.points,
        blocks=tuple(b for c, b in found if c.exercises[0] == exercise.id),
        elsewhere=tuple(b for c, b in found if exercise.id in c.exercises[1:]),
        right=tuple(
            check(x, say) for x in tests if x.verdict is Verdict.PASSED and not why.again(x, say.assignment)
        ),
        returns_nothing=any(x.message and x.message.params.get("returned") for x in tests if not_written(x)),
    )


def _follow(credited: list[TestResult], say: Texts) -> tuple[Follow, ...]:
    """Credit, one entry for the same earlier exercises."""
    groups: dict[tuple[str, ...], list[TestResult]] = {}
    for test in credited:
        groups.setdefault(tuple(test.follow_through_of), []).append(test)
    return tuple(
        Follow(
            exercises=tuple(title(e, say) for e in dict.fromkeys(x.exercise for x in tests)),
            points=sum(x.points for x in tests),
            of=tuple(title(e, say) for e in of),
        )
        for of, tests in groups.items()
    )


def _again(
    credited: list[TestResult],
    named: list[tuple[frozenset[str], Block]],
    say: Texts,
    mistakes: MistakeTexts,
) -> tuple[Again, ...]:
    """One entry an exercise. `named`: the mistakes of each block that names some."""
    found = []
    for exercise in (e for e in say.assignment.exercises if any(x.exercise == e.id for x in credited)):
        tests = [x for x in credited if x.exercise == exercise.id]
        ids = tests[0].mistakes
        block = next((b for known, b in named if known & set(ids)), None)
        texts = [text for text in (mistakes(m, say) for m in ids) if text]
        found.append(
            Again(
                title=title(exercise.id, say),
                symbol=exercise.symbols[0],
                names=tuple(told(text, {}, say).name for text in texts),
                anchor=block.anchor if block else None,
                points=sum(x.points for x in tests),
                of=tuple(title(e, say) for e in tests[0].follow_through_of),
                line=shown(tests[0].shown, exercise.id, say).line,
            )
        )
    return tuple(found)


def _waits(result: SubmissionResult, say: Texts) -> tuple[Wait, ...]:
    groups: dict[Rich, dict[str, None]] = {}
    told: set[str] = set()  # of several reasons the first is enough
    for test in result.tests:
        skipped = missed(test) and test.verdict is Verdict.SKIPPED and not why.without_substance(test)
        if skipped and test.exercise not in told:
            told.add(test.exercise)
            groups.setdefault(message(test.message, say), {})[title(test.exercise, say)] = None
    return tuple(Wait(tuple(exercises), reason) for reason, exercises in groups.items())


def _ours(result: SubmissionResult, verdict: Verdict, say: Texts) -> tuple[Ours, ...]:
    return tuple(
        Ours(
            title(x.exercise, say),
            concept(x, say),
            message(x.message, say),
            x.max_points,
        )
        for x in result.tests
        if x.verdict is verdict
    )
