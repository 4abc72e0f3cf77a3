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
from ..results import Flag
from .answers import is_callback
from .callback import Form, Parameter
from .errors import GraderFault, NotWritten, StudentBadReply
from .values import SAME, without_numbers


@dataclass(frozen=True)
class Interface:
    """What a submission can be asked. files: symbol -> file; modules: symbols that are classes of modules;
    keeps: symbol -> which parts of its result stay where they are made (a result without parts crosses as it
    is); callbacks: symbol -> the form of what it is handed."""

    files: Mapping[str, str]
    modules: frozenset[str] = frozenset()
    keeps: Mapping[str, list[int]] = field(default_factory=dict)
    callbacks: Mapping[str, Form] = field(default_factory=dict)

    @classmethod
    def of(cls, assignment: Assignment) -> Self:
        """All symbols of an assignment."""
        told = assignment.symbol
        callbacks = {
            name: Form(c.name, c.attributes, [Parameter(**p.model_dump()) for p in c.parameters])
            for name, symbol in told.items()
            if (c := symbol.callback)
        }
        keeps = {name: symbol.keeps for name, symbol in told.items() if symbol.keeps}
        return cls(assignment.symbols, frozenset(assignment.modules), keeps, callbacks)


@dataclass
class Call:
    """One thing to be done with a submission's code."""

    op: str  # a method of service.Service
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
                # What stays there is looked at when it is asked for.
                output = next((part for part in output if not isinstance(part, Ref)), output)
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


class KeptRef(Ref):
    """A result that stays where it was made; see api.KeptRef."""

    def tensors(self) -> tuple[Tensor, ...] | None:
        """Its tensors as they are now, or None when it is no tuple or list of tensors."""
        value = self.owner.perform(Call("tensors", self.symbol, self.owner.number_of(self)))
        if value is None:
            return None
        if type(value) is tuple and all(isinstance(v, Tensor) for v in value):
            return value
        raise StudentBadReply("a kept result that is neither tensors nor anything else")


class BaseStudent(ABC):
    """Turns the Student API into calls."""

    output: str

    def __init__(self, interface: Interface) -> None:
        self.interface, self.symbols = interface, dict(interface.files)
        self.dropped: list[tuple[int, int]] = []
        self.flags: list[Flag] = []  # what a person should see of it

    @property
    def hung_files(self) -> frozenset[str]:
        """Files whose loading did not end."""
        return frozenset()

    @abstractmethod
    def perform(self, call: Call) -> Any:
        """Carries out one call. Kept results come as ModuleRef or KeptRef. Raises errors.CallFailed."""

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
        if symbol in self.interface.modules:
            return lambda *args, **kwargs: self._build(symbol, args, kwargs)
        return lambda *args, **kwargs: self.perform(
            Call("call", symbol, symbol, args, kwargs, self.interface.keeps.get(symbol, False))
        )

    def special(self, symbol: str, asked: list[Any]) -> Callable[[object], Any]:
        """For an Encoder of arguments: the trees of references, and of objects of the judge's that the
        submission may call; these are gathered in `asked`, in the order of their numbers."""
        form = self.interface.callbacks.get(symbol)

        def tree(value: object) -> Any:
            if isinstance(value, Ref):
                return {"$h": self.number_of(value)}
            if form is not None and is_callback(value):
                asked.append(value)
                return {"$j": [len(asked) - 1, [int(getattr(value, name)) for name in form.attributes]]}
            return None

        return tree

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
        return self._echo(Call("echo", symbol, symbol, args, kwargs, self.interface.keeps.get(symbol, False)))

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
