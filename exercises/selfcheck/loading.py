"""Finds and runs the student's files, and says in plain words when one cannot be run.

The files are the package `exercises`, wherever they lie (`--code FOLDER`): `from exercises.norm import ...`,
`from .norm import ...`, `from norm import ...` and `from FOLDER.norm import ...` all mean the same file.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import re
import sys
import tokenize
import traceback
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from exercises.selfcheck.chapter import FILE_OF, FILES
from exercises.selfcheck.debugging import QUIT
from exercises.selfcheck.timelimit import TimeLimit
from exercises.selfcheck.trouble import FileTrouble, NotWritten, Place, Raised, Trouble

STUBS = Path(__file__).resolve().parent.parent


class Code(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The student's files in `folder`; a file that is not there is the stub."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._stems = {Path(file).stem for file in FILES}
        self._trouble: dict[str, Trouble] = {}  # file -> why it cannot be used: told again, not tried again

    def install(self) -> None:
        """From now on imports of the student's files come here."""
        for stem in self._stems:
            sys.modules.pop(f"exercises.{stem}", None)
        sys.meta_path.insert(0, self)
        if self.folder != STUBS and str(self.folder.parent) not in sys.path:
            sys.path.append(str(self.folder.parent))

    def uninstall(self) -> None:
        """Forgets the student's files, and what they import that lies beside them."""
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(self)
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            if file is not None and Path(file).stem != "__init__" and self.owns(Path(file)):
                del sys.modules[name]
        importlib.invalidate_caches()

    def path(self, file: str) -> Path:
        """Where that file of the student's is."""
        return self.folder / file if (self.folder / file).exists() else STUBS / file

    def owns(self, path: Path) -> bool:
        """Whether a line of this file is the student's."""
        if path.parent == self.folder and not path.name.startswith(("test_", "conftest")):
            return True
        return path.parent == STUBS and path.name in FILES

    def get(self, symbol: str, run: Callable[[Callable[[], Any]], Any]) -> Any:
        """The student's function or class. `run` runs their file (with a time limit). Raises Trouble."""
        file = FILE_OF[symbol]
        module = run(lambda: importlib.import_module(f"exercises.{Path(file).stem}"))
        if not callable(getattr(module, symbol, None)):
            raise missing(symbol, file, [name for name in vars(module) if not name.startswith("__")])
        return getattr(module, symbol)

    def load_all(self) -> None:
        """Runs the files now; what is wrong with one is told when it is asked for."""
        for file in FILES:
            with contextlib.suppress(Trouble):
                importlib.import_module(f"exercises.{Path(file).stem}")

    # -- importlib's side ------------------------------------------------------------------------------------

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """importlib asks: is this module one of the student's?"""
        package, _, stem = fullname.rpartition(".")
        if stem not in self._stems or package not in ("", "exercises", self.folder.name):
            return None
        if package == "exercises":
            return importlib.util.spec_from_loader(fullname, self, origin=str(self.path(f"{stem}.py")))
        return importlib.util.spec_from_loader(fullname, _Alias(f"exercises.{stem}"))

    def exec_module(self, module: ModuleType) -> None:
        """importlib asks: run it."""
        file = f"{module.__name__.rpartition('.')[2]}.py"
        if file in self._trouble:
            raise self._trouble[file].with_traceback(None)
        path = self.path(file)
        module.__file__ = str(path)
        try:
            exec(compiled(path), module.__dict__)  # the student's own code, on their own machine
        except TimeLimit:
            self._trouble[file] = FileTrouble("file.endless", file)
            raise self._trouble[file] from None
        except QUIT:
            raise
        except (Exception, SystemExit) as error:
            self._trouble[file] = explained(error, self.folder)
            raise self._trouble[file] from error


class _Alias(importlib.abc.Loader):
    """`norm` is `exercises.norm`: the same module, not a second one."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        self._module = importlib.import_module(self._name)
        self._spec = self._module.__spec__
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


def compiled(path: Path) -> CodeType:
    """The file's code. Raises FileTrouble: not there, not UTF-8, a syntax error."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FileTrouble("file.missing", path.name) from None
    except OSError as e:
        raise FileTrouble("file.unreadable", path.name, reason=e.strerror or "") from None
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data:
        raise FileTrouble("file.utf16", path.name)
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(data).readline)
        data.decode(encoding)
    except UnicodeDecodeError as e:
        raise _not_utf8(path.name, data, e.start) from None
    except SyntaxError:  # bytes that are not UTF-8, or an encoding that Python does not know
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as e:
            raise _not_utf8(path.name, data, e.start) from None
        raise FileTrouble("file.encoding_unknown", path.name) from None
    try:
        return compile(ast.parse(data, filename=str(path)), str(path), "exec")
    except SyntaxError as e:
        kind = "file.indentation" if isinstance(e, IndentationError) else "file.syntax"
        text = (e.text or "").strip()
        raise FileTrouble(kind, path.name, Place(path.name, e.lineno or 1, text), says=e.msg) from None


def _not_utf8(file: str, data: bytes, position: int) -> FileTrouble:
    line = data.count(b"\n", 0, position) + 1
    text = data.splitlines()[line - 1].decode("ascii", "replace").replace("\ufffd", "?").strip()
    return FileTrouble("file.not_utf8", file, Place(file, line, text))


def missing(symbol: str, file: str, names: Sequence[str]) -> FileTrouble:
    """The file has no such function; `names` is what it has."""
    near = difflib.get_close_matches(symbol, [n for n in names if n not in FILE_OF], n=1, cutoff=0.6)
    if near:
        return FileTrouble("file.no_symbol_but", file, symbol=symbol, near=near[0])
    return FileTrouble("file.no_symbol", file, symbol=symbol)


def explained(error: BaseException, folder: Path) -> Trouble:
    """What escaped from student code, as Trouble with the student's own line."""
    if isinstance(error, Trouble):
        return error
    place = place_of(error, folder)
    text = str(error).strip()
    if isinstance(error, NotImplementedError):
        named = re.match(r"\w+", text)  # a stub says whose it is
        return NotWritten(named[0] if named and named[0] in FILE_OF else "")
    if isinstance(error, ModuleNotFoundError) and error.name:
        return Raised("raised.no_module", "ModuleNotFoundError", text, place, module=error.name)
    if isinstance(error, ImportError):
        lost = re.match(r"cannot import name '(\w+)' from '[\w.]*?(\w+)'", text)
        if lost and lost[1] in FILE_OF and f"{lost[2]}.py" in FILES:
            return missing(lost[1], FILE_OF[lost[1]], [])
    if isinstance(error, RecursionError):
        return Raised("raised.recursion", "RecursionError", text, place)
    if isinstance(error, MemoryError) or "not enough memory" in text:
        return Raised("raised.memory", type(error).__name__, text, place)
    if isinstance(error, SystemExit):
        return Raised("raised.exit", "SystemExit", text, place)
    return Raised("raised.error", type(error).__name__, text, place)


def place_of(error: BaseException, folder: Path) -> Place | None:
    """The innermost line of the traceback that lies in one of the student's files."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.name in FILES and path.parent in (folder, STUBS):
            return Place(path.name, frame.lineno or 1, (frame.line or "").strip())
    return None
