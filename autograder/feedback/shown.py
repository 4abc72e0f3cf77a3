"""`TestResult.shown` (a public example) made ready for a page: call, inputs, expected, received."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest

from pydantic import JsonValue

from autograder.feedback.pictures import Pictures, picture
from autograder.feedback.rich import Rich
from autograder.feedback.safe import visible
from autograder.feedback.tensors import Printed, TensorView, differing, enough_decimals, printed, tensor_view
from autograder.feedback.texts import Texts
from autograder.feedback.wording import axis

# Examples that show something else than the exercise's result: an input afterwards, a gradient, calls.
_ODD = re.compile(r"; \w+$|\.grad$|->")


@dataclass(frozen=True)
class Named:
    """An input by its name in the call."""

    name: str
    tensor: Printed | None
    text: str = ""  # for what is no tensor


@dataclass(frozen=True)
class Line:
    """The student's own line that matters."""

    file: str
    line: int
    text: str
    cell: int = 0  # of a notebook, from 1, and the line in it
    cell_line: int = 0

    @property
    def place(self) -> dict[str, JsonValue]:
        """Where it is, as parameters of a sentence."""
        return {"file": self.file, "line": self.line, "cell": self.cell, "cell_line": self.cell_line}


@dataclass(frozen=True)
class Call:
    """What went into a function that the exercise is handed, in one call: expected and seen, in words."""

    expected: Rich
    got: Rich

    @property
    def wrong(self) -> bool:
        """Whether they differ."""
        return self.expected != self.got


@dataclass(frozen=True)
class Shown:
    """A public example; every part may be missing."""

    call: str = ""
    inputs: tuple[Named, ...] = ()
    expected: Printed | None = None
    expected_text: str = ""
    got: Printed | None = None
    got_text: Rich = ()
    difference: Rich = ()
    trace: tuple[Call, ...] = ()  # in the place of expected and got
    line: Line | None = None
    pictures: Pictures | None = None

    @property
    def example(self) -> bool:
        """Whether there is something to show of what went in and came back."""
        return bool(self.call or self.inputs or self.expected or self.got or self.got_text or self.trace)


def shown(data: dict[str, JsonValue], exercise: str, say: Texts) -> Shown:
    """Reads what is there; what does not fit the form is left out."""
    inputs, call = data.get("inputs"), _text(data.get("call"), 500)
    expected, got = tensor_view(data.get("expected")), tensor_view(data.get("got"))
    wrong = differing(got, expected) if got and expected else []
    first = wrong[0] if wrong else _index(data.get("first_difference"))
    if got is None and expected and _kept_back(data.get("got")) and first in expected.cells():
        wrong = [first] if first is not None else []  # where, without what came
    elif not (got and first is not None and len(first) == len(got.shape)):
        first = None
    difference: Rich = ()
    decimals = enough_decimals(got, expected, wrong) if got and expected and wrong else None
    printed_got = printed(got, wrong, first, decimals) if got else None
    printed_expected = printed(expected, wrong, first, decimals) if expected else None
    if got and expected and got.shape != expected.shape:
        difference = say.rich(
            "page.shapes_differ", {"expected": list(expected.shape), "got": list(got.shape)}
        )
    elif first is not None and printed_expected:
        difference = say.rich(
            "page.first_difference" if printed_got else "page.first_wrong",
            {
                "index": list(first),
                "where": "" if _ODD.search(call) else place(first, exercise, say),
                "expected": _at(printed_expected),
                "got": _at(printed_got) if printed_got else "",
            },
        )
    calls = trace(data.get("trace"), expected, got, say)
    if calls:
        printed_expected = printed_got = None
        difference = ()
    return Shown(
        trace=calls,
        call=call.replace("; ", "\n"),
        inputs=tuple(_named(k, v) for k, v in inputs.items()) if isinstance(inputs, dict) else (),
        expected=printed_expected,
        expected_text="" if expected else _plain(data.get("expected")),
        got=printed_got,
        got_text=() if got else _got(data.get("got"), say),
        difference=difference,
        line=line(data.get("line")),
        pictures=picture(data.get("picture"), say),
    )


def trace(
    data: JsonValue, expected: TensorView | None, got: TensorView | None, say: Texts
) -> tuple[Call, ...]:
    """The rows of two tables as sentences: data is {"row": id of the sentence, "columns": its parameters}."""
    if not (isinstance(data, dict) and isinstance(data.get("columns"), list) and expected and got):
        return ()
    id, columns = data.get("row"), [str(name) for name in data["columns"]]  # type: ignore[union-attr]
    if not (isinstance(id, str) and say.known(id)):
        return ()
    tables = [view.values if view.shape[1:] == [len(columns)] else [] for view in (expected, got)]
    said = [[say.rich(id, dict(zip(columns, row, strict=True))) for row in rows] for rows in tables]
    none = say.rich("page.no_call")
    return tuple(Call(*pair) for pair in zip_longest(*said, fillvalue=none))


def line(data: JsonValue) -> Line | None:
    """{"file", "line", "text"} as a Line, when it is one; in a notebook also "cell" and "cell_line"."""
    if not isinstance(data, dict):
        return None
    file, number, text = data.get("file"), data.get("line"), data.get("text")
    if not (isinstance(file, str) and file and isinstance(number, int) and isinstance(text, str)):
        return None
    cell, cell_line = (data.get(k) for k in ("cell", "cell_line"))
    in_cell = (cell, cell_line) if isinstance(cell, int) and isinstance(cell_line, int) else (0, 0)
    return Line(visible(file, limit=80), number, visible(text, limit=300), *in_cell)


def place(index: tuple[int, ...], exercise: str, say: Texts) -> str:
    """An index in words: "sentence 0, row 1, column 0"; "" when course.toml names no such axes."""
    names = next((e.axes for e in say.assignment.exercises if e.id == exercise), [])
    if len(names) != len(index):
        return ""
    return ", ".join(f"{axis(name, say)} {i}" for name, i in zip(names, index, strict=True))


def _at(tensor: Printed) -> str:
    return next((c.text for row in tensor.lines for c in row.cells if c.first), "")


def _index(value: JsonValue) -> tuple[int, ...] | None:
    if isinstance(value, list) and all(isinstance(i, int) for i in value):
        return tuple(i for i in value if isinstance(i, int))
    return None


def _named(name: str, value: JsonValue) -> Named:
    view = tensor_view(value)
    return Named(visible(name, limit=40), printed(view) if view else None, "" if view else _plain(value))


def _kept_back(got: JsonValue) -> bool:
    """Whether what came back is only outlined (mistakes.views.outline)."""
    return isinstance(got, dict) and got.get("kept_back") is True


def _got(value: JsonValue, say: Texts) -> Rich:
    if isinstance(value, dict) and "exception" in value:
        text = _text(value.get("text"), 300)
        return say.rich("page.got_exception", {"kind": _text(value["exception"], 80), "text": text})
    if isinstance(value, dict) and _kept_back(value) and "kind" not in value:
        dtype = _text(value.get("dtype"), 20) if "shape" in value else ""
        return say.rich("page.got_kept_back", {"dtype": dtype})
    if isinstance(value, dict) and isinstance(value.get("shape"), list) and "values" not in value:
        params = {"shape": value["shape"], "dtype": _text(value.get("dtype"), 20)}
        return say.rich("page.got_large", params)
    if isinstance(value, dict) and "kind" in value:
        return say.rich("page.got_kind", {"kind": _text(value["kind"], 80)})
    plain = _plain(value)
    return say.rich("page.got_value", {"value": plain}) if plain else ()


def _plain(value: JsonValue) -> str:
    return "" if value is None or value == {} else visible(str(value), limit=300)


def _text(value: JsonValue, limit: int) -> str:
    return visible(value, limit=limit) if isinstance(value, str) else ""
