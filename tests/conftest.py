import os

import pytest

# Before torch is imported. Two test processes with two threads each would mostly wait for one another: ten
# times slower on two cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write what comes out as what is expected (tests/golden): then read the difference",
    )
