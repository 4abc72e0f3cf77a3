"""Sandbox: finds the best way to isolate submissions on this machine, proves it, and starts them."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Self

from ..assignment import Assignment
from ..course import Limits
from .calls import BaseStudent, Interface
from .errors import GraderFault
from .inprocess import InProcessStudent
from .keeper import Keeper
from .launch import REMEDIES, Level, Way, WayFailed, supported, ways
from .patience import Patience
from .probe import reached
from .remote import RemoteStudent
from .seccomp import SeccompMissing

Isolation = Literal["auto", "strong", "no-namespaces", "unsafe"]


class NoIsolation(Exception):
    """This machine cannot isolate submissions as asked; the text says what was tried and what to do."""


@dataclass
class Attempt:
    """One way that was tried."""

    way: str
    level: Level
    works: bool
    why: str = ""
    remedy: str = ""
    reached: list[str] = field(default_factory=list)  # what our own probe could reach that it must not


class Sandbox:
    """Starts submissions. Use as a context manager; the zygote takes some seconds to start, once."""

    def __init__(
        self,
        assignment: Assignment | None,
        isolation: Isolation = "auto",
        *,
        limits: Limits | None = None,
        only: Sequence[str] | None = None,
    ) -> None:
        """assignment: None for one that runs our own probe only.

        isolation: "auto" the best there is but never none; "strong" or "no-namespaces" just that; "unsafe"
        none. limits: others than the assignment's. only: names of ways to try (for tests).
        """
        self.assignment = assignment
        self.limits = limits or (assignment.limits if assignment else Limits())
        self.isolation = isolation
        self._only = only
        # Where nothing can be forked as we need it, "unsafe" means this very process.
        self._in_process = isolation == "unsafe" and not supported()
        self.attempts: list[Attempt] = []
        self._way: Way | None = None
        self._keeper: Keeper | None = None

    @property
    def level(self) -> Level:
        """ "strong", "no-namespaces" or "none". Starts the sandbox when it has not been."""
        self.start()
        return "none" if self._way is None else self._way.level

    @property
    def way(self) -> str:
        """The name of the way in use."""
        self.start()
        return "this process" if self._way is None else self._way.name

    def start(self) -> None:
        """Starts the zygote, if it does not run. Raises NoIsolation, or GraderFault when it will not start
        again.
        """
        if self._keeper is not None and not self._keeper.gone:
            return
        if self._in_process:
            return
        if self._way is None:
            self._choose()
            return
        if self._keeper is not None:
            self._keeper.close()
        try:
            self._keeper = Keeper(self._way)
        except WayFailed as error:
            raise GraderFault(f"the sandbox ended and does not start again: {error}") from None

    def _choose(self) -> None:
        """The first way that starts and whose lock-down holds against our own probe."""
        if not supported():
            raise NoIsolation(
                f"submissions cannot be isolated on {sys.platform}; "
                "grade on Linux (WSL 2 or a container will do)"
            )
        from .lockdown import undumpable

        undumpable()  # nobody reads the judge's memory through /proc
        for way in ways(self.isolation):
            if self._only is None or way.name in self._only:
                attempt = self._try(way)
                self.attempts.append(attempt)
                if attempt.works:
                    self._way = way
                    return
        raise NoIsolation(self._explanation())

    def _try(self, way: Way) -> Attempt:
        try:
            self._keeper = keeper = Keeper(way)
        except WayFailed as error:
            return Attempt(way.name, way.level, False, error.why, error.remedy or REMEDIES.get(way.name, ""))
        except SeccompMissing as error:
            return Attempt(way.name, way.level, False, str(error), "install what is missing")
        if not way.locked:
            return Attempt(way.name, way.level, True)
        try:
            holes = reached(lambda: keeper)
        except GraderFault as error:
            holes = [f"the probe did not run: {error}"]
        if holes:
            keeper.close()
            self._keeper = None
            return Attempt(way.name, way.level, False, "the lock-down does not hold", "", holes)
        return Attempt(way.name, way.level, True, way.note)

    def _explanation(self) -> str:
        lines = ["submissions cannot be isolated on this machine:"]
        for a in self.attempts:
            lines.append(f"  {a.way}: {a.why}{'; ' + ', '.join(a.reached) if a.reached else ''}")
            if a.remedy:
                lines.append(f"    to do: {a.remedy}")
        return "\n".join(lines)

    def student(
        self,
        files: Mapping[str, bytes],
        replace: Mapping[str, bytes] | None = None,
        *,
        limits: Limits | None = None,
        hung: Collection[str] = (),
        patience: Patience | None = None,
    ) -> BaseStudent:
        """One submission: "norm.py" -> source; replace: see reference.reference_for; limits: others than the
        sandbox's; hung: files whose loading is known not to end; patience: what is left of a submission's
        time, when this is not all of it.

        With isolation="unsafe" on a system that cannot fork, an InProcessStudent, which has the same API.
        """
        self.start()
        assert self.assignment is not None
        if self._in_process:
            return InProcessStudent(limits or self.limits, files, replace or {}, self.assignment)
        limits, interface = limits or self.limits, Interface.of(self.assignment)
        return RemoteStudent(self.running, limits, files, replace or {}, interface, hung, patience)

    def running(self) -> Keeper:
        """The zygote, started again if it has ended."""
        self.start()
        assert self._keeper is not None
        return self._keeper

    def close(self) -> None:
        """Ends the zygote and every worker."""
        if self._keeper is not None:
            self._keeper.close()
            self._keeper = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
