"""A CSV file of somebody else's in which single cells are filled, and everything else stays byte for byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.exporters.exporter import ExportError
from autograder.gradebook.tables import read_table

BOMS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
NUMBER = re.compile(r"-?\d+([.,])\d{1,2}")


@dataclass
class RawCsv:
    """rows: of raw cells, quotes and all; ends: what ends each row; head: the row of the columns' names."""

    path: Path
    separator: str
    codec: str
    bom: bytes
    rows: list[list[str]]
    ends: list[str]
    head: int

    @classmethod
    def read(cls, path: Path) -> RawCsv:
        """Raises TableError; ExportError for a file that could not be written as it is."""
        table = read_table(path)
        data = path.read_bytes()
        if data.startswith(b"PK\x03\x04"):
            raise ExportError(
                f"{path}: is a file of Excel or a zip. Give the CSV file as the platform made it."
            )
        bom, codec = _codec(data, table.encoding)
        text = data[len(bom) :].decode(codec, "replace")
        rows, ends = _split(text, table.separator)
        head = next(i for i, row in enumerate(rows) if any(value(cell).strip() for cell in row))
        file = cls(path, table.separator, codec, bom, rows, ends, head)
        if file.bytes() != data:
            raise ExportError(f"{path}: has characters that are no {codec}. Download it again.")
        return file

    def header(self) -> list[str]:
        """The columns' names."""
        return [value(cell).strip() for cell in self.rows[self.head]]

    def body(self) -> list[int]:
        """The rows below the header that are not empty."""
        below = range(self.head + 1, len(self.rows))
        return [row for row in below if any(value(cell).strip() for cell in self.rows[row])]

    def get(self, row: int, column: int) -> str:
        """The value of a cell; "" of one that is not there."""
        return value(self.rows[row][column]).strip() if column < len(self.rows[row]) else ""

    def set(self, row: int, column: int, text: str) -> None:
        """Fills a cell, quoted where it was, or where its whole row is. One that says so already stays."""
        if self.get(row, column) == text:
            return
        cells = self.rows[row]
        cells += [""] * (column + 1 - len(cells))
        others = [cell for i, cell in enumerate(cells) if i != column and cell]
        quoted = cells[column].startswith('"') or (others and all(c.startswith('"') for c in others))
        special = any(c in text for c in (self.separator, '"', "\n", "\r"))
        escaped = text.replace('"', '""')
        cells[column] = f'"{escaped}"' if quoted or special else text

    def bytes(self) -> bytes:
        """The file."""
        text = "".join(self.separator.join(r) + e for r, e in zip(self.rows, self.ends, strict=True))
        try:
            return self.bom + text.encode(self.codec)
        except UnicodeEncodeError:
            raise ExportError(
                f"{self.path}: is {self.codec}, which cannot hold all that is to be written. Save it as UTF-8."
            ) from None

    def decimal_comma(self, columns: Sequence[int]) -> bool:
        """Whether the numbers have a comma: in these columns, else anywhere. A point where nothing shows it:
        that is read by all platforms."""
        everywhere = range(len(self.header()))
        for some in (columns, everywhere):
            cells = (self.get(row, column) for row in self.body() for column in some)
            if marks := {found[1] for cell in cells if (found := NUMBER.fullmatch(cell))}:
                return marks == {","}
        return False


def value(raw: str) -> str:
    """What a raw cell says; also one that is written as ="text", so that no spreadsheet takes it for more."""
    if raw.startswith('"'):
        quoted = re.fullmatch(r'"((?:[^"]|"")*)"?(.*)', raw, re.DOTALL)
        assert quoted is not None
        raw = quoted[1].replace('""', '"') + quoted[2]
    formula = re.fullmatch(r'="(.*)"', raw, re.DOTALL)
    return formula[1] if formula else raw


def number(text: str) -> float | None:
    """A number with either decimal mark; None for anything else."""
    found = re.fullmatch(r"\d{1,6}([.,]\d{1,6})?", text.strip())
    return float(found[0].replace(",", ".")) if found else None


def _codec(data: bytes, encoding: str) -> tuple[bytes, str]:
    """(BOM, how the rest is encoded) of a file that read_table has read as `encoding`."""
    for bom, codec in BOMS.items():
        if data.startswith(bom):
            return bom, codec
    if encoding == "cp1252":
        try:
            data.decode("cp1252")
        except UnicodeDecodeError:
            return b"", "latin-1"
    return b"", "utf-8" if encoding == "utf-8-sig" else encoding


def _split(text: str, separator: str) -> tuple[list[list[str]], list[str]]:
    """Raw cells and line ends. A quote means something at the beginning of a cell only, as csv has it."""
    other = rf"[^{re.escape(separator)}\r\n]*"
    cell = re.compile(rf'("(?:[^"]|"")*"?{other}|{other})({re.escape(separator)}|\r\n|\r|\n|\Z)')
    rows: list[list[str]] = []
    ends: list[str] = []
    cells: list[str] = []
    at = 0
    while at < len(text) or cells:
        found = cell.match(text, at)
        assert found is not None
        at = found.end()
        cells.append(found[1])
        if found[2] != separator:
            rows.append(cells)
            ends.append(found[2])
            cells = []
            if not found[2]:
                break
    return rows, ends
