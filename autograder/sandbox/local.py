"""LocalStudent: trusted code (the solutions, a known mistake) in this process, with the API and the values of
a submission: arguments and results are copies, exceptions become the errors of errors.py.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from pathlib import PurePath
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from ..assignment import Assignment
from . import wire
from .callback import Callback
from .calls import BaseStudent, Call, Interface, KeptRef, ModuleRef, Ref
from .errors import GraderFault, NotWritten, Place, StudentBadReply, StudentRaised
from .failure import Failure, Missing, describe
from .service import Service
from .trusted import load
from .values import Decoder, Encoder, Unsendable


class LocalStudent(BaseStudent):
    """Trusted code, called in this process. There are no time limits."""

    def __init__(self, assignment: Assignment, modules: Mapping[str, ModuleType] | None = None) -> None:
        """modules: "x.py" or "x" -> module; the solutions when they are not given."""
        super().__init__(Interface.of(assignment))
        modules = load(assignment) if modules is None else modules
        self._modules = {name.removesuffix(".py"): module for name, module in modules.items()}
        self._own = {m.__file__: f"{name}.py" for name, m in self._modules.items() if m.__file__}
        self._life = 1
        self._service = Service(self._lookup)
        self._spent = 0.0
        self.output = ""

    def _lookup(self, symbol: str) -> Any:
        module = self._modules.get(self.symbols[symbol].removesuffix(".py"))
        if module is None or not hasattr(module, symbol):
            raise Missing(symbol)
        return getattr(module, symbol)

    def cpu_seconds(self) -> float:
        """CPU seconds that this process has spent in calls."""
        return self._spent

    def fresh(self, chance: int = 0) -> None:
        """Forgets what it has kept; what the code's own modules hold stays."""
        if chance:
            torch.manual_seed(chance)
            random.seed(chance)
        self._life += 1
        self._service = Service(self._lookup)

    def close(self) -> None:
        """Forgets what it has kept."""
        self.fresh()

    def number_of(self, ref: Ref) -> int:
        """See BaseStudent."""
        if ref.owner is not self or ref.life != self._life:
            raise GraderFault("something kept by another student or life")
        return ref.number

    def perform(self, call: Call) -> Any:
        """See BaseStudent."""
        self._service.drop([number for life, number in self.dropped if life == self._life])
        self.dropped.clear()
        args, kwargs = self._copy_in(call, list(call.args)), self._copy_in(call, dict(call.kwargs))
        extra = {
            k: self._copy_in(call, v) if k in ("state", "cotangent") else v for k, v in call.extra.items()
        }
        before = time.process_time()
        try:
            value = self._run(call, args, kwargs, extra)
        except Exception as error:  # whatever the code raises is its answer
            self._raise(describe(error, call.symbol, self._own_file, self.symbols))
        finally:
            self._spent += time.process_time() - before
        try:
            if call.op == "echo":
                return call.checked((self._keep(call, value[0]), _copy(value[1], same=True)))
            return call.checked(self._keep(call, value))
        except Unsendable as error:
            raise StudentBadReply(str(error)) from None

    def _run(self, call: Call, args: Any, kwargs: Any, extra: dict[str, Any]) -> Any:
        service = self._service
        match call.op:
            case "call":
                return service.call(call.target, args, kwargs)
            case "echo":
                return service.echo(call.target, args, kwargs)
            case "build":
                return service.build(call.symbol, args, kwargs, **extra)
            case "gradient":
                return service.gradient(call.target, args, kwargs, **extra)
            case "module_gradient":
                assert isinstance(call.target, int)
                return service.module_gradient(call.target, *args)
            case "tensors":
                assert isinstance(call.target, int)
                return service.tensors(call.target)
        raise GraderFault(f"no such call: {call.op}")

    def _keep(self, call: Call, value: Any) -> Any:
        if call.keep is False:
            return _copy(value)
        if call.keep is True:
            return ModuleRef(self, call.symbol, self._life, self._service.keep(value))
        if not issubclass(type(value), (tuple, list)):
            return _copy(value)
        return tuple(
            KeptRef(self, call.symbol, self._life, self._service.keep(v)) if i in call.keep else _copy(v)
            for i, v in enumerate(value)
        )

    def _copy_in(self, call: Call, value: Any) -> Any:
        """A copy of an argument, with references as the objects they stand for."""
        asked: list[Any] = []
        encoder = Encoder(self.special(call.symbol, asked), wire.REQUEST.blob, linear=True)
        try:
            tree = encoder.encode(value)
        except Unsendable as error:
            raise GraderFault(f"an argument that cannot be sent: {error}") from None
        tensors = {k: _plain(t) for k, t in encoder.tensors.items()}

        def callback(number: int, values: list[int]) -> Callback:
            form = self.interface.callbacks[call.symbol]
            return Callback(lambda args: asked[number](*args), form, values)

        return Decoder(tensors, self._service.kept, callback, linear=True).decode(tree)

    def _own_file(self, filename: str) -> str | None:
        return self._own.get(filename)

    def _raise(self, failure: Failure) -> None:
        place = None
        if failure.file is not None and failure.line is not None:
            place = Place(failure.file, failure.line, self._line(failure.file, failure.line))
        if failure.fault == "not_written":
            raise NotWritten(failure.symbol or "", place) from None
        raise StudentRaised(failure.kind, wire.clean(failure.text, 400), place, "call") from None

    def _line(self, file: str, line: int) -> str:
        import linecache

        full = self._modules[PurePath(file).stem].__file__
        return linecache.getline(full, line).strip() if full else ""


def _copy(value: Any, same: bool = False) -> Any:
    """A plain copy of a result, as if it had crossed the wire. Raises Unsendable."""
    encoder = Encoder()
    tree = encoder.encode(value)
    return Decoder({k: _plain(t) for k, t in encoder.tensors.items()}, same=same).decode(tree)


def _plain(tensor: Tensor) -> Tensor:
    """A contiguous copy of its own memory."""
    return torch.empty(tensor.shape, dtype=tensor.dtype, device=tensor.device).copy_(tensor.detach())
