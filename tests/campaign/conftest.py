"""Submissions go through the real thing, as in tests/judge."""

from tests.judge.conftest import grade, hand_in

__all__ = ["grade", "hand_in"]
