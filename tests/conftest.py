import os
from pathlib import Path

import pytest

# Before torch is imported. Two test processes with two threads each would mostly wait for one another: ten
# times slower on two cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what comes out as what is expected (tests/golden): then read the difference",
    )


# Files that take long, the longest first: with two processes the last ones to start decide when all is done.
LONG = (
    "nbgrader/test_class.py", "grading/test_hostile.py", "nbgrader/",
    "exercises/test_same_as_hidden.py", "pairs/", "golden/", "exercises/test_hard_cases.py", "grading/",
    "exercises/", "promises/", "batch/", "lab/", "campaign/",
    "exporters/",
)  # fmt: skip


# Files in which one test has many cases of one kind, each of them a grading or two: every second case is one of
# endurance (`make campaign`). Who names a file and `-m ""` has them all.
MANY_CASES = (
    "promises/test_promises.py", "intake/test_forms.py", "chapter04/test_catalogue.py", "chapter04/test_wrong.py",
    "campaign/test_campaign.py", "chapter04/test_odd_values.py", "chapter04/test_absurd.py",
)  # fmt: skip
FEW = 8  # cases of a test of which all are run


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files of LONG come first, and keep their order among themselves (make test: --no-loadscope-reorder)."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.path.as_posix().endswith(MANY_CASES):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for some in cases.values():
        if len(some) > FEW:
            for item in some[1::2]:
                item.add_marker(pytest.mark.endurance)

    def place(item: pytest.Item) -> int:
        path = item.path.relative_to(HERE).as_posix() if item.path.is_relative_to(HERE) else ""
        return next((i for i, part in enumerate(LONG) if path.startswith(part)), len(LONG))

    items.sort(key=place)
