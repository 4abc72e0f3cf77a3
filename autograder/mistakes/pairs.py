"""Two mistakes in one submission, in different exercises: are both named, and nothing that is not there?

    python -m autograder.mistakes.pairs                        a sample of 300
    python -m autograder.mistakes.pairs --sample 1000 --jobs 2
    python -m autograder.mistakes.pairs --all --keep FILE      every pair; goes on where it was stopped

Every pair is handed in twice: as the catalogue has the mistakes (attention and cache write everything out),
and in code that calls the earlier exercises wherever it can, as the exercises ask for. The judge's own
phases run, without a clock; exit code 1 when one in twenty is not named right, or anything is named that is
not there.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import torch

from autograder.course import Course, load_course
from autograder.hidden.directly import hidden_tests
from autograder.identity import kit_of
from autograder.intake.submission import Submission
from autograder.judge import grade
from autograder.mistakes.diagnosis import COSTLY
from autograder.mistakes.entries import catalogue
from autograder.mistakes.planted import Planted, calling, plant, together
from autograder.mistakes.remembering import Here, Memory, RememberingCase, right_files

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


def planted(course: Course) -> list[Planted]:
    """The first variant of every mistake in every exercise where it can happen.

    Without those that only a clock can see: their code is right.
    """
    files = {e.id: e.file for e in course.exercises}
    every = [p for id, entry in catalogue().items() if id not in COSTLY for p in plant(entry, files)]
    order = [e.id for e in course.exercises]
    return sorted((p for p in every if p.number == 0), key=lambda p: order.index(p.exercise))


def all_pairs(course: Course) -> list[Pair]:
    """All pairs in different exercises, written out, and then calling the earlier exercises."""
    as_they_are = planted(course)
    found = []
    for form in (as_they_are, [calling(p) for p in as_they_are]):
        found += [(a, b) for a, b in combinations(form, 2) if a.exercise != b.exercise]
    return list(dict.fromkeys(found))


def name_of(pair: Pair) -> str:
    """The pair in words: the key under which its answer is kept."""
    form = " (calling)" if any(p.calls for p in pair) else ""
    return " + ".join(f"{p.mistake} in {p.exercise}" for p in pair) + form


def names(planted: Collection[Planted], course: Course, memory: Memory | None, whole: bool = False) -> Names:
    """What the judge says of a submission with these mistakes.

    Only tests of their exercises are run, and of those that they need; `whole`: all of them.
    """
    exercises = {p.exercise for p in planted}
    exercises |= {e for p in planted for e in course.needed_by(p.exercise)}
    only = {id for id, (_, mark) in hidden_tests(course).items() if mark["exercise"] in exercises}
    texts = {f: t.replace("from solutions.", "from exercises.") for f, t in together(planted).items()}
    files = {**right_files(), **{file: text.encode() for file, text in texts.items()}}
    case = RememberingCase(
        Submission("pair", files),
        course,
        Here(),
        timing=False,
        only=None if whole else frozenset(only),
        memory=memory,
    )
    failing = [t for t in grade(case).tests if t.mistakes or not t.verdict.earns]
    return {t.exercise: tuple(t.mistakes) for t in failing}


def judged(pair: Pair, course: Course, memory: Memory | None, whole: bool = False) -> Said:
    """One pair. A mistake's equals, which cannot be told from it on any input, may be named with it."""
    found = names(pair, course, memory, whole)
    first, second = (_how(p, found, course) for p in pair)
    there = {m for p in pair for m in (p.mistake, *alone(p, course).get(p.exercise, ()))}
    invented = [f"{m} in {e}" for e, called in found.items() for m in called if m not in there]
    return Said(name_of(pair), (first, second), tuple(invented))


def _how(one: Planted, found: Names, course: Course) -> str:
    called = found.get(one.exercise)
    if called is None:
        return "undone" if one.exercise in alone(one, course) else "unseen"
    if one.mistake in called:
        return "right"
    return "misnamed" if called else "unnamed"


_ALONE: dict[Planted, Names] = {}


def alone(one: Planted, course: Course) -> Names:
    """What a mistake is called that is the only one."""
    if one not in _ALONE:
        _ALONE[one] = names([one], course, _memory())
    return _ALONE[one]


@cache
def _memory() -> Memory:
    return Memory()


def measure(pairs: Sequence[Pair], course: Course, jobs: int = 1) -> Iterator[Said]:
    """Judges pair by pair, in as many processes."""
    torch.set_num_threads(1)
    if jobs == 1:
        yield from (judged(pair, course, _memory()) for pair in pairs)
        return
    with ProcessPoolExecutor(jobs, initializer=torch.set_num_threads, initargs=(1,)) as pool:
        chunks = [(pairs[i : i + 50], course) for i in range(0, len(pairs), 50)]
        for said in pool.map(_some, chunks):
            yield from said


def _some(chunk: tuple[Sequence[Pair], Course]) -> list[Said]:
    pairs, course = chunk
    return [judged(pair, course, _memory()) for pair in pairs]


class Kept:
    """Answers in a file, one a line; the first line says which kit gave them."""

    def __init__(self, path: Path | None, course: Course) -> None:
        self._path, self.said = path, dict[str, Said]()
        kit = kit_of({}, course).hashes
        self._first = hashlib.sha256(json.dumps(kit, sort_keys=True).encode()).hexdigest()[:16]
        if path is None:
            return
        first, *lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else [""]
        for line in lines if first == self._first else ():
            with contextlib.suppress(ValueError):  # the last one may be half a line, when it was stopped
                pair, each, invented = json.loads(line)
                self.said[pair] = Said(pair, tuple(each), tuple(invented))
        lines = [self._first, *map(_line, self.said.values())]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def add(self, said: Said) -> None:
        """One more."""
        self.said[said.pair] = said
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(_line(said) + "\n")


def _line(said: Said) -> str:
    return json.dumps([said.pair, said.each, said.invented])


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        prog="python -m autograder.mistakes.pairs",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--all", action="store_true", help="every pair")
    parser.add_argument("--sample", type=int, default=300, metavar="N", help="so many of them (300)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (1)")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="keep the answers there, and go on from them"
    )
    options = parser.parse_args(arguments)
    course = load_course()
    pairs = all_pairs(course)
    if not options.all:
        pairs = random.Random(4).sample(pairs, min(options.sample, len(pairs)))
    kept = Kept(options.keep, course)
    todo = [pair for pair in pairs if name_of(pair) not in kept.said]
    start = last = time.monotonic()
    for done, said in enumerate(measure(todo, course, options.jobs), 1):
        kept.add(said)
        if not said.fine:
            print(f"{said.pair}: {', '.join(said.each)}; {', '.join(said.invented)}", flush=True)
        if time.monotonic() - last > 30:
            last = time.monotonic()
            left = (last - start) / done * (len(todo) - done) / 60
            print(f"{done} of {len(todo)}, {left:.0f} minutes left", file=sys.stderr, flush=True)
    lines, good = told(kept.said[name_of(pair)] for pair in pairs)
    print(*lines, sep="\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
