"""journal.jsonl: what happened to whom, one line each, appended as it happens. For people, after a crash."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import IO, Self

from autograder.store import cannot_write


class Journal:
    """An open journal; every line is on its way to the disk before the next thing happens. Raises StoreError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file: IO[bytes] = path.open("ab", buffering=0)
        except OSError as e:
            raise cannot_write(path, e) from None

    def note(self, event: str, **what: str | float | None) -> None:
        """One line: the time, the event, and what belongs to it."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        line = json.dumps({"at": at, "event": event, **what}, ensure_ascii=False) + "\n"
        try:
            self._file.write(line.encode("utf-8", "surrogatepass"))
        except OSError as e:
            raise cannot_write(self._path, e) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
