"""Messages from whoever started this process, and leaving when that one is gone, even in the middle of work."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from multiprocessing.connection import Connection

_GRACE = 2.0  # seconds to leave in order after the last message


class Messages:
    """Messages of a pipe, read beside the main thread: its end is seen whatever the main thread does."""

    def __init__(self, source: Connection) -> None:
        self._queue: queue.Queue[bytes | None] = queue.Queue()
        self._source = source
        self.done = threading.Event()  # set it when the main thread leaves by itself
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> bytes | None:
        """The next message, waiting for it; None at the end."""
        return self._queue.get()

    def _read(self) -> None:
        with contextlib.suppress(EOFError, OSError):
            while True:
                self._queue.put(self._source.recv_bytes())
        self._queue.put(None)
        if not self.done.wait(_GRACE):
            os._exit(0)  # in the middle of a job that nobody waits for any more
