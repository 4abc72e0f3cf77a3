"""Lines from whoever started this process, and leaving when that one is gone, even in the middle of work."""

from __future__ import annotations

import os
import queue
import threading
from typing import IO

_GRACE = 2.0  # seconds to leave in order after the input has ended


class Lines:
    """Lines of a stream, read beside the main thread: its end is seen whatever the main thread does."""

    def __init__(self, source: IO[str]) -> None:
        self._queue: queue.Queue[str | None] = queue.Queue()
        self._source = source
        self.done = threading.Event()  # set it when the main thread leaves by itself
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> str | None:
        """The next line, waiting for it; None at the end."""
        return self._queue.get()

    def _read(self) -> None:
        for line in self._source:
            self._queue.put(line)
        self._queue.put(None)
        if not self.done.wait(_GRACE):
            os._exit(0)  # in the middle of a job that nobody waits for any more
