"""A submission in this very process: for systems that can neither fork nor isolate, and only when asked for.

No lock-down, no clocks: what it does is done to the judge. The values and errors are those of a worker.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from ..assignment import Assignment
from ..course import Limits
from ..lines import line_of
from . import wire
from .calls import Call
from .loader import PACKAGE, Submission
from .local import LocalStudent
from .standins import StandIns


class InProcessStudent(LocalStudent):
    """Untrusted code without protection. See Sandbox(isolation="unsafe")."""

    def __init__(
        self,
        limits: Limits,
        files: Mapping[str, bytes],
        replace: Mapping[str, bytes],
        assignment: Assignment,
    ) -> None:
        """As RemoteStudent."""
        self._files, self._replace = dict(files), dict(replace)
        self._cap = limits.output_kb << 10
        self._modules_kept: dict[str, ModuleType] = {}
        super().__init__(assignment, {})
        self.fresh()

    def fresh(self, chance: int = 0) -> None:
        """The files are loaded anew."""
        self._submission = Submission(self._files, self._replace, self.symbols)
        self._modules_kept = {}
        super().fresh(chance)

    def _lookup(self, symbol: str) -> Any:
        return self._submission.lookup(symbol)

    def _own_file(self, filename: str) -> str | None:
        return self._submission.own_file(filename)

    def _line(self, file: str, line: int) -> str:
        return wire.clean(line_of(self._files.get(file, b""), line) or "", 200)

    def _run(self, call: Call, args: Any, kwargs: Any, extra: dict[str, Any]) -> Any:
        with self._installed():
            try:
                return super()._run(call, args, kwargs, extra)
            except (SystemExit, GeneratorExit) as error:
                raise RuntimeError(f"{type(error).__name__}: {error}") from error

    @contextlib.contextmanager
    def _installed(self) -> Iterator[None]:
        """For as long as a call lasts, `exercises` is the submission, and what it prints is kept."""
        parts = [f.removesuffix(".py").split("/") for f in {*self._files, *self.symbols.values()}]
        stems = {".".join(p[:n]) for p in parts for n in range(1, len(p) + 1)}
        names = [PACKAGE, *stems, *(f"{PACKAGE}.{stem}" for stem in stems)]

        def theirs() -> dict[str, ModuleType]:
            return {n: sys.modules[n] for n in names if n in sys.modules}

        before, printed = theirs(), io.StringIO()
        for name in before:
            del sys.modules[name]
        sys.modules.update(self._modules_kept)
        self._submission.install()
        StandIns().install()  # behind what this system has itself
        try:
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                yield
        finally:
            sys.meta_path.remove(self._submission)
            StandIns.remove()
            self._modules_kept = theirs()
            for name in self._modules_kept:
                del sys.modules[name]
            sys.modules.update(before)
            if not self._replace:
                self.output = wire.clean(self.output + printed.getvalue(), self._cap)
