"""Which exercise a file name means, and how a stranger's name is written down."""

from __future__ import annotations

import unicodedata

from autograder.assignment import Assignment

Expected = tuple[str, ...]  # the names of an assignment's files, and at the end its notebook's

_LONGEST = 100  # characters of a name that may still mean an exercise
# What browsers, Windows, Jupyter and people add: "norm (1).py", "norm - Copy.py", "norm-1.py", "Copy of
# norm.py", "norm.py.txt", "exercises-Copy1.ipynb", "norm_final.py". One at a time is taken off.
_BEFORE = ("copy of", "copia de", "cópia de")
_AFTER = (
    "copy",
    "copia",
    "cópia",
    "final",
    "new",
    "novo",
    "done",
    "fixed",
    "solved",
    "resolvido",
    "corrigido",
)
_CODE = (".py", ".pyw", ".py3", ".ipynb", ".txt", ".json", ".bak", ".old", ".orig", ".py~")
_ARCHIVES = (".zip", ".zipx", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".gz", ".bz2", ".xz", ".rar", ".7z")
_JUNK_FOLDERS = {"__macosx", "__pycache__", "node_modules", "venv", "env", "site-packages"}
_JUNK_FILES = {"thumbs.db", "desktop.ini"}
_NOBODYS = _JUNK_FILES | {".ds_store", ".localized", ".directory", ".gitkeep", ".keep"}


def expected(assignment: Assignment) -> Expected:
    """The names that work is expected under."""
    return (*assignment.files, assignment.notebook)


def meant(name: str, expected: Expected) -> str | None:
    """The exercise file that this name stands for ("Norm (1).py" -> "norm.py"); None for any other."""
    if name in expected:
        return name
    if len(name) > _LONGEST:  # before anything is done with it: a name in an archive may have 65,535 bytes
        return None
    plain = unicodedata.normalize("NFKC", name)
    if len(plain) > _LONGEST:
        return None
    plain = "".join(c for c in plain if unicodedata.category(c) != "Cf")  # marks of direction, say
    stem, dot, ending = plain.casefold().strip().rstrip(" .").removesuffix(".txt").rpartition(".")
    known = {_squeezed(e.rpartition(".")[0]): e for e in expected if e.endswith(dot + ending) and dot}
    for before in _BEFORE:
        if stem.startswith((before + " ", before + "_")):
            stem = stem[len(before) :].lstrip(" _")
    while _squeezed(stem) not in known:
        shorter = _without_last(stem.rstrip(" _-"))
        if shorter == stem:
            return None
        stem = shorter
    return known[_squeezed(stem)]


def _squeezed(stem: str) -> str:
    return stem.replace(" ", "").replace("_", "").replace("-", "")


def without_copy(stem: str) -> str:
    """A name without one "(1)" at its end."""
    start = stem.rfind("(")
    return stem[:start] if stem.endswith(")") and start >= 0 and _few_digits(stem[start + 1 : -1]) else stem


def _without_last(stem: str) -> str:
    """A name without one addition at its end: "(1)", "copy", "copy2", "v2", "17", "final"."""
    if stem.endswith(")"):
        return without_copy(stem)
    bare = stem.rstrip("0123456789")
    if bare != stem:
        return bare.removesuffix("v")
    for word in _AFTER:
        if bare.endswith(word):
            return bare[: -len(word)]
    return bare


def _few_digits(text: str) -> bool:
    return 1 <= len(text) <= 3 and text.isascii() and text.isdigit()


def may_be_work(name: str, expected: Expected) -> bool:
    """Whether a file of this name can hold an exercise: code, a notebook or an archive of them."""
    low = name.casefold()
    if low.endswith((*_CODE, *_ARCHIVES)) or "." not in low.strip("."):
        return True
    return meant(name, expected) is not None


def junk(name: str, *, folder: bool) -> bool:
    """What systems and tools leave behind, and nobody meant to hand in."""
    low = name.casefold()
    if name.startswith("."):
        return True
    return low in _JUNK_FOLDERS if folder else low in _JUNK_FILES or low.endswith((".pyc", ".pyo"))


def nobodys(name: str) -> bool:
    """Whether a file comes from the system alone: where only such files lie, nothing was handed in."""
    low = name.casefold()
    return low in _NOBODYS or low.startswith("._")


def printable(name: str) -> str:
    """A name as it can stand in a table: what does not print is written out (a line break as \\n)."""
    # A file name may hold bytes that are no UTF-8: Python keeps them as surrogates, JSON and CSV cannot.
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    text = unicodedata.normalize("NFC", text)
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def shortened(name: str, most: int = 200) -> str:
    """A name without its middle, when it is longer than anybody reads."""
    return name if len(name) <= most else f"{name[: most * 2 // 3]}…{name[-most // 4 :]}"
