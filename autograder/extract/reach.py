"""Which uses of a name count: those in the files where it does, and in what these use of other files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

NOT_RUN = "<never>"  # owner of what does not run when the file is imported
AT_IMPORT = "<import>"  # owner of what does
RUNS_TEXT = "<runs text>"  # mentioned by a file that runs text as code

BUILTINS = frozenset({"builtins", "__builtins__"})
# With these a file gets at what others hold without naming it.
_GETS_AT_ALL = frozenset(
    {
        "__globals__", "__dict__", "__import__", "__getattribute__", "__getattr__", "__subclasses__",
        "attrgetter", "f_back", "f_globals", "get_objects", "get_referrers", "getattr", "getmembers",
        "globals", "import_module", "inspect", "modules", "vars", RUNS_TEXT, *BUILTINS,
    }
)  # fmt: skip


@dataclass(frozen=True)
class Wanted:
    """Where a name counts: anywhere, or in these files, in whatever defines one of these symbols, and in what
    these use of the other files."""

    name: str  # "system", "nn.attention", "_scaled_*"
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()

    @property
    def anywhere(self) -> bool:
        """Whether it counts in every file."""
        return not self.files and not self.symbols


@dataclass(frozen=True)
class Use:
    """A name that is looked for, and how it is spelt here."""

    found: str
    spelt: str
    line: int
    owner: str  # the name at the left edge that it belongs to
    bare: bool  # only the name: it may be the student's own function of that name


@dataclass
class File:
    """What was found in one file."""

    uses: list[Use] = field(default_factory=list)
    needs: dict[str, set[str]] = field(default_factory=dict)  # owner -> names it mentions
    defines: set[str] = field(default_factory=set)  # at the left edge
    own: set[str] = field(default_factory=set)  # whatever is given a value anywhere
    star: bool = False  # takes everything from a module that is not the student's own

    def mentions(self, owner: str, names: Collection[str]) -> None:
        """Notes the names that one owner mentions."""
        self.needs.setdefault(owner, set()).update(names)


def module_parts(name: str) -> list[str]:
    """What a module and the packages above it are called: "tools/shapes.py" -> tools, shapes."""
    return name.removesuffix(".py").split("/")


def where(files: Mapping[str, File], wanted: Collection[Wanted]) -> list[tuple[str, str, str, int]]:
    """(what is looked for, as it is spelt, file, first line) of each use that counts."""
    first: dict[tuple[str, str, str], int] = {}
    star = any(file.star for file in files.values())
    own = set() if star else {name for file in files.values() for name in file.own}
    known: dict[Wanted, dict[str, set[str]]] = {}
    by_name = {one.name: one for one in wanted}
    for name, file in files.items():
        for use in file.uses:
            one = by_name[use.found]
            if not one.anywhere:
                place = Wanted("", one.files, one.symbols)
                if place not in known:
                    known[place] = _reached(files, place)
                if use.owner not in known[place][name] or (use.bare and use.spelt in own):
                    continue
            key = (use.found, use.spelt, name)
            first[key] = min(use.line, first.get(key, use.line))
    return sorted((*key, line) for key, line in first.items())


def _reached(files: Mapping[str, File], place: Wanted) -> dict[str, set[str]]:
    """Of each file the owners that run, or may run, where a name counts: there all of them.

    Names are followed by their spelling alone: rather one too many than one too few.
    """
    reached: dict[str, set[str]] = {name: set() for name in files}
    entered = {n for n, file in files.items() if n in place.files or file.defines & set(place.symbols)}
    todo = [(name, owner) for name in entered for owner in files[name].needs]
    homes: dict[str, list[str]] = {}
    for name, file in files.items():
        for owner in file.needs:
            homes.setdefault(owner, []).append(name)
    modules: dict[str, set[str]] = {}
    for name in files:
        for part in module_parts(name):
            modules.setdefault(part, set()).add(name)
    seen: set[str] = set()
    while todo:
        name, owner = todo.pop()
        if owner in reached[name]:
            continue
        reached[name].add(owner)
        new = files[name].needs[owner] - seen
        seen |= new
        for one in new:
            todo += [(home, one) for home in homes.get(one, ()) if home in entered]
            for other in modules.get(one, set()) - entered:
                entered.add(other)
                todo += [(other, o) for o in files[other].needs if o == AT_IMPORT or o in seen]
        if new & _GETS_AT_ALL:
            entered |= files.keys()
            todo += [(n, o) for n, f in files.items() for o in f.needs if o != NOT_RUN]
    return reached
