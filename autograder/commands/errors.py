"""Errors as people should see them: what is wrong, where, what to do. No traceback."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import tempfile
import traceback
from collections.abc import Iterator
from types import TracebackType

import typer

from autograder.assignment import AssignmentError
from autograder.batch.pool import PoolError
from autograder.batch.run import NotIsolated
from autograder.collect.source import DownloadError
from autograder.commands.screen import console
from autograder.exporters.exporter import ExportError
from autograder.feedback.texts import TextError
from autograder.gradebook.tables import TableError
from autograder.intake import IntakeError
from autograder.nbgrader.errors import CourseFolderError
from autograder.store import StoreError

SOME_NOT_GRADED = 1
WRONG_USE = 2
NOT_ISOLATED = 3
INTERRUPTED = 130
# What a system may refuse at any time, wherever it is.
SYSTEM = {
    errno.ENOSPC: "Make room there; what was graded is kept.",
    errno.EDQUOT: "Make room there; what was graded is kept.",
    errno.EROFS: "Use another folder, or let this one be written.",
    errno.EACCES: "Check the permissions.",
    errno.EPERM: "Check the permissions.",
    errno.EMFILE: "Raise the limit of open files (ulimit -n), or use fewer --jobs.",
    errno.EIO: "The disk cannot be read or written.",
}


@contextlib.contextmanager
def errors_in_words() -> Iterator[None]:
    """Turns errors that a person can do something about into a sentence and an exit code."""
    try:
        yield
    except (
        AssignmentError,
        CourseFolderError,
        IntakeError,
        StoreError,
        PoolError,
        TextError,
        TableError,
        DownloadError,
        ExportError,
    ) as e:
        raise stop(str(e), WRONG_USE) from None
    except NotIsolated as e:
        raise stop(
            f"{e}\n`autograder doctor` shows more. Code that you trust can be graded all the same: "
            "--unsafe-no-isolation",
            NOT_ISOLATED,
        ) from None
    except BrokenPipeError:  # the reader of a pipe has gone: `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except OSError as e:
        if e.errno not in SYSTEM:
            raise
        where = f"{e.filename}: " if e.filename else ""
        raise stop(f"{where}{e.strerror}. {SYSTEM[e.errno]}", WRONG_USE) from None
    except KeyboardInterrupt:
        raise stop("stopped", INTERRUPTED) from None


def stop(sentence: str, code: int) -> typer.Exit:
    """Says the sentence on stderr; raise what it returns."""
    out = console(stderr=True)
    out.print(f"autograder: {sentence}", markup=False, soft_wrap=not out.is_terminal)
    return typer.Exit(code)


def own_fault(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """sys.excepthook for what nobody foresaw: one sentence, and the details in a file for a report."""
    if issubclass(kind, KeyboardInterrupt):
        typer.echo("autograder: stopped", err=True)
        return
    with tempfile.NamedTemporaryFile(
        "w", prefix="autograder-", suffix=".log", encoding="utf-8", delete=False
    ) as file:
        file.writelines(traceback.format_exception(kind, error, trace))
    typer.echo(
        f"autograder: a fault of this program, not of a submission ({kind.__name__}: {error}).\n"
        f"Nothing that was graded is lost; run the same command again. Details for a report: {file.name}",
        err=True,
    )
