"""Two mistakes in one submission, in different exercises: are both named, and nothing that is not there?

Every pair is handed in twice: as the catalogue has the mistakes (attention and cache write everything out),
and in code that calls the earlier exercises wherever it can, as the exercises ask for. The judge's own
phases run, without a clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import torch

from autograder.assignment import Assignment
from autograder.chapter04.diagnosis.pictures import COSTLY
from autograder.checks.directly import hidden_tests
from autograder.diagnosis.entries import catalogue
from autograder.diagnosis.mutants import Planted, calling, plant, together
from autograder.grading.judge import grade
from autograder.intake.submission import Submission
from tests.pairs.remembering import Here, Memory, RememberingCase, right_files

ENOUGH = 0.95  # of the mistakes planted, named right
Pair = tuple[Planted, Planted]
Names = dict[str, tuple[str, ...]]  # exercise in which something fails -> what it was called


@dataclass(frozen=True)
class Said:
    """What one pair was called, and what of it is not there.

    For each of the two "right", "misnamed", "unnamed", or, where its exercise passes every test, "unseen" (it
    does also when the mistake is alone) or "undone" (by the other mistake: a mask turned round twice).
    """

    pair: str
    each: tuple[str, str]
    invented: tuple[str, ...] = ()

    @property
    def fine(self) -> bool:
        """Both named (if there is anything to name), and nothing else."""
        return set(self.each) <= {"right", "unseen", "undone"} and not self.invented


def planted(assignment: Assignment) -> list[Planted]:
    """The first variant of every mistake in every exercise where it can happen.

    Without those that only a clock can see: their code is right.
    """
    every = [
        p for id, entry in catalogue(assignment).items() if id not in COSTLY for p in plant(entry, assignment)
    ]
    order = [e.id for e in assignment.exercises]
    return sorted((p for p in every if p.number == 0), key=lambda p: order.index(p.exercise))


def all_pairs(assignment: Assignment) -> list[Pair]:
    """All pairs in different exercises, written out, and then calling the earlier exercises."""
    as_they_are = planted(assignment)
    found = []
    for form in (as_they_are, [calling(p) for p in as_they_are]):
        found += [(a, b) for a, b in combinations(form, 2) if a.exercise != b.exercise]
    return list(dict.fromkeys(found))


def name_of(pair: Pair) -> str:
    """The pair in words: the key under which its answer is kept."""
    form = " (calling)" if any(p.calls for p in pair) else ""
    return " + ".join(f"{p.mistake} in {p.exercise}" for p in pair) + form


def names(
    planted: Collection[Planted], assignment: Assignment, memory: Memory | None, whole: bool = False
) -> Names:
    """What the judge says of a submission with these mistakes.

    Only tests of their exercises are run, and of those that they need; `whole`: all of them.
    """
    exercises = {p.exercise for p in planted}
    exercises |= {e for p in planted for e in assignment.needed_by(p.exercise)}
    only = {id for id, (_, mark) in hidden_tests(assignment).items() if mark["exercise"] in exercises}
    texts = {f: t.replace("from solutions.", "from exercises.") for f, t in together(planted).items()}
    files = {**right_files(), **{file: text.encode() for file, text in texts.items()}}
    case = RememberingCase(
        Submission("pair", files),
        assignment,
        Here(assignment),
        timing=False,
        only=None if whole else frozenset(only),
        memory=memory,
    )
    failing = [t for t in grade(case).tests if t.mistakes or not t.verdict.earns]
    return {t.exercise: tuple(t.mistakes) for t in failing}


def judged(pair: Pair, assignment: Assignment, memory: Memory | None, whole: bool = False) -> Said:
    """One pair. A mistake's equals, which cannot be told from it on any input, may be named with it."""
    found = names(pair, assignment, memory, whole)
    first, second = (_how(p, found, assignment) for p in pair)
    there = {m for p in pair for m in (p.mistake, *alone(p, assignment).get(p.exercise, ()))}
    invented = [f"{m} in {e}" for e, called in found.items() for m in called if m not in there]
    return Said(name_of(pair), (first, second), tuple(invented))


def _how(one: Planted, found: Names, assignment: Assignment) -> str:
    called = found.get(one.exercise)
    if called is None:
        return "undone" if one.exercise in alone(one, assignment) else "unseen"
    if one.mistake in called:
        return "right"
    return "misnamed" if called else "unnamed"


def alone(one: Planted, assignment: Assignment) -> Names:
    """What a mistake is called that is the only one."""
    key = ("alone", one.exercise, ((one.mistake, one.source),))
    return _memory().get(key, lambda: names([one], assignment, _memory()))


@cache
def _memory() -> Memory:
    return Memory()


def measure(pairs: Sequence[Pair], assignment: Assignment, jobs: int = 1) -> Iterator[Said]:
    """Judges pair by pair, in as many processes."""
    torch.set_num_threads(1)
    if jobs == 1:
        yield from (judged(pair, assignment, _memory()) for pair in pairs)
        return
    with ProcessPoolExecutor(jobs, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        chunks = [(pairs[i : i + 50], assignment) for i in range(0, len(pairs), 50)]
        for said in pool.map(_some, chunks):
            yield from said


def _some(chunk: tuple[Sequence[Pair], Assignment]) -> list[Said]:
    pairs, assignment = chunk
    return [judged(pair, assignment, _memory()) for pair in pairs]


def told(said: Iterable[Said]) -> tuple[list[str], bool]:
    """The outcome in lines, and whether it is good enough."""
    every = list(said)
    count = Counter(one for s in every for one in s.each)
    right, mistakes = count["right"], 2 * len(every)
    invented = sum(bool(s.invented) for s in every)
    lines = [
        f"{len(every)} pairs: {sum(s.each == ('right', 'right') for s in every)} with both named right, "
        f"{sum(s.each.count('right') == 1 for s in every)} with one, "
        f"{sum('misnamed' in s.each for s in every)} with one misnamed, "
        f"{invented} with a name for something that is not there",
        f"{mistakes} mistakes planted: {right} named right ({right / max(1, mistakes):.2%}), "
        f"{count['misnamed']} misnamed, {count['unnamed']} not named, {count['undone']} undone by the other, "
        f"{count['unseen']} that no hidden test minds, also when they are alone",
    ]
    return lines, right >= ENOUGH * mistakes and not invented and not count["misnamed"]
