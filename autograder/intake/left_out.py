"""What was not looked at, and why: gathered while listing, and told in a few sentences however much it is."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograder.intake.caps import ARCHIVES, DEPTH, MOST, NESTED
from autograder.intake.names import printable, shortened
from autograder.results import Problem

_SHOWN = 6  # names of a long list that a person gets to see
_HIDDEN = "hidden"
_KEPT = 100  # that are remembered


@dataclass
class LeftOut:
    """Paths by the reason's id; `count` has how many there were of each, those not remembered too."""

    reasons: dict[str, list[str]] = field(default_factory=dict)
    count: dict[str, int] = field(default_factory=dict)

    def add(self, reason: str, path: tuple[str, ...], *, hidden: bool = False) -> None:
        """One more path. In hidden folders nobody misses anything: they get a reason of their own."""
        reason = _HIDDEN if hidden else reason
        kept = self.reasons.setdefault(reason, [])
        self.count[reason] = self.count.get(reason, 0) + 1
        if len(kept) < _KEPT:
            kept.append(shortened("/".join(printable(shortened(part)) for part in path[:DEPTH])) or ".")

    def paths(self, *, hidden: bool) -> list[str]:
        """All paths that are remembered; those in hidden folders only when asked for."""
        return [p for id, paths in self.reasons.items() if hidden or id != _HIDDEN for p in paths]

    @property
    def problems(self) -> list[Problem]:
        """One problem a reason."""
        return [
            Problem(id=reason, params={"found": some(paths, self.count[reason]), "most": _most(reason)})
            for reason, paths in self.reasons.items()
            if reason != _HIDDEN
        ]


def some(names: list[str], count: int | None = None) -> str:
    """The first few names of a list, and how many more there are ("a, b, … (+7)")."""
    more = (len(names) if count is None else count) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f", … (+{more})" if more > 0 else "")


def _most(reason: str) -> int:
    limits = {"folder.more": MOST, "zip.too_nested": NESTED, "zip.too_many_archives": ARCHIVES}
    return limits.get(reason, DEPTH)
