"""Results' ids and parameters in words: concepts, messages, problems, flags, titles, points."""

from __future__ import annotations

from pydantic import JsonValue

from autograder.assignment import Assignment, Language
from autograder.feedback.rich import Rich, capital
from autograder.feedback.texts import known, sentence, t
from autograder.results import Flag, Message, Problem, TestResult


def text_id(kind: str, id: str) -> str:
    """One name for a flag or problem: not_allowed and flag.not_allowed are the same."""
    return id if id.startswith(f"{kind}.") else f"{kind}.{id}"


def problem(said: Problem, lang: Language) -> Rich:
    """Why something could not be read or graded."""
    return sentence(text_id("problem", said.id), lang, said.params)


def flag(said: Flag, lang: Language) -> Rich:
    """Something for a person to look at."""
    return sentence(text_id("flag", said.id), lang, said.params)


def flag_for_instructor(said: Flag, lang: Language) -> Rich:
    """The same, as the class page says it."""
    id = f"class.{text_id('flag', said.id)}"
    return sentence(id, lang, said.params) if known(id) else flag(said, lang)


def concept(test: TestResult, lang: Language) -> Rich:
    """The concept in the student's language; as the test itself says it where there is no text."""
    id = f"concept.{test.id}"
    return capital(sentence(id, lang) if known(id) else sentence("concept", lang, {"text": test.concept}))


def message(said: Message | None, assignment: Assignment, lang: Language) -> Rich:
    """A result's message as a sentence; exercises are called by their titles."""
    if said is None:
        return ()
    params: dict[str, JsonValue] = dict(said.params)
    order = params.get("order")
    if isinstance(order, list):  # axes by name
        params["order"] = [t(f"axis.{a}", lang) if known(f"axis.{a}") else a for a in order]
    name = params.get("exercise")
    if isinstance(name, str):
        params["exercise"] = title(name, assignment, lang)
    return sentence(said.id, lang, params)


def title(exercise: str, assignment: Assignment, lang: Language) -> str:
    """An exercise's title; its id when course.toml does not know it."""
    try:
        return assignment[exercise].title.get(lang) or exercise
    except KeyError:
        return exercise


def points(value: float, lang: Language) -> str:
    """Points: at most two decimals, with the language's comma."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return text.replace(".", ",") if lang == "pt-BR" else text
