"""autograder bench: how fast this kit grades here, as ratios measured in one run."""

from __future__ import annotations

from autograder.assignment import load_assignment
from autograder.batch.run import NotIsolated
from autograder.commands.errors import errors_in_words
from autograder.commands.options import Course
from autograder.commands.screen import console


def bench(
    course: Course = None,
) -> None:
    """Measure how many submissions a minute, and what the sandbox costs. Takes a minute or two."""
    with errors_in_words():
        from autograder.bench import measure
        from autograder.sandbox import NoIsolation

        out = console()
        try:
            with out.status("Measuring …"):
                b = measure(load_assignment(course))
        except NoIsolation as e:
            raise NotIsolated(str(e)) from None
        many = "" if b.jobs == 1 else f", {b.one_job / b.all_jobs:.1f} times as many as with one"
        out.print(f"Submissions a minute, {b.jobs} at a time   {60 / b.all_jobs:6.0f}{many}")
        out.print(f"One right submission                {b.whole:6.2f} s")
        out.print(f"… without the tests of speed        {b.without_timing:6.2f} s")
        times = b.without_timing / b.unprotected
        out.print(
            f"… the same without a sandbox        {b.unprotected:6.2f} s  the sandbox: {times:.1f} times"
        )
        cold = b.cold / b.without_timing
        out.print(f"… pytest started anew for each      {b.cold:6.2f} s  {cold:.1f} times as long")
