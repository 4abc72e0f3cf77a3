"""One reason for missed points, as a block of the student's page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import JsonValue, ValidationError

from autograder.feedback.causes import Cause
from autograder.feedback.mistake_texts import MistakeTexts, Told, told
from autograder.feedback.own_code import CodeLine, code_around
from autograder.feedback.rich import Rich
from autograder.feedback.shown import Line, Shown, line, shown
from autograder.feedback.snippet import snippet
from autograder.feedback.texts import Texts
from autograder.feedback.wording import concept, message, title
from autograder.results import Message, TestResult

T = TypeVar("T")
_NUMBER = re.compile(r"\d\.\d|\d[eE][+-]?\d")  # a value, not a size or a position


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
    symbol: str  # of the first of them
    points: float
    checks: tuple[Check, ...]
    mistakes: tuple[Told, ...]
    intro: tuple[Rich, ...]  # what can be said for certain, without a known mistake
    hints: tuple[Rich, ...]  # the exercise's own, where no mistake brings any
    section: str  # of the chapter
    line: Line | None
    code: tuple[CodeLine, ...]  # the student's own function around that line
    shown: Shown
    snippet: str  # that example, to be pasted and run


def check(test: TestResult, say: Texts) -> Check:
    """A test as a page tells it."""
    return Check(test.id, concept(test, say), message(test.message, say), test.points, test.max_points)


def block(
    cause: Cause,
    number: int,
    say: Texts,
    mistakes: MistakeTexts,
    code: JsonValue = None,
    notebook: bool = False,
) -> Block:
    """code: the student's own function, as it is in a result."""
    lead = next((x for x in cause.tests if x.shown), cause.tests[0])
    params = dict(lead.message.params) if lead.message else {}
    extra = lead.shown.get("params")
    if isinstance(extra, dict):
        params |= extra
    ids = lead.mistakes if cause.kind == "mistake" else []
    texts = [text for text in (mistakes(m, say) for m in ids) if text]
    known_ones = tuple(told(text, params, say) for text in texts)
    example = shown(lead.shown, lead.exercise, say)
    intro = _intro(cause, lead, known_ones, say)
    line = example.line or _line(lead.message)
    return Block(
        anchor=f"look-{number + 1}",
        kind=cause.kind,
        title=_title(cause, known_ones, say),
        exercises=tuple(title(e, say) for e in cause.exercises),
        points=cause.points,
        symbol=say.assignment[cause.exercises[0]].symbols[0],
        checks=_checks(cause, intro, say),
        mistakes=known_ones,
        intro=intro,
        hints=() if known_ones or cause.tip or cause.kind == "load" else _hints(cause.exercises[0], say),
        section=say.assignment[cause.exercises[0]].section,
        line=line,
        code=code_around(line, code) if line else (),
        shown=example,
        snippet=snippet(lead.shown, say.assignment, notebook=notebook),
    )


def once(blocks: Sequence[Block]) -> list[Block]:
    """The blocks without what an earlier one has said: what a kind of error means, how a picture is read."""
    told: set[object] = set()

    def new(text: T, none: T) -> T:
        known = text in told
        told.add(text)
        return none if known else text

    found = []
    for b in blocks:
        intro = tuple(said for said in b.intro if new(said, ()))
        drawn = b.shown.pictures
        if drawn:
            drawn = replace(drawn, about=new(drawn.about, ""), legend=new(drawn.legend, ""))
        found.append(replace(b, intro=intro or b.intro[-1:], shown=replace(b.shown, pictures=drawn)))
    return found


def _checks(cause: Cause, said: Sequence[Rich], say: Texts) -> tuple[Check, ...]:
    """The tests; where nothing better is known with what each found, unless that was said before."""
    found, told = [], {(), *said}
    for test in cause.tests:
        one = check(test, say)
        found.append(
            replace(one, message=() if cause.kind != "unknown" or one.message in told else one.message)
        )
        told.add(one.message)
    return tuple(found)


def _title(cause: Cause, known_ones: tuple[Told, ...], say: Texts) -> Rich:
    symbol = say.assignment[cause.exercises[0]].symbols[0]
    params = {**(cause.tests[0].message.params if cause.tests[0].message else {}), "symbol": symbol}
    if len(known_ones) == 1:
        return known_ones[0].name
    if known_ones:
        return say.rich("block.several", params)
    return say.rich(f"block.{cause.kind}", params)


def _intro(cause: Cause, lead: TestResult, known_ones: tuple[Told, ...], say: Texts) -> tuple[Rich, ...]:
    """The top of a block that names no mistake: what happened, and what that kind of thing means."""
    said: list[Rich] = []
    if known_ones:
        return ()
    if cause.kind in ("load", "raised", "timeout", "died", "bad_reply"):
        said.append(message(_without_hidden_numbers(lead), say))
    kind = lead.message.params.get("kind") if lead.message else None
    if cause.kind in ("load", "raised") and isinstance(kind, str) and say.known(f"explain.{kind}"):
        said.append(say.rich(f"explain.{kind}"))
    if cause.kind == "unknown":
        said.append(say.rich("block.unknown.text"))
    said.append(_certain(lead, say) or message(_without_hidden_numbers(lead), say))
    return tuple(dict.fromkeys(s for s in said if s))


def _hints(exercise: str, say: Texts) -> tuple[Rich, ...]:
    """A question, the concept, the operation: the same as the self-check's."""
    ids = [f"hint.{exercise}.{n}" for n in (1, 2, 3)]
    return tuple(say.rich(id) for id in ids if say.known(id))


def _without_hidden_numbers(test: TestResult) -> Message | None:
    """The message; what an error said about a hidden input gives way to what it said about the public one."""
    said, got = test.message, test.shown.get("got")
    if said is None or said.id != "raised":
        return said
    text = str(said.params.get("text", ""))
    if isinstance(got, dict) and got.get("exception") == said.params.get("kind") and not got.get("kept_back"):
        text = str(got.get("text", ""))
    elif len(text) > 200 or _NUMBER.search(text):
        text = ""
    return Message(id=said.id, params={**said.params, "text": text})


def _certain(lead: TestResult, say: Texts) -> Rich:
    """What the diagnosis can say for certain."""
    try:
        return message(Message.model_validate(lead.shown["certain"]), say)
    except (KeyError, ValidationError):
        return ()


def _line(said: Message | None) -> Line | None:
    if said is None:
        return None
    p = said.params
    text = p.get("line_text")
    return line({**p, "text": text}) if text else None
