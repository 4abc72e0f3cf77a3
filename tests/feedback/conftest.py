"""Golden pages: `pytest tests/feedback --update-golden` writes them anew. Look at what changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.assignment import Assignment, load_assignment

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture(scope="session")
def assignment() -> Assignment:
    """The kit's own course, with a seed that pages must never show."""
    return load_assignment()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """golden(name, text): is the text, without its style sheet, what the golden file of that name holds?"""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        text = re.sub(r"<(style|script)>.*?</\1>", r"<\1></\1>", text, flags=re.DOTALL)
        text = re.sub(r"'sha256-[^']+'", "'sha256-'", text)
        if request.config.getoption("--update-golden", default=False):
            path.write_text(text, encoding="utf-8", newline="\n")
        assert path.exists(), f"{path.name} is missing; run pytest tests/feedback --update-golden"
        assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; see --update-golden"

    return compare
