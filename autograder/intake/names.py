"""Which exercise a file name means, and how a stranger's name is written down."""

from __future__ import annotations

import re
import unicodedata

FILES = ("heads.py", "mask.py", "attention.py", "kv_cache.py")
NOTEBOOK = "multihead_mask.ipynb"
EXPECTED = (*FILES, NOTEBOOK)

# What browsers, Windows and Jupyter add: "heads (1).py", "heads - Copy.py", "heads-1.py", "Copy of heads.py",
# "heads.py.txt", "multihead_mask-Copy1.ipynb", "heads (1) (2).py"
_BEFORE = r"(?:(?:copy of|c[oó]pia de)[ _]+)?"
_AFTER = r"(?:[ _-]*(?:\(\d{1,3}\)|-? ?(?:copy|c[oó]pia)\d{0,3}|\d{1,3}))*"
_KNOWN = tuple(
    (
        expected,
        re.compile(
            _BEFORE
            + re.escape(expected.rpartition(".")[0]).replace("_", "[ _-]?")
            + _AFTER
            + re.escape("." + expected.rpartition(".")[2])
            + r"(?:\.txt)?"
        ),
    )
    for expected in EXPECTED
)
_JUNK_FOLDERS = {"__macosx", "__pycache__", "node_modules", "venv", "env", "site-packages", "mini_gpt2"}
_JUNK_FILES = {"thumbs.db", "desktop.ini"}


def meant(name: str) -> str | None:
    """The exercise file that this name stands for ("Heads (1).py" -> "heads.py"); None for any other."""
    if name in EXPECTED:
        return name
    plain = unicodedata.normalize("NFKC", name).casefold().strip()
    for expected, pattern in _KNOWN:
        if len(plain) <= 100 and pattern.fullmatch(plain):
            return expected
    return None


def junk(name: str, *, folder: bool) -> bool:
    """What systems and tools leave behind, and nobody meant to hand in."""
    low = name.casefold()
    if name.startswith("."):
        return True
    return low in _JUNK_FOLDERS if folder else low in _JUNK_FILES or low.endswith((".pyc", ".pyo"))


def printable(name: str) -> str:
    """A name as it can stand in a table: what does not print is written out (a line break as \\n)."""
    # A file name may hold bytes that are no UTF-8: Python keeps them as surrogates, JSON and CSV cannot.
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    text = unicodedata.normalize("NFC", text)
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
