"""Inside the lock-down: takes one submission's sources over the socket, then answers calls until the socket
closes.

Everything here shares a process with code that nobody trusts; the judge believes none of it.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from . import wire
from .callback import Callback, Form
from .failure import MAX_TEXT, Failure, describe
from .loader import Submission
from .service import Service
from .tensors import load as load_tensors
from .values import Decoder, Encoder, Unsendable

SOCKET = 3
CHUNK = 1 << 20
RAISED_BY_JUDGE = {
    e.__name__: e for e in (ValueError, TypeError, IndexError, KeyError, RuntimeError, AttributeError)
}


def serve() -> None:
    """Never returns."""
    for fd, name in ((1, "stdout"), (2, "stderr")):
        text = open(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        setattr(sys, name, text)
        setattr(sys, f"__{name}__", text)
    header, blob = receive()
    worker = Worker(header, blob)
    worker.reply(header["n"], {"ok": True, "v": None})
    while True:
        worker.answer(*receive())


def seed(chance: int) -> None:
    """Who draws random numbers draws the same ones at every grading. (Python gives every forked process new
    ones.)"""
    random.seed(chance)
    torch.manual_seed(chance)
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed(chance)


def receive() -> tuple[dict[str, Any], memoryview]:
    """One frame of the judge. Ends the process when there will be no more."""
    header, blob = wire.sizes(bytes(_read(wire.PREFIX.size)), wire.REQUEST)
    return wire.parse_header(bytes(_read(header))), memoryview(_read(blob))


def _read(size: int) -> bytearray:
    out = bytearray()
    while len(out) < size:
        part = os.read(SOCKET, min(CHUNK, size - len(out)))
        if not part:
            os._exit(0)
        out += part
    return out


def send(frame: bytes) -> None:
    """Writes a whole frame."""
    view = memoryview(frame)
    while view:
        view = view[os.write(SOCKET, view) :]


class Worker:
    """One submission and what it is asked."""

    def __init__(self, header: dict[str, Any], blob: memoryview) -> None:
        seed(header["chance"])
        self.symbols: dict[str, str] = header["symbols"]
        self.callbacks = {symbol: Form.of(plain) for symbol, plain in header["callbacks"].items()}
        files, blob = _unpack(header["files"], blob)
        replace, blob = _unpack(header["replace"], blob)
        self.submission = Submission(files, replace, self.symbols, header["hung"])
        self.submission.install()
        self.service = Service(self.submission.lookup)
        self.ops: dict[str, Callable[[dict[str, Any], Decoder], Any]] = {
            "import": self._import,
            "call": self._call,
            "echo": self._echo,
            "build": self._build,
            "gradient": self._gradient,
            "module_gradient": self._module_gradient,
            "tensors": self._tensors,
        }
        self.nonce = ""

    def answer(self, header: dict[str, Any], blob: memoryview) -> None:
        """One request, one reply."""
        self.nonce = header["n"]
        self.service.drop(header["drop"])
        try:
            callback = partial(self._callback, header["symbol"])
            decoder = Decoder(load_tensors(blob), self.service.kept, callback, linear=True)
            value = self.ops[header["op"]](header, decoder)
            encoder = Encoder()
            if header["op"] == "echo":
                tree = {"$u": [self._encode(encoder, value[0], header["keep"]), encoder.encode(value[1])]}
            else:
                tree = self._encode(encoder, value, header["keep"])
            frame = wire.pack({"n": self.nonce, "ok": True, "v": tree}, encoder.blob(), wire.REPLY)
        except (Unsendable, wire.ProtocolError) as error:
            self.fail(Failure("unsendable", type(error).__name__, str(error)[:MAX_TEXT]))
        except BaseException as error:  # SystemExit and KeyboardInterrupt are the student's here, too
            called = header["symbol"]
            self.fail(describe(error, called, self.submission.own_file, self.symbols))
        else:
            send(frame)

    def reply(self, nonce: str, header: dict[str, Any]) -> None:
        """A reply without tensors."""
        send(wire.pack({"n": nonce, **header}, b"", wire.REPLY))

    def fail(self, failure: Failure) -> None:
        """A reply that says why there is no value."""
        text = failure.text.encode("utf-8", "replace").decode("utf-8")
        self.reply(self.nonce, {"ok": False, **vars(failure), "text": text})

    def _encode(self, encoder: Encoder, value: Any, keep: list[int] | bool) -> Any:
        """A value -> tree; `keep` names what stays here: True the whole, [1] the second of a pair."""
        if keep is True:
            return {"$h": self.service.keep(value)}
        if keep and issubclass(type(value), (tuple, list)):
            parts = [
                {"$h": self.service.keep(v)} if i in keep else encoder.encode(v) for i, v in enumerate(value)
            ]
            return {"$u": parts}
        return encoder.encode(value)

    # -- what can be asked --

    def _import(self, header: dict[str, Any], decoder: Decoder) -> None:
        self.submission.load(header["file"])

    def _call(self, header: dict[str, Any], decoder: Decoder) -> Any:
        return self.service.call(*self._target(header, decoder))

    def _echo(self, header: dict[str, Any], decoder: Decoder) -> Any:
        return self.service.echo(*self._target(header, decoder))

    def _build(self, header: dict[str, Any], decoder: Decoder) -> Any:
        _, args, kwargs = self._target(header, decoder)
        state = decoder.decode(header["state"])
        return self.service.build(
            header["symbol"], args, kwargs, state, header["dtype"], header["device"], header["train"]
        )

    def _gradient(self, header: dict[str, Any], decoder: Decoder) -> Any:
        return self.service.gradient(
            *self._target(header, decoder), header["wrt"], decoder.decode(header["cotangent"])
        )

    def _module_gradient(self, header: dict[str, Any], decoder: Decoder) -> Any:
        x, cotangent = decoder.decode(header["args"])
        return self.service.module_gradient(header["target"], x, cotangent)

    def _tensors(self, header: dict[str, Any], decoder: Decoder) -> Any:
        return self.service.tensors(header["target"])

    @staticmethod
    def _target(header: dict[str, Any], decoder: Decoder) -> tuple[str | int, list[Any], dict[str, Any]]:
        return header["target"], decoder.decode(header["args"]), decoder.decode(header["kwargs"])

    def _callback(self, symbol: str, number: int, values: list[int]) -> Callback:
        form = self.callbacks[symbol]
        return Callback(lambda args: self.ask(form, number, args), form, values)

    def ask(self, form: Form, number: int, args: tuple[Any, ...]) -> Any:
        """A call back into the judge, in the middle of a call of the judge's."""
        encoder = Encoder()
        try:
            tree = encoder.encode(args)
        except Unsendable as error:  # nothing that was returned, so not to be told as that
            raise TypeError(f"{form.call}: the {form.name} cannot take {error}") from None
        send(wire.pack({"n": self.nonce, "ask": number, "v": tree}, encoder.blob(), wire.REPLY))
        header, blob = receive()
        self.nonce = header["n"]
        if not header["ok"]:
            raise RAISED_BY_JUDGE.get(header["kind"], RuntimeError)(header["text"])
        return Decoder(load_tensors(blob)).decode(header["v"])


def _unpack(sizes: list[list[Any]], blob: memoryview) -> tuple[dict[str, bytes], memoryview]:
    """Names with lengths, and the bytes one after another -> name to bytes, and the rest."""
    out: dict[str, bytes] = {}
    for name, size in sizes:
        out[name] = bytes(blob[:size])
        blob = blob[size:]
    return out, blob
