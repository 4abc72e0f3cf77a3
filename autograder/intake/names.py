"""Which exercise a file name means, and how a stranger's name is written down."""

from __future__ import annotations

import re
import unicodedata

FILES = ("heads.py", "mask.py", "attention.py", "kv_cache.py")
NOTEBOOK = "multihead_mask.ipynb"
EXPECTED = (*FILES, NOTEBOOK)

_LONGEST = 100  # characters of a name that may still mean an exercise
# What browsers, Windows, Jupyter and people add: "heads (1).py", "heads - Copy.py", "heads-1.py", "Copy of
# heads.py", "heads.py.txt", "multihead_mask-Copy1.ipynb", "heads_final.py". One at a time is taken off.
_BEFORE = re.compile(r"(?:copy of|c[oó]pia de)[ _]+")
_AFTER = re.compile(
    r"(?:\(\d{1,3}\)|copy\d{0,3}|c[oó]pia\d{0,3}|v\d{1,3}|\d{1,3}"
    r"|final|new|novo|done|fixed|solved|resolvido|corrigido)$"
)
_JUNK_FOLDERS = {"__macosx", "__pycache__", "node_modules", "venv", "env", "site-packages", "mini_gpt2"}
_JUNK_FILES = {"thumbs.db", "desktop.ini"}


def meant(name: str) -> str | None:
    """The exercise file that this name stands for ("Heads (1).py" -> "heads.py"); None for any other."""
    if name in EXPECTED:
        return name
    if len(name) > _LONGEST:
        return None
    plain = unicodedata.normalize("NFKC", name).casefold().strip()
    stem, dot, ending = plain.removesuffix(".txt").rpartition(".")
    known = {_squeezed(e.rpartition(".")[0]): e for e in EXPECTED if e.endswith(dot + ending) and dot}
    if before := _BEFORE.match(stem):
        stem = stem[before.end() :]
    while _squeezed(stem) not in known:
        shorter = _AFTER.sub("", stem.rstrip(" _-"))
        if shorter == stem:
            return None
        stem = shorter
    return known[_squeezed(stem)]


def _squeezed(stem: str) -> str:
    return re.sub("[ _-]", "", stem)


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
