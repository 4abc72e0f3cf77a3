"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograder.course import Language

Course = Annotated[Path | None, typer.Option(help="Another course.toml.")]
Lang = Annotated[
    Language | None, typer.Option(help="Language. Default: that of the pages there are, else course.toml's.")
]
Students = Annotated[Path | None, typer.Option(help="Another students.csv than the one beside the class.")]
