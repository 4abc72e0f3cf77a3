"""JSON -> cells. Notebook formats 2, 3 and 4; damaged files as far as whole cells can be found in them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

HEAVY = frozenset({"outputs", "attachments", "pyout"})  # never needed, and where the megabytes are
_KEYS = "attachments|cell_type|collapsed|execution_count|id|metadata|outputs|source"
_CELL_BEGINS = re.compile(rf'\{{\s*"(?:{_KEYS})"')


@dataclass(frozen=True)
class Cell:
    """One cell: `type` is "code", "markdown" or "raw"; `grade_id` is nbgrader's name for it, or ""."""

    type: str
    source: str
    grade_id: str = ""


class NotANotebook(Exception):
    """Nothing in these bytes can be used."""


def read_cells(data: bytes, max_code: int) -> tuple[list[Cell], str]:
    """All cells, and what is wrong with the file ("" when nothing is). Raises NotANotebook.

    Cells are read until their text comes to more than `max_code` characters.
    """
    text = _text(data)
    damage = ""
    try:
        found = _raw_cells(json.loads(text, object_pairs_hook=_light))
    except (ValueError, RecursionError) as e:
        damage = e.msg + f" (line {e.lineno})" if isinstance(e, json.JSONDecodeError) else "nested too deeply"
        found = _saved(text)
        if not found:
            raise NotANotebook(damage) from None
    cells = []
    left = max_code
    for raw in found:
        cell = _cell(raw)
        if cell is None:
            continue
        left -= len(cell.source)
        if left < 0:
            damage = damage or "more text than is read"
            break
        cells.append(cell)
    return cells, damage


def _text(data: bytes) -> str:
    for encoding in ("utf-8-sig", "utf-16") if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig",):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")


def _light(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key: value for key, value in pairs if key not in HEAVY}


def _raw_cells(notebook: Any) -> list[Any]:
    """The list of cells of any format. Raises NotANotebook."""
    if not isinstance(notebook, dict):
        raise NotANotebook("not a notebook")
    cells = notebook.get("cells")
    if isinstance(cells, list):  # format 4
        return cells
    sheets = notebook.get("worksheets")
    if isinstance(sheets, list):  # formats 2 and 3
        lists = [s.get("cells") for s in sheets if isinstance(s, dict)]
        return [cell for one in lists if isinstance(one, list) for cell in one]
    raise NotANotebook("not a notebook: it has no cells")


def _saved(text: str) -> list[Any]:
    """Whole cells in text that is not JSON as a whole (cut off, or with a merge conflict in it)."""
    decoder = json.JSONDecoder(object_pairs_hook=_light)
    found: list[Any] = []
    at = 0
    while match := _CELL_BEGINS.search(text, at):
        try:
            value, at = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            at = match.end()
            continue
        if isinstance(value, dict) and "cell_type" in value:
            found.append(value)
        elif isinstance(value, dict) and not ("name" in value or "data" in value):
            at = match.end()  # metadata and the like: look inside
    return found


def _cell(raw: Any) -> Cell | None:
    if not isinstance(raw, dict):
        return None
    source = raw.get("source", raw.get("input", ""))  # "input" until format 3
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    if not isinstance(source, str):
        return None
    metadata = raw.get("metadata")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    grade_id = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    kind = raw.get("cell_type")
    kind = kind if kind in ("code", "markdown", "raw") else "markdown"  # "heading" until format 3
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    return Cell(kind, source, grade_id if isinstance(grade_id, str) else "")
