"""A worker's reply -> the value of a call, with references where something is kept. It is not believed."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from torch import Tensor

from .calls import BaseStudent, Call, KeptRef, ModuleRef
from .values import Decoder
from .wire import ProtocolError


def value_of(owner: BaseStudent, life: int, call: Call, tree: Any, tensors: Mapping[str, Tensor]) -> Any:
    """The value of a reply's tree. Raises ProtocolError. life: of the worker that gave it."""
    if call.op != "echo":
        return _kept(owner, life, call, tree, tensors)
    if not _is_tuple(tree) or len(tree["$u"]) != 2:
        raise ProtocolError("echo form")
    value, after = tree["$u"]
    return _kept(owner, life, call, value, tensors), Decoder(tensors, same=True).decode(after)


def _kept(owner: BaseStudent, life: int, call: Call, tree: Any, tensors: Mapping[str, Tensor]) -> Any:
    if call.keep is False:
        return Decoder(tensors).decode(tree)
    if call.keep is True:
        return ModuleRef(owner, call.symbol, life, _handle(tree))
    decoder = Decoder(tensors)
    if not _is_tuple(tree):
        return decoder.decode(tree)  # nothing that has parts
    return tuple(
        KeptRef(owner, call.symbol, life, _handle(part)) if i in call.keep else decoder.decode(part)
        for i, part in enumerate(tree["$u"])
    )


def _is_tuple(tree: Any) -> bool:
    return type(tree) is dict and set(tree) == {"$u"} and type(tree["$u"]) is list


def _handle(tree: Any) -> int:
    """The number in {"$h": number}. Raises ProtocolError."""
    number = tree["$h"] if type(tree) is dict and set(tree) == {"$h"} else None
    if type(number) is int and 0 < number <= sys.maxsize:
        return number
    raise ProtocolError("a kept object without a number")
