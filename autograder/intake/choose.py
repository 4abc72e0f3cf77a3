"""Which of a submission's files are the exercises. Generous with names, never guessing between two."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from autograder.intake.entries import Entry
from autograder.intake.names import EXPECTED, FILES, NOTEBOOK, meant
from autograder.results import Flag, Problem

Params = dict[str, JsonValue]
_SHOWN = 6  # names of a long list that a person gets to see


@dataclass
class Choice:
    """`taken` maps an exercise's file name to the entry that is graded as it."""

    taken: dict[str, Entry] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    beside: dict[str, list[Entry]] = field(default_factory=dict)  # copies of what was taken, by other names

    def instead(self, target: str, worked_on: Sequence[Entry]) -> None:
        """What was taken is the exercise as it was handed out; the work lies in a copy beside it."""
        self.flags = [f for f in self.flags if f.id != "also_there" or f.params["file"] != target]
        del self.taken[target]
        self.only_one(target, worked_on)

    def only_one(self, target: str, candidates: Sequence[Entry]) -> None:
        """Takes the one that is there by another name; which of several is left to a person."""
        if len(candidates) == 1:
            self.taken[target] = candidates[0]
            self.flags.append(Flag(id="read_as", params={"found": candidates[0].shown, "file": target}))
        else:
            params: Params = {"file": target, "found": _names(candidates)}
            self.problems.append(Problem(id="file.several", params=params))


def choose(entries: Sequence[Entry]) -> Choice:
    """Takes, for every exercise file, the entry that is meant by it; says where it is not the plain name."""
    choice = Choice()
    by_target: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        target = meant(entry.name)
        if target is not None:
            by_target[target].append(entry)
    if NOTEBOOK not in by_target and not any(f in by_target for f in FILES):
        notebooks = [e for e in entries if e.name.casefold().endswith(".ipynb")]
        if notebooks:  # a notebook by any name, when there is nothing else
            by_target[NOTEBOOK] = notebooks
    home = _home(by_target)
    for target in EXPECTED:
        if target in by_target:
            _take(target, by_target[target], home, choice)
    if not by_target:
        choice.problems.append(_nothing(entries))
    return choice


def _home(by_target: dict[str, list[Entry]]) -> tuple[str, ...]:
    """The folder with the most exercise files; of equals the one called exercises, then the outermost."""
    count: Counter[tuple[str, ...]] = Counter()
    for found in by_target.values():
        count.update({entry.path[:-1] for entry in found})
    return min(
        count,
        key=lambda f: (-count[f], f[-1:] != ("exercises",), len(f), f),
        default=(),
    )


def _take(target: str, found: list[Entry], home: tuple[str, ...], choice: Choice) -> None:
    candidates = [e for e in found if e.path[:-1] == home] or found
    exact = [e for e in candidates if e.name == target]
    if len(exact) != 1:
        choice.only_one(target, candidates)
        return
    choice.taken[target] = exact[0]
    others = [e for e in candidates if e is not exact[0]]
    if others:  # "heads (1).py" beside heads.py is often the newer one: a person may want to know
        choice.flags.append(Flag(id="also_there", params={"file": target, "others": _names(others)}))
        choice.beside[target] = others


def _nothing(entries: Sequence[Entry]) -> Problem:
    if not entries:
        return Problem(id="folder.empty", params={})
    params: Params = {"found": _names(entries), "expected": ", ".join(EXPECTED)}
    return Problem(id="folder.unknown", params=params)


def _names(entries: Sequence[Entry]) -> str:
    shown = ", ".join(e.shown for e in entries[:_SHOWN])
    return shown + (", …" if len(entries) > _SHOWN else "")
