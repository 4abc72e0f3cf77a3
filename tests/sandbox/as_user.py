"""Run as a program by test_levels, as an ordinary user: what each sandbox says of itself and can do."""

import json
import sys

import torch

from autograder.assignment import load_assignment
from autograder.sandbox import NoIsolation, Sandbox, reference_files
from autograder.sandbox.probe import probe


def main(isolation: str) -> None:
    """Prints a line {"level", "way", "holes", "works"}, or {"refused"}."""
    try:
        with Sandbox(load_assignment(), isolation) as sandbox:  # type: ignore[arg-type]
            holes = [what for what, worked in probe(sandbox.running).items() if worked]
            with sandbox.student(reference_files(load_assignment())) as student:
                x = torch.arange(12.0).reshape(1, 2, 6)  # (12,) -> (1, 2, 6)
                works = student.merge_heads(student.split_heads(x, 3)).equal(x)
            print(json.dumps({"level": sandbox.level, "way": sandbox.way, "holes": holes, "works": works}))
    except NoIsolation as error:
        print(json.dumps({"refused": str(error)}))


for word in sys.argv[1:]:
    main(word)
