"""CSV files as people and learning platforms write them: any usual encoding and separator, all cells text."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Self

from autograder.bounded import MOST_TABLE_BYTES

SEPARATORS = (",", ";", "\t")
# What begins a formula in a spreadsheet, also after a separator that it may split a cell at. Apostrophes that
# stand there already belong to the text.
_FORMULA = re.compile(r"(^|[;,|\t\n\r\"])(\s*)(?='*[=+\-@＝＋－＠])")
_MADE_SAFE = re.compile(r"(^|[;,|\t\n\r\"])(\s*)'(?='*[=+\-@＝＋－＠])")


class TableError(Exception):
    """A table that cannot be used; the text names the file, says what is wrong and what to do."""


@dataclass(frozen=True)
class Table:
    """A CSV file as it was read. `rows`: the cells of each line under its header, missing ones empty."""

    path: Path
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    encoding: str  # "utf-8-sig", "utf-16" or "cp1252"
    separator: str

    def records(self) -> list[dict[str, str]]:
        """Each row by its column's name as in the file, without the blanks around it and its cells."""
        names = [name.strip() for name in self.header]
        return [dict(zip(names, (cell.strip() for cell in row), strict=False)) for row in self.rows]


@dataclass(frozen=True)
class Row:
    """Base of what is one row of a table of ours: the fields are the columns, all of them text."""

    @classmethod
    def columns(cls) -> tuple[str, ...]:
        """In the order of the fields."""
        return tuple(f.name for f in fields(cls))

    @classmethod
    def of(cls, record: dict[str, str]) -> Self:
        """From a record as `text` writes it; columns that are not ours are left out."""
        return cls(**{name: as_it_was(record.get(name, "")) for name in cls.columns()})

    @classmethod
    def text(cls, rows: Iterable[Self]) -> str:
        """The text of the table, its cells made safe: students give names to themselves and to files."""
        columns = cls.columns()
        return table_text(columns, ([safe(getattr(one, name)) for name in columns] for one in rows))


def read_table(path: Path) -> Table:
    """Reads a CSV file. Raises TableError.

    Encoding: UTF-8 with or without BOM, UTF-16 with BOM, else cp1252 (latin-1 where that fails). Separator:
    the commonest of comma, semicolon and tab in the header, outside quotes. No cell is taken for a number:
    leading zeros stay.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_TABLE_BYTES + 1)
    except OSError as e:
        raise TableError(f"{path}: cannot be read ({e.strerror}). Give the path of a CSV file.") from None
    if len(data) > MOST_TABLE_BYTES:
        raise TableError(f"{path}: is larger than {MOST_TABLE_BYTES >> 20} MB. Is it the right file?")
    text, encoding = _decoded(data)
    separator = _separator(text)
    try:
        lines = [tuple(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator)]
    except csv.Error as e:
        raise TableError(f"{path}: is no CSV file ({e}). Export it again as CSV.") from None
    lines = [line for line in lines if any(cell.strip() for cell in line)]
    if not lines:
        raise TableError(f"{path}: is empty. Give a CSV file with a line of column names.")
    width = len(lines[0])
    rows = tuple((*line, *[""] * (width - len(line))) for line in lines[1:])
    return Table(path, lines[0], rows, encoding, separator)


def table_text(header: Sequence[str], rows: Iterable[Sequence[str]], separator: str = ",") -> str:
    """The text of a CSV file; lines end in LF. Cells are written as they are."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def safe(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: an apostrophe goes before what would begin one."""
    return _FORMULA.sub(r"\1\2'", cell)


def as_it_was(cell: str) -> str:
    """The text that `safe` made this cell of."""
    return _MADE_SAFE.sub(r"\1\2", cell)


def same_text(text: str) -> str:
    """A text as it is compared: an é is the same whether it was typed as one character or as two."""
    return unicodedata.normalize("NFC", text)


def _decoded(data: bytes) -> tuple[str, str]:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace"), "utf-16"
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1"), "cp1252"


def _separator(text: str) -> str:
    """The commonest in the first line that is not empty, outside quotes; a comma where there is none."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    outside = "".join(first.split('"')[::2])
    return max(SEPARATORS, key=outside.count)
