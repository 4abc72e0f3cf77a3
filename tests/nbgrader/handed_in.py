"""Notebooks as students hand them in, made from the released one."""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
Json = dict[str, Any]


def solution(symbol: str) -> str:
    """The solution's text of one exercise, without its imports."""
    for name in ("heads", "mask", "attention", "kv_cache"):
        text = (ROOT / "solutions" / f"{name}.py").read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == symbol:
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                return "\n".join(text.split("\n")[first - 1 : node.end_lineno])
    raise LookupError(symbol)


ALL = {
    s: solution(s)
    for s in (
        "split_heads",
        "merge_heads",
        "causal_mask",
        "causal_softmax",
        "concat_and_project",
        "MultiHeadAttention",
        "attend_with_cache",
        "generate",
    )
}


def released() -> Json:
    """The students' notebook that ships with the kit."""
    data: Json = json.loads((ROOT / "exercises" / "multihead_mask.ipynb").read_text(encoding="utf-8"))
    return data


def filled(answers: Mapping[str, str]) -> Json:
    """The notebook with these cells written; the others as released."""
    notebook = copy.deepcopy(released())
    for cell in notebook["cells"]:
        if grade_id(cell) in answers:
            cell["source"] = answers[grade_id(cell)]
    return notebook


def grade_id(cell: Json) -> str:
    """nbgrader's name of a cell."""
    return str(cell["metadata"].get("nbgrader", {}).get("grade_id", ""))


def code(source: str) -> Json:
    """A code cell that a student added."""
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}


def prose(source: str) -> Json:
    """A text cell that a student added."""
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def before(notebook: Json, name: str, *cells: Json) -> Json:
    """Cells put in front of the cell of that name."""
    at = next(i for i, c in enumerate(notebook["cells"]) if grade_id(c) == name)
    notebook["cells"][at:at] = list(cells)
    for i, cell in enumerate(notebook["cells"]):
        cell["id"] = f"c{i}"
    return notebook


def data(notebook: Json) -> bytes:
    """As it lies on the disk."""
    return json.dumps(notebook).encode()


def changed(symbol: str, *swaps: tuple[str, str]) -> dict[str, str]:
    """The solutions with text of one exercise exchanged."""
    text = ALL[symbol]
    for old, new in swaps:
        assert old in text, (symbol, old)
        text = text.replace(old, new)
    return {**ALL, symbol: text}
