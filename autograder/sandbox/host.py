"""Where submissions run, as the judge's phases see it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from ..course import Limits
from ..results import Isolation
from .calls import BaseStudent
from .patience import Patience


class Host(Protocol):
    """Implemented by `sandbox.Sandbox` (locked-down processes) and by `nbgrader/kernel.py` (a notebook)."""

    @property
    def level(self) -> Isolation:
        """How well a submission is isolated."""

    def student(
        self,
        files: Mapping[str, bytes],
        replace: Mapping[str, bytes] | None = None,
        *,
        limits: Limits | None = None,
        hung: Collection[str] = (),
        patience: Patience | None = None,
    ) -> BaseStudent:
        """One submission. See `sandbox.Sandbox.student`."""
