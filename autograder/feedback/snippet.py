"""A public example as Python that can be pasted and run, with all its numbers."""

from __future__ import annotations

from pydantic import JsonValue

from autograder.assignment import Assignment
from autograder.feedback.tensors import TensorView, tensor_view

MOST = 1500  # letters: more is not pasted by anybody


def snippet(data: dict[str, JsonValue], assignment: Assignment, *, notebook: bool) -> str:
    """What to paste, where the example (`TestResult.shown`) can be tried; "" where it cannot.

    In a notebook the functions are there already; elsewhere they are imported from the exercises' folder.
    """
    tried, setup, inputs = data.get("tried"), data.get("setup"), data.get("inputs")
    if not (isinstance(tried, str) and tried and isinstance(setup, str) and isinstance(inputs, dict)):
        return ""
    lines = ["import torch"]
    if not notebook:
        file_of: dict[str, str] = {}
        for each in assignment.exercises:
            file_of |= {s: each.file for s in each.symbols if s not in file_of}
        used = [s for s in file_of if f"{s}(" in tried + setup]
        package = assignment.exercises_folder.name
        lines += [f"from {package}.{file_of[s].removesuffix('.py')} import {s}" for s in used]
    lines.append("")
    for name, value in inputs.items():
        view = tensor_view(value)
        if view is None:
            return ""
        if name.isidentifier():
            lines.append(f"{name} = torch.tensor({_values(view)})")
    lines += [*setup.splitlines(), tried]
    text = "\n".join(lines)
    return text if len(text) <= MOST else ""


def _values(view: TensorView) -> str:
    """Nested lists; whole numbers of a float tensor keep their point, so that it stays one."""

    def text(value: object) -> str:
        if isinstance(value, list):
            return f"[{', '.join(text(v) for v in value)}]"
        if isinstance(value, int | float) and not isinstance(value, bool) and view.dtype.startswith("float"):
            return f"{float(value):.6g}" + ("." if float(value) == int(value) and abs(value) < 1e6 else "")
        return str(value)

    return text(view.values)
