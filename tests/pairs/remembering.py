"""The judge's phases over code of this repository, quick enough for tens of thousands of submissions.

What a hidden test or a diagnosis says of an exercise follows from the code that it can reach: the exercise's
own, and that of the exercises it names, and so on. Where that code is the same, the answer is not worked out
again. So two mistakes of which neither exercise reaches the other are not judged together at all: the
answers of each alone are used. (tests/pairs/test_pairs.py compares with judging everything anew.)
"""

from __future__ import annotations

import ast
import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from typing import TypeVar

from autograder.assignment import Assignment, load_assignment
from autograder.checks.directly import hidden_tests, run_directly
from autograder.checks.outcome import Outcome
from autograder.diagnosis.diagnosis import Diagnosis
from autograder.grading.judge import Case
from autograder.grading.standins import NOBODY, StandIns, stand_ins
from autograder.sandbox import Sandbox, reference_files

Reached = tuple[tuple[str, str], ...]  # symbol and its source, for everything that can be reached
Key = tuple[str, str, Reached]
T = TypeVar("T")


class Here(Sandbox):
    """Submissions run in this process, also where they could be isolated: ours are no strangers'."""

    def __init__(self, assignment: Assignment) -> None:
        super().__init__(assignment, "unsafe")
        self._in_process = True


@dataclass
class Memory:
    """Answers that were worked out before. The oldest go when there are `most`."""

    most: int = 4000
    kept: OrderedDict[Key, object] = field(default_factory=OrderedDict)

    def get(self, key: Key, work_out: Callable[[], T]) -> T:
        """The answer of that key."""
        if key in self.kept:
            self.kept.move_to_end(key)
        else:
            self.kept[key] = work_out()
            if len(self.kept) > self.most:
                self.kept.popitem(last=False)
        return self.kept[key]  # type: ignore[return-value]  # a key is asked for one kind of answer


@dataclass
class RememberingCase(Case):
    """A Case whose sandbox is `Here`. Without a memory everything is worked out."""

    memory: Memory | None = None

    def _run(self, only: Collection[str] | None, replaced: StandIns = NOBODY) -> list[Outcome]:
        wanted = [
            (id, mark["exercise"])
            for id, (_, mark) in hidden_tests(self.assignment).items()
            if (only is None or id in only) and (self.timing or not mark["timing"])
        ]
        found: dict[str, Outcome] = {}
        for exercise in dict.fromkeys(exercise for _, exercise in wanted):
            ask = partial(self._tests_of, exercise, replaced)
            found.update((o.id, o) for o in self._remembered("tests", exercise, replaced, ask))
        return [found[id] for id, _ in wanted]

    def _tests_of(self, exercise: str, replaced: StandIns) -> list[Outcome]:
        """All hidden tests of an exercise."""
        own = {id for id, (_, mark) in hidden_tests(self.assignment).items() if mark["exercise"] == exercise}
        return run_directly(self.assignment, self.student(replaced), only=own, timing=self.timing)

    def diagnosis(self, exercise: str, earlier: tuple[str, ...]) -> Diagnosis:
        """See Case. Which of several lines is the student's own is remembered with it: look at names only."""
        ask = partial(super().diagnosis, exercise, earlier)
        return self._remembered("diagnosis", exercise, stand_ins(exercise, earlier, self.assignment), ask)

    def _remembered(self, what: str, exercise: str, replaced: StandIns, work_out: Callable[[], T]) -> T:
        if self.memory is None:
            return work_out()
        key = (f"{what} {self.timing}", exercise, reached(self.files, exercise, replaced, self.assignment))
        return self.memory.get(key, work_out)


def reached(files: Mapping[str, bytes], exercise: str, replaced: StandIns, assignment: Assignment) -> Reached:
    """Every symbol that tests of the exercise can reach, with its source."""
    home = assignment.symbols
    # A module is made by the test itself and handed to the exercise's code.
    modules = [
        s for e in assignment.needed_by(exercise) for s in assignment[e].symbols if s in assignment.modules
    ]
    found: dict[str, str] = {}
    todo = [*assignment[exercise].symbols, *modules]
    while todo:
        symbol = todo.pop()
        if symbol not in found:
            if symbol in replaced.stubs:
                found[symbol] = "raise NotImplementedError"
                continue
            source = (right_files() if symbol in replaced.right else files)[home[symbol]]
            found[symbol] = definition(source, symbol, frozenset(home))
            todo += [name for name in re.findall(r"\w+", found[symbol]) if name in home]
    return tuple(sorted(found.items()))


@cache
def right_files() -> Mapping[str, bytes]:
    """The solutions as a submission's files."""
    return reference_files(load_assignment())


@lru_cache(maxsize=4000)
def definition(source: bytes, symbol: str, symbols: frozenset[str]) -> str:
    """The last definition of a symbol, and whatever else stands in the file that is no other symbol's."""
    lines = source.decode().splitlines()
    own, others = "", []
    for node in ast.parse(source).body:
        name = getattr(node, "name", "")
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        text = "\n".join(lines[first - 1 : node.end_lineno])
        if name == symbol:
            own = text
        elif name not in symbols and not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr):
            others.append(text)
    return "\n".join([*others, own])
