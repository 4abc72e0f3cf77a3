"""The folder of results: OUT/<student>/result.json, safe names, and writes that are whole or not there."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from autograder.results import SubmissionResult, Verdict

# Names that OUT itself needs, and those that Windows keeps for itself.
_TAKEN = {"grades.csv", "class.html", "journal.jsonl", "run.json", "export", "con", "prn", "aux", "nul"}
_TAKEN |= {f"{port}{i}" for port in ("com", "lpt") for i in range(1, 10)}
_NEVER = set('<>:"/\\|?*') | {chr(i) for i in range(32)}


RESULT = "result.json"
LOCK = ".lock"
PART = ".part"  # ending of a file that is being written
LARGEST = 16_000_000  # bytes of a result.json that is read; this kit writes none above 1 MB


class StoreError(Exception):
    """The folder of results cannot be used; the text says why and what to do."""


class Store:
    """The results of one class. `students`: all names of it, for names that differ in case only."""

    def __init__(self, out: Path, students: list[str]) -> None:
        self.out = out
        same: dict[str, list[str]] = {}
        for student in students:
            same.setdefault(student.casefold(), []).append(student)
        self._plain = {s for group in same.values() if len(group) == 1 for s in group if _usable(s)}

    def folder(self, student: str) -> Path:
        """Where a student's files lie: their own name where every system takes it, else one made from it."""
        if student in self._plain:
            return self.out / student
        kept = "".join(c if c.isalnum() or c in "-_ " else "_" for c in student)[:40].strip() or "student"
        return self.out / f"{kept}~{hashlib.sha256(student.encode()).hexdigest()[:8]}"

    def has(self, student: str) -> bool:
        """Whether there is a file with an earlier result, whatever it holds."""
        return (self.folder(student) / RESULT).exists()

    def read(self, student: str) -> SubmissionResult | None:
        """An earlier result of that student; None when there is none that can be read."""
        with contextlib.suppress(OSError, ValueError):  # pydantic's ValidationError is one
            result = read_result(self.folder(student) / RESULT)
            return result if result.student == student else None
        return None

    def write(self, result: SubmissionResult) -> Path:
        """Writes result.json, whole or not at all. Raises StoreError."""
        path = self.folder(result.student) / RESULT
        write_text(path, result.model_dump_json(indent=1) + "\n")
        return path

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps a second batch out of the same folder. Raises StoreError."""
        with locked(self.out):
            for left in (*self.out.glob(f".*{PART}"), *self.out.glob(f"*/.*{PART}")):
                with contextlib.suppress(OSError):  # of somebody who was killed while writing
                    left.unlink()
            yield


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps a second run out of a folder, which is made if there is none. Raises StoreError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / LOCK).open("a+b")
    except OSError as e:
        raise cannot_write(folder, e) from None
    with file:
        if not _lock(file.fileno()):
            raise StoreError(
                f"{folder}: another autograder is writing there. Wait for it, or use another --out."
            )
        yield


def read_result(path: Path) -> SubmissionResult:
    """One result.json. Raises OSError, and ValueError for what is none, or too large to be ours."""
    return SubmissionResult.model_validate_json(read_bounded(path))


def read_bounded(path: Path) -> bytes:
    """A file of ours. Raises OSError, and ValueError for one that is larger than any that we write."""
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ValueError(f"{path}: more than {LARGEST} bytes")
    return data


def all_results(out: Path) -> tuple[dict[Path, SubmissionResult], list[Path]]:
    """(folder of a student -> their result, in the order of folders' names; files that are no results)."""
    found: dict[Path, SubmissionResult] = {}
    unreadable: list[Path] = []
    for path in sorted(out.glob(f"*/{RESULT}")):
        try:
            found[path.parent] = read_result(path)
        except (OSError, ValueError):
            unreadable.append(path)
    return found, unreadable


def faults(result: SubmissionResult) -> int:
    """Hidden tests that could not be judged through our fault."""
    return sum(t.verdict is Verdict.GRADER_FAULT for t in result.tests)


def write_text(path: Path, text: str) -> None:
    """A text file that is whole or as it was before; see write_bytes. Raises StoreError."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """A file that is whole or as it was before, also when the machine stops in between. Raises StoreError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=PART)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(fd)
            os.chmod(name, 0o666 & ~_umask())  # mkstemp's own is for the owner alone
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except OSError as e:
        raise cannot_write(path, e) from None


def path_from(folder: Path, path: Path) -> str:
    """A path as files of ours hold it: from the folder that they lie in, where both lie on one drive."""
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:  # another drive
        return path.resolve().as_posix()


def cannot_write(path: Path, error: OSError) -> StoreError:
    """What to say of a file that the system does not let us write."""
    advice = "Close the program that has it open, or check permissions and free space; or use another --out."
    return StoreError(f"{path}: cannot be written ({error.strerror}). {advice}")


def _usable(name: str) -> bool:
    stem = name.casefold().split(".")[0].strip()
    return (
        0 < len(name.encode()) <= 120
        and not set(name) & _NEVER
        and name == name.strip(" .")
        and not name.startswith((".", "~"))
        and "~" not in name  # ours
        and name.casefold() not in _TAKEN
        and stem not in _TAKEN
    )


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current


def _lock(fd: int) -> bool:
    """An advisory lock that ends with this process. True where a system has none."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
