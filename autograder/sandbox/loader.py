"""A submission's files as the package `exercises`, from memory, each file loaded when it is first needed.

`from exercises.norm import …`, `from norm import …`, `import norm` and, inside, `from .norm import …` all
give the same module; so do modules of the student's own that came with them, and packages of such. Names
given in `replace` are the reference's, whatever the student's files say.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import linecache
import marshal
import sys
from collections.abc import Collection, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from .failure import FileHung, Missing

PACKAGE = "exercises"


class Submission(MetaPathFinder, Loader):
    """Finds and loads the modules of one submission."""

    def __init__(
        self,
        files: Mapping[str, bytes],
        replace: Mapping[str, bytes],
        symbols: Mapping[str, str],
        hung: Collection[str] = (),
    ) -> None:
        """files: "norm.py" -> source; replace: symbol -> marshalled reference (see reference.py);
        symbols: symbol -> file; hung: files that are not to be tried again."""
        self._files = dict(files)
        self._replace = {s: code for s, code in replace.items() if s in symbols}
        self._symbols = dict(symbols)
        self._hung = frozenset(hung)
        self._failed: dict[str, BaseException] = {}
        self._references: dict[str, Any] = {}
        self._taken = {name.partition(".")[0] for name in sys.modules} | sys.stdlib_module_names
        for finder in sys.meta_path:
            self._taken |= finder.allowed if isinstance(finder, Gate) else frozenset()
        tops = {file.partition("/")[0].removesuffix(".py") for file in self._files}
        # The student's own modules of names that are somebody else's.
        self._double = {t for t in tops & self._taken if f"{t}.py" not in self._symbols.values()}
        self._begun = False  # with their packages
        for symbol in self._replace:
            self._files.setdefault(self._symbols[symbol], b"")

    def install(self) -> None:
        """Puts the submission in front of everything else that can be imported."""
        sys.meta_path.insert(0, self)

    def own_file(self, filename: str) -> str | None:
        """co_filename -> "norm.py", None for code that is not the submission's."""
        if type(filename) is not str:
            return None
        package, _, name = filename.partition("/")
        return name if package == PACKAGE and name in self._files else None

    def load(self, file: str) -> ModuleType:
        """The module of a file. Whatever the student's code raises comes out."""
        self._packages_first()
        return importlib.import_module(f"{PACKAGE}.{file.removesuffix('.py')}")

    def _packages_first(self) -> None:
        """The student's own packages before the exercises that lay in them, as Python does where they were
        written: an `__init__` may import them all, and each of them the package."""
        if self._begun:
            return
        self._begun = True
        for file in sorted(f for f in self._files if f.endswith("/__init__.py")):
            with contextlib.suppress(BaseException):  # said where an exercise needs it
                importlib.import_module(f"{PACKAGE}.{file.removesuffix('/__init__.py').replace('/', '.')}")

    def lookup(self, symbol: str) -> Any:
        """A symbol of the submission. Raises Missing where the file does not define it."""
        module = self.load(self._symbols[symbol])
        if symbol not in vars(module):
            raise Missing(symbol)
        return vars(module)[symbol]

    # -- what the import system asks --

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == PACKAGE:
            return ModuleSpec(name, self, is_package=True)
        inside = name.startswith(PACKAGE + ".")
        rest = name.removeprefix(PACKAGE + ".")
        if not inside and self._somebody_elses(rest):
            return None
        file = self._file_of(rest)
        if file is None:
            return None
        is_package = not file.endswith(".py") or file.endswith("/__init__.py")
        return ModuleSpec(name, self, origin=f"{PACKAGE}/{file}", is_package=is_package)

    def _file_of(self, name: str) -> str | None:
        """ "helpers.shapes" -> "helpers/shapes.py"; "helpers" for a folder without __init__.py."""
        path = name.replace(".", "/")
        for file in (f"{path}.py", f"{path}/__init__.py"):
            if file in self._files:
                return file
        return path if any(file.startswith(path + "/") for file in self._files) else None

    def _somebody_elses(self, name: str) -> bool:
        """Whether a short name is that of a package that torch and others may need: it keeps its meaning."""
        top = name.partition(".")[0]
        return f"{top}.py" not in self._symbols.values() and top in self._taken

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        if spec.name == PACKAGE or spec.name.startswith(PACKAGE + "."):
            return None
        return importlib.import_module(f"{PACKAGE}.{spec.name}")  # `norm` is `exercises.norm`

    def exec_module(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is None:
            return
        if spec.name == PACKAGE:
            vars(module)["__getattr__"] = self._of_package
            return
        file = (spec.origin or "").removeprefix(PACKAGE + "/")
        if not spec.name.startswith(PACKAGE + "."):  # the short name: already loaded, keep its own spec
            own = spec.submodule_search_locations is not None
            module.__spec__ = ModuleSpec(f"{PACKAGE}.{spec.name}", self, origin=spec.origin, is_package=own)
            return
        if file not in self._files:  # a folder
            return
        if file in self._failed:
            failed = self._failed[file]
            raise failed.with_traceback(failed.__traceback__)
        replaced = {s for s in self._replace if self._symbols[s] == file}
        try:
            self._run(file, module)
        except BaseException as error:  # SystemExit and KeyboardInterrupt are the student's here, too
            if not replaced:
                self._failed[file] = error
                raise
        # Other modules may hold it under its name, too: what they use must be the reference as well.
        for symbol in replaced | (self._replace.keys() & vars(module).keys()):
            vars(module)[symbol] = self._reference(symbol)

    def _of_package(self, name: str) -> Any:
        """`from exercises import layer_norm`, whatever the student's own `__init__` there says."""
        try:
            if name in self._symbols and self._symbols[name] in self._files:
                return self.lookup(name)
        except Missing:
            pass
        raise AttributeError(f"module {PACKAGE!r} has no attribute {name!r}", name=name)

    def _reference(self, symbol: str) -> Any:
        """One object in all modules."""
        if symbol not in self._references:
            self._references[symbol] = reference_symbol(symbol, self._replace[symbol])
        return self._references[symbol]

    def _run(self, file: str, module: ModuleType) -> None:
        if file in self._hung:
            raise FileHung(file)
        source = self._files[file]
        filename = f"{PACKAGE}/{file}"
        module.__file__ = filename
        lines = source.decode("utf-8", "replace").splitlines(keepends=True)
        linecache.cache[filename] = (len(source), None, lines, filename)  # for tracebacks and inspect
        if self._double:
            vars(module)["__builtins__"] = vars(builtins) | {"__import__": self._import}
        exec(compile(source, filename, "exec", dont_inherit=True), vars(module))

    def _import(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,
        locals: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """`from random import …` in the student's files: their own random.py, where it has these names."""
        if level == 0 and fromlist and name.partition(".")[0] in self._double:
            own = importlib.import_module(f"{PACKAGE}.{name}")
            if all(hasattr(own, wanted) for wanted in fromlist):
                return own
        return builtins.__import__(name, globals, locals, fromlist or (), level)


def reference_symbol(symbol: str, code: bytes) -> Any:
    """The reference's own object of that name, from its marshalled code."""
    module = ModuleType("reference")
    exec(marshal.loads(code), vars(module))
    return vars(module)[symbol]


class Gate(MetaPathFinder):
    """Stands before sys.path: packages that are installed, but not for submissions, are not found.

    Only a courtesy, so that `try: import x` works as on a machine without x; what keeps them out is the lock-
    down. What stands in for the well-known ones comes after it: standins.StandIns.
    """

    def __init__(self, allowed: Collection[str]) -> None:
        self.allowed = frozenset(allowed) | sys.stdlib_module_names

    def install(self) -> None:
        """Takes the place of the finder that searches sys.path."""
        sys.meta_path[:] = [self if finder is PathFinder else finder for finder in sys.meta_path]

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name.partition(".")[0] in self.allowed:
            return PathFinder.find_spec(name, path, target)
        return None
