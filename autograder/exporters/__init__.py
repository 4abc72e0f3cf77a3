"""Grades -> what a platform takes. One module an exporter, behind the `autograder.exporters` entry points."""

from __future__ import annotations

import warnings
from importlib import import_module
from importlib.metadata import entry_points

from autograder.exporters.exporter import Exported, Exporter, ExportError, Request

GROUP = "autograder.exporters"
OWN = (
    "blackboard:Blackboard", "canvas:Canvas", "d2l:D2L", "github_classroom:GitHubClassroom",
    "gradescope:Gradescope", "gradescope_autograder:GradescopeAutograder", "moodle:Moodle",
    "nbgrader:NbGrader", "spreadsheet:Spreadsheet",
)  # fmt: skip


def exporters() -> dict[str, Exporter]:
    """Name -> exporter: the kit's own, and those of other packages."""
    found: dict[str, Exporter] = {}
    for place in OWN:
        module, _, name = place.partition(":")
        one: Exporter = getattr(import_module(f"{__name__}.{module}"), name)()
        found[one.name] = one
    for entry in entry_points(group=GROUP):
        try:
            made: Exporter = entry.load()()
        except Exception as e:  # noqa: BLE001 - whatever it is, the others go on working
            warnings.warn(f"the exporter {entry.name} ({entry.value}) does not load: {e}", stacklevel=2)
        else:
            found[made.name] = made
    return dict(sorted(found.items()))


__all__ = ["ExportError", "Exported", "Exporter", "Request", "exporters"]
