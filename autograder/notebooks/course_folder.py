"""An nbgrader course: where its files lie and which database it uses, as its own configuration says."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from jupyter_core.paths import jupyter_config_path
from nbgrader.coursedir import CourseDirectory
from traitlets import TraitError
from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, PyFileConfigLoader

from autograder.intake import Incoming
from autograder.intake.names import printable
from autograder.notebooks.errors import CourseFolderError

CONFIG = "nbgrader_config.py"
_CONFIG_ERRORS = (SyntaxError, NameError, AttributeError, ImportError, TypeError, ValueError, LookupError)


class CourseFolder:
    """`root`: the folder with nbgrader_config.py (and source/, submitted/ …). Raises CourseFolderError."""

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise CourseFolderError(f"{root}: no such folder. Give the folder of the nbgrader course.")
        self.config = _config(root)
        self.config.CourseDirectory.setdefault("root", str(root.resolve()))
        try:
            self.directory = CourseDirectory(config=self.config)
        except TraitError as e:
            raise CourseFolderError(f"{root / CONFIG}: {e}") from None
        self.root = Path(self.directory.root)
        self.db_url: str = self.directory.db_url
        self.course_id: str = self.directory.course_id or "default_course"

    def folder(self, step: str, student: str, assignment: str) -> Path:
        """submitted/<student>/<assignment>, or whatever directory_structure says. step: "submitted", …"""
        name: str = getattr(self.directory, f"{step}_directory")
        return Path(self.directory.format_path(name, student, assignment))

    def submitted(self, assignment: str) -> list[Incoming]:
        """All submissions of an assignment. Raises CourseFolderError when there are none."""
        pattern = self.folder("submitted", "*", assignment)
        above = pattern.parents[len(pattern.parts) - 1 - pattern.parts.index("*")]
        found = []
        for path in sorted(above.glob(str(pattern.relative_to(above)))):
            student = path.parts[pattern.parts.index("*")]
            if path.is_dir() and not path.is_symlink() and not student.startswith("."):
                found.append(Incoming(printable(student), path, "folder"))
        if not found:
            raise CourseFolderError(f"{pattern}: nothing was handed in; `nbgrader collect` fetches it")
        return found

    def timestamp(self, folder: Path) -> datetime | None:
        """When a submission was handed in, in UTC (its timestamp.txt); None when nobody wrote it down."""
        if not (folder / "timestamp.txt").is_file():
            return None
        try:
            found: datetime | None = self.directory.get_existing_timestamp(str(folder))
        except (ValueError, AttributeError, OSError):  # nbgrader has its own way of saying that it is no time
            return None
        return found


def _config(root: Path) -> Config:
    """nbgrader's configuration: the machine's, the person's, the course's, the later one counting."""
    config = Config()
    folders: Sequence[str] = [*reversed(jupyter_config_path()), str(root)]
    for folder in folders:
        try:
            loaded: Any = PyFileConfigLoader(CONFIG, path=folder).load_config()
        except ConfigFileNotFound:
            continue
        except _CONFIG_ERRORS as e:
            raise CourseFolderError(f"{Path(folder) / CONFIG}: {type(e).__name__}: {e}; correct it") from None
        config.merge(loaded)
    return config
