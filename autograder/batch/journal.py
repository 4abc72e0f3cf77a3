"""journal.jsonl: what happened to whom, one line each, appended as it happens. For people, after a crash."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import IO, Self

from autograder.store import StoreError


class Journal:
    """An open journal; every line is on its way to the disk before the next thing happens."""

    def __init__(self, path: Path) -> None:
        try:
            self._file: IO[str] = path.open("a", encoding="utf-8", newline="\n", buffering=1)
        except OSError as e:
            raise StoreError(f"{path}: cannot be written ({e.strerror}). Check its permissions.") from None

    def note(self, event: str, **what: str | float | None) -> None:
        """One line: the time, the event, and what belongs to it."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        self._file.write(json.dumps({"at": at, "event": event, **what}, ensure_ascii=False) + "\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
