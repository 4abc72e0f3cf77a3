"""The `Student` API as calls: what RemoteStudent and LocalStudent share. They differ in how a Call is
carried out.
"""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import torch
from torch import Tensor

from ..assignment import Assignment
from .errors import GraderFault, NotWritten, StudentBadReply
from .values import SAME, without_numbers


@dataclass(frozen=True)
class Interface:
    """What a submission can be asked. files: symbol -> file; keeps: symbol -> which parts of its result stay
    where they are made (a result without parts crosses as it is)."""

    files: Mapping[str, str]
    keeps: Mapping[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, assignment: Assignment) -> Self:
        """All symbols of an assignment."""
        keeps = {name: symbol.keeps for name, symbol in assignment.symbol.items() if symbol.keeps}
        return cls(assignment.symbols, keeps)


@dataclass
class Call:
    """One thing to be done with a submission's code."""

    op: str  # a method of service.Service, or "pair"
    symbol: str  # the exercise it belongs to, for clocks and messages
    target: str | int  # a symbol, or the number of a kept object
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    keep: list[int] | bool = False  # True: the whole result stays there; [1]: the second of a pair does
    extra: Mapping[str, Any] = field(default_factory=dict)

    def checked(self, value: Any) -> Any:
        """What came back. Raises NotWritten where that is nothing at all. Whoever sends numbers goes on to
        compute with it: raises StudentBadReply for a tensor without any."""
        if self.op == "module_gradient" and value is None:
            raise NotWritten(self.symbol, None, returned=repr(value))
        if self.op in ("call", "echo", "gradient"):
            output = value[0] if self.op == "echo" and isinstance(value, tuple) and value else value
            if self.keep is not False and isinstance(output, tuple | list) and output:
                output = output[0]  # of (output, cache)
            if output is None or (isinstance(output, str | tuple | list | dict) and not output):
                raise NotWritten(self.symbol, None, returned=repr(output))
        if without_numbers(value) and not without_numbers([*self.args, *self.kwargs.values()]):
            raise StudentBadReply('a tensor on device "meta", which has a shape but no numbers')
        return value


class Ref:
    """An object that lives where the student's code lives."""

    def __init__(self, owner: BaseStudent, symbol: str, life: int, number: int) -> None:
        self.owner, self.symbol, self.life, self.number = owner, symbol, life, number
        weakref.finalize(self, owner.dropped.append, (life, number)).atexit = False


class ModuleRef(Ref):
    """A student's nn.Module; see api.ModuleRef."""

    def __call__(self, x: Tensor) -> Any:
        """forward(x): normally a tensor, but whatever plain value the student's code gives"""
        return self.owner.perform(Call("call", self.symbol, self.owner.number_of(self), [x]))


class CacheRef(Ref):
    """A student's cache; see api.CacheRef."""

    def tensors(self) -> tuple[Tensor, Tensor] | None:
        """(K, V) as they are now, or None when the cache has another form."""
        value = self.owner.perform(Call("pair", self.symbol, self.owner.number_of(self)))
        if value is None:
            return None
        if type(value) is tuple and len(value) == 2 and all(isinstance(v, Tensor) for v in value):
            return value[0], value[1]
        raise StudentBadReply("a cache that is neither a pair nor anything else")


class BaseStudent(ABC):
    """Turns the Student API into calls."""

    output: str
    hung_files: frozenset[str] = frozenset()  # whose loading did not end

    def __init__(self, interface: Interface) -> None:
        self.symbols, self._keeps = dict(interface.files), interface.keeps
        self.dropped: list[tuple[int, int]] = []

    @abstractmethod
    def perform(self, call: Call) -> Any:
        """Carries out one call. Kept results come as ModuleRef or CacheRef. Raises errors.CallFailed."""

    @abstractmethod
    def number_of(self, ref: Ref) -> int:
        """The number under which a reference is kept. Raises errors.CallFailed when it is gone."""

    @abstractmethod
    def cpu_seconds(self) -> float:
        """CPU seconds used by the student's code so far."""

    @abstractmethod
    def fresh(self, chance: int = 0) -> None:
        """Nothing of earlier calls is left; see api.Student."""

    @abstractmethod
    def close(self) -> None:
        """Ends it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __getattr__(self, symbol: str) -> Callable[..., Any]:
        if symbol.startswith("_") or symbol not in self.__dict__.get("symbols", ()):
            raise AttributeError(f"no exercise has a symbol {symbol!r}")
        if symbol[0].isupper():
            return lambda *args, **kwargs: self._build(symbol, args, kwargs)
        return lambda *args, **kwargs: self.perform(
            Call("call", symbol, symbol, args, kwargs, self._keeps.get(symbol, False))
        )

    def _build(self, symbol: str, args: Sequence[Any], kwargs: dict[str, Any]) -> ModuleRef:
        """Module(…, *, state_dict, dtype, device, train=False)."""
        dtype, device = kwargs.pop("dtype", None), kwargs.pop("device", None)
        extra = {
            "state": kwargs.pop("state_dict", None),
            "dtype": None if dtype is None else str(dtype).removeprefix("torch."),
            "device": None if device is None else str(torch.device(device)),
            "train": bool(kwargs.pop("train", False)),
        }
        value = self.perform(Call("build", symbol, symbol, args, kwargs, True, extra))
        if not isinstance(value, ModuleRef):
            raise GraderFault("a module was not kept")
        return value

    def echo(self, symbol: str, *args: Any, **kwargs: Any) -> tuple[Any, tuple[Any, ...]]:
        """(value, args as they are after the call)"""
        return self._echo(Call("echo", symbol, symbol, args, kwargs, self._keeps.get(symbol, False)))

    def echo_module(self, module: Any, x: Tensor) -> tuple[Any, Any]:
        """(module(x), x as it is after the call)"""
        value, after = self._echo(Call("echo", module.symbol, self.number_of(module), [x]))
        return value, after[0]

    def _echo(self, call: Call) -> tuple[Any, tuple[Any, ...]]:
        value, after = self.perform(call)
        if type(after) is not tuple or len(after) != len(call.args):
            raise StudentBadReply("not the arguments that were sent")
        return value, tuple(sent if got is SAME else got for sent, got in zip(call.args, after, strict=True))

    def gradient(
        self, target: str | Any, args: Sequence[Any], *, wrt: int = 0, cotangent: Tensor, **kwargs: Any
    ) -> Any:
        """d sum(cotangent * f(*args)) / d args[wrt]; what f gives where that is no tensor."""
        symbol: str = target if isinstance(target, str) else target.symbol
        function = target if isinstance(target, str) else self.number_of(target)
        extra = {"wrt": wrt, "cotangent": cotangent}
        return self.perform(Call("gradient", symbol, function, args, kwargs, False, extra))

    def module_gradient(self, target: Any, x: Tensor, cotangent: Tensor) -> Mapping[str, Any]:
        """d sum(cotangent * module(x)) / d parameter, by name; none where module(x) is no tensor"""
        value = self.perform(Call("module_gradient", target.symbol, self.number_of(target), [x, cotangent]))
        if type(value) is not dict:
            raise StudentBadReply("gradients without names")
        return value


def is_model(value: object) -> bool:
    """Whether an argument is a model of the judge's (api.JudgeModel)."""
    return (
        not isinstance(value, (Tensor, torch.nn.Module)) and hasattr(value, "n_positions") and callable(value)
    )
