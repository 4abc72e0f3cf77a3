"""How long one submission may take, all phases together."""

from __future__ import annotations

import os
from dataclasses import dataclass, field


def _ours() -> float:
    """CPU seconds of this process, and of processes that it started and that have ended."""
    now = os.times()
    return now.user + now.system + now.children_user + now.children_system


@dataclass
class Patience:
    """Of `seconds` is taken what the submission's workers worked or kept us waiting, and what the judge
    computed for it. Time in which this machine was busy with others is not: no grade may hang on it."""

    seconds: float
    spent: float = 0.0  # by workers, and before
    _began: float = field(default_factory=_ours)

    @property
    def left(self) -> float:
        """Seconds that are left; may be below 0."""
        return self.seconds - self.spent - (_ours() - self._began)

    @property
    def used_up(self) -> bool:
        """Whether nothing more is to be begun."""
        return self.left <= 0


class Queue:
    """How long a thread was ready to run and had no CPU, by the kernel's word."""

    def __init__(self, path: str = "/proc/thread-self/schedstat") -> None:
        """path: the kernel's file about the thread; by default about the one that is running."""
        try:
            self._file: int | None = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._file = None

    def seconds(self) -> float:
        """Since it began; 0 where the kernel does not say."""
        if self._file is None:
            return 0.0
        try:
            return int(os.pread(self._file, 200, 0).split()[1]) / 1e9
        except (OSError, ValueError, IndexError):
            return 0.0

    def close(self) -> None:
        """Once for all."""
        if self._file is not None:
            os.close(self._file)
            self._file = None  # the number may soon be another file's
