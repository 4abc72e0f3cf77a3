"""autograder export: grades into the platform's own file, and pages as it takes them back."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from autograder.batch.rows import WAITING
from autograder.commands.before import AsWritten, changed_grades
from autograder.commands.closing import names
from autograder.commands.errors import WRONG_USE, errors_in_words, stop
from autograder.commands.grades import assignment_of, language_of
from autograder.commands.options import Course, Lang, Students
from autograder.commands.screen import console
from autograder.exporters import Exported, Exporter, Request, exporters
from autograder.exporters.exporter import PAGE, pages
from autograder.feedback.texts import Texts, texts
from autograder.gradebook.grades import StudentGrade, class_files, class_grades
from autograder.gradebook.record import read_record
from autograder.results import Message
from autograder.store import write_bytes, write_text

# Where the zip of pages goes.
HOW = {"canvas": "export.canvas_pages", "d2l": "export.d2l_pages", "moodle": "export.moodle_pages"}
NAMES = 8  # that are shown of one kind; the report has all


def export(
    out: Annotated[Path, typer.Argument(help="The folder of results that `autograder grade` wrote.")] = Path(
        "feedback"
    ),
    format: Annotated[
        str, typer.Option("--format", "-f", help="canvas, moodle, csv …; `list` shows all.")
    ] = "csv",
    into: Annotated[
        Path | None, typer.Option(help="The platform's own file of grades: a copy of it is filled.")
    ] = None,
    to: Annotated[
        Path | None, typer.Option(help="Where what is made goes, a folder or a file. Default: OUT/export.")
    ] = None,
    feedback: Annotated[
        bool, typer.Option("--feedback", help="The pages, as a zip that the platform takes back.")
    ] = False,
    column: Annotated[str | None, typer.Option(help="The column to fill, where several fit.")] = None,
    comments: Annotated[
        bool, typer.Option("--comments", help="Points by exercise in the file's column of comments (Moodle).")
    ] = False,
    scale: Annotated[
        bool, typer.Option("--scale", help="Convert to the points that are possible on the platform.")
    ] = False,
    excel: Annotated[
        bool, typer.Option("--excel", help="A table as Excel opens it (with --format csv).")
    ] = False,
    students: Students = None,
    course: Course = None,
    lang: Lang = None,
) -> None:
    """Fill the platform's own file of grades, or pack the pages to hand back."""
    with errors_in_words():
        known = exporters()
        if format == "list":
            for name, one in known.items():
                typer.echo(
                    f"{name:<22} {one.told}{', fills the file of --into' if 'into' in one.options else ''}"
                )
            return
        if format not in known:
            raise stop(f"--format {format}: no such format; name one of {', '.join(known)}", WRONG_USE)
        assignment = assignment_of(out, course)
        language = assignment.language(lang or language_of(out, assignment))
        record = read_record(out)
        request = Request(
            grades=class_grades(out, assignment, students),
            assignment=assignment,
            lang=language,
            course=course or (out / record.course if record and record.course else None),
            into=into,
            column=column,
            entries=class_files(out, record, assignment, students).entries,
            comments=comments,
            scale=scale,
            excel=excel,
        )
        if not request.grades and format != "gradescope-autograder":
            raise stop(f"{out}: holds no results. Give the folder that `autograder grade` wrote.", WRONG_USE)
        check_options(known[format], request, feedback=feedback)
        check_written(out, request.grades, texts(language, assignment))
        done = packed_pages(known[format], request) if feedback else known[format].export(request)
        done.tell(
            "export.of_before", [g.name for g in request.grades if any(p.id == WAITING for p in g.problems)]
        )
        write(done, to or out / "export", into, texts(language, assignment))


def check_options(exporter: Exporter, request: Request, *, feedback: bool) -> None:
    """Stops where something was asked for that this format does not know: it would not come about in silence."""
    given = {"into", "column", "comments", "scale", "excel"}
    asked = {name for name in given if getattr(request, name)}
    if idle := sorted(asked if feedback else asked - exporter.options):
        words = " and ".join(f"--{name}" for name in idle)
        with_what = f"--format {exporter.name}{' --feedback' if feedback else ''}"
        raise stop(f"{words}: means nothing with {with_what}; leave it out", WRONG_USE)


def check_written(out: Path, grades: Sequence[StudentGrade], say: Texts) -> None:
    """Stops where grades have changed since grades.csv and the pages were written: a student would read other
    points on the page than on the platform."""
    before = AsWritten.read(out)
    changed = changed_grades(list(grades), before, say) if before.rows else []
    if changed:
        raise stop(
            say("screen.stale", n=len(changed), names=names([c.now.name for c in changed]), out=str(out)),
            WRONG_USE,
        )


def write(done: Exported, to: Path, into: Path | None, say: Texts) -> None:
    """The files, what came of it, and beside them a report with all names. Raises StoreError."""
    places = {
        name: to if to.suffix and not to.is_dir() and len(done.files) == 1 else to / name
        for name in done.files
    }
    for place in places.values():
        if into is not None and place.exists() and place.samefile(into):
            raise stop(
                f"{place}: is the file to be filled, which stays as it is; give another --to", WRONG_USE
            )
    screen = console()
    for message in done.said:
        screen.print(escape(sentence(message, say)))
    for name, data in done.files.items():
        write_bytes(places[name], data)
        screen.print(f"{say('export.written'):<12}{escape(str(places[name]))}", soft_wrap=True)
    if places and any(len(_names(message)) > NAMES for message in done.said):
        place = next(iter(places.values()))
        place = place.with_name(f"{place.stem}.report.txt")
        write_text(place, "".join(report(message, say) for message in done.said))
        screen.print(f"{say('export.report'):<12}{escape(str(place))}", soft_wrap=True)


def sentence(message: Message, say: Texts) -> str:
    """In words, with a few of the names."""
    names = _names(message)
    some = ", ".join(names[:NAMES]) + (" …" if len(names) > NAMES else "")
    return say(message.id, **{**message.params, "names": some})


def report(message: Message, say: Texts) -> str:
    """In words, and below it all names, one a line."""
    every = "".join(f"    {' '.join(name.split())}\n" for name in _names(message))
    return f"{sentence(message, say)}\n{every}"


def _names(message: Message) -> list[str]:
    names = message.params.get("names")
    return [str(name) for name in names] if isinstance(names, list) else []


def packed_pages(exporter: Exporter, request: Request) -> Exported:
    """The zip of pages that the platform takes back, and who is not in it."""
    found = exporter.feedback(request)
    if found is None:
        raise stop(f"--format {exporter.name}: {exporter.told} takes no pages back", WRONG_USE)
    there = pages(request.grades)
    if not found:
        raise stop(
            f"--format {exporter.name}: of {len(there)} pages none is known to be of a student there. Names come "
            "from the download: `autograder collect` it, and grade that class.",
            WRONG_USE,
        )
    done = Exported({f"{exporter.name}-feedback.zip": packed(found)})
    done.say("export.packed", n=len(found))
    if exporter.name in HOW:
        done.say(HOW[exporter.name])
    inside = {one.name for one in found.values()}
    done.tell("export.no_name_there", [one.name for one in there if one.name not in inside])
    with_page = {one.name for one in there}
    done.tell("export.no_page", [one.name for one in request.grades if one.name not in with_page])
    return done


def packed(found: Mapping[str, StudentGrade]) -> bytes:
    """A zip of pages: their bytes under these names, and nothing else of where they lay."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, one in sorted(found.items()):
            if one.folder is not None:
                info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
                info.external_attr = 0o644 << 16
                archive.writestr(info, (one.folder / PAGE).read_bytes(), zipfile.ZIP_DEFLATED)
    return whole.getvalue()
