"""make campaign: points earned against points deserved, for answers without an idea and for attacks.

python -m tests.campaign [PART OF A NAME…]     exit code 1 if anything earns more than it deserves
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from autograder.assignment import load_assignment
from autograder.grading.judge import judge
from autograder.intake import Submission
from autograder.sandbox import Sandbox
from tests.campaign.attacks import as_handed_in, attacks
from tests.campaign.bodies import HEADS, handed_in, names, themes
from tests.campaign.deserved import TOGETHER, deserved, earned_by
from tests.chapter04.grading import case_of

Line = tuple[str, float, float]
Wanted = Callable[[str], bool]


def without_an_idea(wanted: Wanted) -> Iterator[Line]:
    """Every body alone, everything else right; then one idea for all exercises. In this process."""
    for exercise in HEADS:
        for name in names(exercise):
            if wanted(f"{exercise}: {name}"):
                points = earned_by(case_of(handed_in({exercise: name})))
                yield f"{exercise}: {name}", *deserved(exercise, name, points)
    for theme, chosen in themes().items():
        if wanted(f"all: {theme}"):
            yield f"all: {theme}", sum(earned_by(case_of(handed_in(chosen))).values()), TOGETHER


def thieves(wanted: Wanted) -> Iterator[Line]:
    """Every attack, in the sandbox."""
    assignment = load_assignment()
    with Sandbox(assignment) as sandbox:
        for attack in attacks():
            if wanted(attack.name):
                files = as_handed_in(attack.files)
                result = judge(Submission(attack.name, files), assignment, sandbox, timing=False)
                yield attack.name, sum(result.points_of(e) for e in attack.thieves), 0.0


def main(parts: list[str]) -> int:
    """Prints one line each, and how many earn more than they deserve."""
    count = too_much = 0

    def wanted(name: str) -> bool:
        return not parts or any(part in name for part in parts)

    for lines in (without_an_idea(wanted), thieves(wanted)):
        for name, earned, limit in lines:
            count += 1
            too_much += earned > limit
            more = "   TOO MUCH" if earned > limit else ""
            print(f"{earned:6.1f} of {limit:5.1f}  {name}{more}", flush=True)
    print(f"{too_much} of {count} earn more than they deserve")
    return int(too_much > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
