"""How much of what strangers made goes into a result: a bound for every parameter, and one for the whole.

The sandbox bounds what crosses the wire; this is the second bound, where results are made, so that no
result.json is large and no page slow, whatever a check put into its message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from pydantic import JsonValue

from autograder.results import Flag, Message, Problem, SubmissionResult

Told = TypeVar("Told", Message, Flag, Problem)

LARGEST = 1_000_000  # bytes of one result.json
MOST_TABLE_BYTES = 32 << 20  # of a roster, a gradebook or another table
ROOM = 100_000  # of them for what the layout of the file adds
TEXT, ITEMS, DEPTH = 1000, 64, 6  # of one parameter: characters, entries of a list or dict, levels
WHOLE = 1 << 63  # larger whole numbers are no counts of anything
# Of a result that is too large: flags, and problems, that are kept; of each, and of each message, so many
# parameters, which are so long.
MOST_TOLD, FEW, SHORT = 50, 8, 100


def value(given: JsonValue, depth: int = 0) -> JsonValue:
    """A parameter, cut where it is long, wide or deep."""
    if isinstance(given, str):
        return given if len(given) <= TEXT else given[: TEXT - 1] + "…"
    if isinstance(given, list):
        return ["…"] if depth == DEPTH else [value(one, depth + 1) for one in given[:ITEMS]]
    if isinstance(given, dict):
        kept = list(given.items())[: ITEMS if depth < DEPTH else 0]
        return {k[:TEXT]: value(v, depth + 1) for k, v in kept}
    if isinstance(given, int) and not -WHOLE <= given < WHOLE:
        return "…"
    return given


def params(given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """All parameters of a message."""
    return {name[:TEXT]: value(one) for name, one in list(given.items())[:ITEMS]}


def message(given: Message) -> Message:
    """A message with bounded parameters."""
    return Message(id=given.id, params=params(given.params))


def result(given: SubmissionResult) -> SubmissionResult:
    """The result, or as much of it as fits into LARGEST bytes: points and verdicts stay, what is shown goes
    first, then the parameters of messages, then what else was told."""
    if _fits(given):
        return given
    tests = [t.model_copy(update={"shown": {}, "fingerprint": _short(t.fingerprint)}) for t in given.tests]
    smaller = given.model_copy(update={"tests": tests})
    if _fits(smaller):
        return smaller
    tests = [t.model_copy(update={"message": t.message and _shorter(t.message)}) for t in tests]
    told = {"flags": _few(given.flags), "problems": _few(given.problems)}
    return given.model_copy(update={"tests": tests, **told})


def _fits(given: SubmissionResult) -> bool:
    # With its indents: what is nested deep takes more room in the file than its own characters.
    return len(given.model_dump_json(indent=1).encode("utf-8")) <= LARGEST - ROOM


def _short(text: str | None) -> str | None:
    return None if text is None else text[:SHORT]


def _few(given: Sequence[Told]) -> list[Told]:
    return [_shorter(one) for one in given[:MOST_TOLD]]


def _shorter(told: Told) -> Told:
    """The first few of its parameters, cut; no lists and the like."""
    some = list(told.params.items())[:FEW]
    few = [(k[:SHORT], value(v)) for k, v in some if not isinstance(v, list | dict)]
    kept: dict[str, JsonValue] = {k: v[:SHORT] if isinstance(v, str) else v for k, v in few}
    return told.model_copy(update={"params": kept})
