"""A callback: a module that a submission is handed and may call; somebody else answers.

Runs in the worker, and in LocalStudent here. course.toml says its form ([symbol.<name>.callback]).
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Self

import torch
from torch import Tensor, nn

Ask = Callable[[tuple[Any, ...]], Any]


@dataclass(frozen=True)
class Parameter:
    """One parameter. type: "any", "int" (any kind of whole number) or "int tensor" (also arrays and lists);
    axes, most: of a tensor, the names of its axes and how many entries it may have."""

    name: str
    type: str = "any"
    axes: Sequence[str] = ()
    most: int = 0
    required: bool = True
    default: Any = None


@dataclass(frozen=True)
class Form:
    """attributes: name of a whole number that the judge's object has -> other names for the same
    ("config.n_ctx": of something in it)."""

    name: str
    attributes: Mapping[str, Sequence[str]]
    parameters: Sequence[Parameter]

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Self:
        """From what `vars` gives, as JSON holds it."""
        return cls(plain["name"], plain["attributes"], [Parameter(**p) for p in plain["parameters"]])

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        parameters = [{**vars(p), "axes": list(p.axes)} for p in self.parameters]
        return {"name": self.name, "attributes": dict(self.attributes), "parameters": parameters}

    @property
    def call(self) -> str:
        """As people write it: "model(ids, cache, start)"."""
        return f"{self.name}({', '.join(p.name for p in self.parameters)})"

    def signature(self) -> inspect.Signature:
        """Of a Python function with these parameters."""
        kind, empty = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.empty
        return inspect.Signature(
            [
                inspect.Parameter(p.name, kind, default=empty if p.required else p.default)
                for p in self.parameters
            ]
        )


class Callback(nn.Module):
    """Everything that a module has (eval(), to(), parameters(), training …) is there and does no harm. It has
    one parameter, without numbers, so that `next(model.parameters()).device` can be asked."""

    def __init__(self, ask: Ask, form: Form, values: Sequence[int]) -> None:
        """values: of form.attributes, in their order. `ask` gives the answers to calls."""
        super().__init__()
        for (name, others), value in zip(form.attributes.items(), values, strict=True):
            for path in (name, *others):
                _set(self, path.split("."), value)
        self.empty = nn.Parameter(torch.empty(0), requires_grad=False)
        self._ask, self._form, self._signature = ask, form, form.signature()
        self.eval()

    @property
    def device(self) -> torch.device:
        """Where its inputs must be."""
        return torch.device("cpu")

    @property
    def dtype(self) -> torch.dtype:
        """Of its results."""
        return torch.float32

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The answer. Raises TypeError for arguments that its form does not have, or of another type."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return self._ask(tuple(_taken(p, bound.arguments[p.name]) for p in self._form.parameters))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # a copy would be answered by the same judge


def _set(thing: Any, path: Sequence[str], value: int) -> None:
    for name in path[:-1]:
        if not hasattr(thing, name):
            setattr(thing, name, SimpleNamespace())
        thing = getattr(thing, name)
    setattr(thing, path[-1], value)


def _taken(parameter: Parameter, value: Any) -> Any:
    if parameter.type == "int":
        return whole(value, parameter.name)
    return _tensor(value) if parameter.type == "int tensor" else value


def whole(value: Any, name: str) -> int:
    """Any kind of whole number (int, numpy's, a tensor or array of one) as an int. Raises TypeError."""
    kind = type(value).__name__
    if isinstance(value, Tensor) or (kind == "ndarray" and hasattr(value, "item")):
        size = value.numel() if isinstance(value, Tensor) else value.size
        if size != 1:
            raise TypeError(f"{name} must be one whole number, not {size} in a {kind}")
        value = value.item()
        kind = f"{kind} of {type(value).__name__}"
    if isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number, not a bool")
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not a {kind}") from None


def _tensor(value: Any) -> Any:
    """An array or a list of lists of whole numbers as a tensor; a tensor, and what is neither, as it is."""
    if isinstance(value, list | tuple) or type(value).__name__ == "ndarray":
        try:
            # A copy of an array, because torch takes none that runs backwards.
            found = torch.tensor(value if isinstance(value, list | tuple) else value.copy())
        except (TypeError, ValueError, RuntimeError):  # of unequal length, or no numbers
            return value
        return value if found.is_floating_point() else found
    return value
