"""The files as they were handed out: `--reset FILE` gives a fresh one, and changed tests are noticed.

originals.json: {"stubs": {"norm.py": its text}, "kit": {"test_norm.py": SHA-256 of its text}}; "kit" is empty in
the kit's own checkout, where these files are being worked on.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent
KEPT = ".kept"  # no ending of anything that is graded


class CannotReset(Exception):
    """The key of the sentence that says why, and its parameters."""

    def __init__(self, key: str, **params: object) -> None:
        super().__init__(key)
        self.key, self.params = key, params


def digest(data: bytes) -> str:
    """SHA-256 of a text, whichever line ends it has."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def changed() -> list[str]:
    """Files of the kit that are not as they were handed out, or are gone."""
    kit: dict[str, str] = _read().get("kit", {})
    return [name for name, was in sorted(kit.items()) if _digest(HERE / name) != was]


def reset(file: str, folder: Path) -> Path | None:
    """Puts the fresh stub into `folder`; gives the path that the old one has now, None when there was nothing to
    keep. Raises CannotReset."""
    fresh = _read().get("stubs", {}).get(file)
    if fresh is None:
        raise CannotReset("ui.reset_unknown", file=file)
    path = folder / file
    try:
        old = path.read_bytes() if path.exists() else None
        kept = None
        if old is not None and digest(old) != digest(fresh.encode()):
            kept = _free(path)
            with open(kept, "xb") as copy:
                copy.write(old)
        scratch = path.with_name(path.name + ".new")
        scratch.write_text(fresh, encoding="utf-8")
        os.replace(scratch, path)
    except OSError as e:
        raise CannotReset("ui.reset_failed", file=file, reason=e.strerror or str(e)) from None
    return kept


def _free(path: Path) -> Path:
    """norm.py.kept, norm.py.kept2, ...: the first that is not there."""
    names = (path.with_name(f"{path.name}{KEPT}{number or ''}") for number in (0, *range(2, 10_000)))
    return next(name for name in names if not name.exists())


def _read() -> dict[str, Any]:
    try:
        data: dict[str, Any] = json.loads((HERE / "originals.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return data


def _digest(path: Path) -> str:
    try:
        return digest(path.read_bytes())
    except OSError:
        return ""
