"""Results' ids and parameters in words: concepts, messages, problems, flags, titles, points."""

from __future__ import annotations

from pydantic import JsonValue

from autograder.feedback.rich import Rich, capital
from autograder.feedback.texts import Texts
from autograder.results import Flag, Message, Problem, TestResult


def text_id(kind: str, id: str) -> str:
    """One name for a flag or problem: not_allowed and flag.not_allowed are the same."""
    return id if id.startswith(f"{kind}.") else f"{kind}.{id}"


def problem(said: Problem, say: Texts) -> Rich:
    """Why something could not be read or graded."""
    return say.rich(text_id("problem", said.id), said.params)


def flag(said: Flag, say: Texts) -> Rich:
    """Something for a person to look at."""
    return say.rich(text_id("flag", said.id), said.params)


def flag_for_instructor(said: Flag, say: Texts) -> Rich:
    """The same, as the class page says it."""
    id = f"class.{text_id('flag', said.id)}"
    return say.rich(id, said.params) if say.known(id) else flag(said, say)


def concept(test: TestResult, say: Texts) -> Rich:
    """The concept in the student's language; as the test itself says it where there is no text."""
    id = f"concept.{test.id}"
    return capital(say.rich(id) if say.known(id) else say.rich("concept", {"text": test.concept}))


def message(said: Message | None, say: Texts) -> Rich:
    """A result's message as a sentence; exercises are called by their titles."""
    if said is None:
        return ()
    params: dict[str, JsonValue] = dict(said.params)
    order = params.get("order")
    if isinstance(order, list):  # axes by name
        params["order"] = [axis(str(a), say) for a in order]
    name = params.get("exercise")
    if isinstance(name, str):
        params["exercise"] = title(name, say)
    return say.rich(said.id, params)


def axis(name: str, say: Texts) -> str:
    """The name of an axis in words; as it is where there are none."""
    return say(f"axis.{name}") if say.known(f"axis.{name}") else name


def title(exercise: str, say: Texts) -> str:
    """An exercise's title; its id when course.toml does not know it."""
    try:
        return say.assignment[exercise].title.get(say.lang) or exercise
    except KeyError:
        return exercise
