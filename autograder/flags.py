"""Names that a person should look at: used where course.toml says they are not allowed. Never changes a
score."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Callable, Collection, Mapping

from autograder.course import Course
from autograder.results import Flag

MOST_ERRORS = 100  # places where a file is no Python, of one file

# What no exercise here has a use for: other processes, the network, raw memory, other people's stack frames.
NEEDLESS = frozenset(
    {
        "socket", "subprocess", "multiprocessing", "ctypes", "ptrace", "fork", "execv", "execve", "system",
        "popen", "kill", "_exit", "_getframe", "get_objects", "memfd_create", "solutions", "autograder",
    }
)  # fmt: skip


def needless(files: Mapping[str, bytes]) -> list[Flag]:
    """Where a submission's code has a name of NEEDLESS: one flag per name and file. The sandbox holds either
    way; this is for the person who reads the class page."""
    return _flags("needless", files, lambda file: NEEDLESS)


def not_allowed(files: Mapping[str, bytes], course: Course) -> list[Flag]:
    """Where a submission's code (not its comments) has a name of `not_allowed`: one flag per name and
    file."""

    def of(file: str) -> set[str]:
        return {name for e in course.exercises if e.file == file for name in e.not_allowed}

    return _flags("not_allowed", files, of)


def _flags(id: str, files: Mapping[str, bytes], names: Callable[[str], Collection[str]]) -> list[Flag]:
    """`names`: file -> those that are looked for in it."""
    return [
        Flag(id=id, params={"name": name, "file": file, "line": line})
        for file, source in sorted(files.items())
        for name, line in sorted(_first_uses(source, names(file)).items())
    ]


def _first_uses(source: bytes, names: Collection[str]) -> dict[str, int]:
    """Name -> first line. Reads tokens, not a syntax tree: no nesting is deep enough to hurt, and length
    is capped. After what is no Python it goes on with the next line."""
    found: dict[str, int] = {}
    lines = re.split(r"(?<=\n)", source.decode("utf-8", "replace"))
    begin = 0
    for _ in range(MOST_ERRORS):
        try:
            for token in tokenize.generate_tokens(iter(lines[begin:]).__next__):
                if token.type == tokenize.NAME and token.string in names:
                    found.setdefault(token.string, begin + token.start[0])
                elif token.type == tokenize.STRING and token.string[1:-1] in names:  # getattr(F, "…")
                    found.setdefault(token.string[1:-1], begin + token.start[0])
            break
        except tokenize.TokenError as error:
            begin += error.args[1][0]
        except (SyntaxError, ValueError) as error:
            begin += getattr(error, "lineno", None) or 1
    return found
