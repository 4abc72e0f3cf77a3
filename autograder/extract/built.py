"""What comes of putting a submission together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .sources import Source


@dataclass
class Built:
    """`files`: name -> text; or, where a file is one that was handed in, `verbatim`: name -> (its source,
    lines of ours at its end). `sources`: {"symbol", "file", "cell", "expected", "others"} each. `problems`,
    `flags`: {"id", "params"} each. `notebook`: the one that most was taken from."""

    files: dict[str, str] = field(default_factory=dict)
    verbatim: dict[str, tuple[Source, str]] = field(default_factory=dict)
    sources: list[dict[str, Any]] = field(default_factory=list)
    problems: list[dict[str, Any]] = field(default_factory=list)
    flags: list[dict[str, Any]] = field(default_factory=list)
    notebook: Source | None = None

    def problem(self, id: str, **params: Any) -> None:
        self.problems.append({"id": id, "params": params})

    def flag(self, id: str, **params: Any) -> None:
        found = {"id": id, "params": params}
        if found not in self.flags:
            self.flags.append(found)
