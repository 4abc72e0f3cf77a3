"""An nbgrader course: where its files lie and which database it uses, as its own configuration says.

nbgrader itself takes some seconds to import, so it is asked only where there is no way around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from jupyter_core.paths import jupyter_config_path
from traitlets.config import Config
from traitlets.config.loader import ConfigFileNotFound, PyFileConfigLoader

from autograder.intake import Incoming
from autograder.intake.names import printable
from autograder.nbgrader.errors import CourseFolderError
from autograder.nbgrader.files import IGNORED

CONFIG = "nbgrader_config.py"
STRUCTURE = "{nbgrader_step}/{student_id}/{assignment_id}"  # nbgrader's own default
_CONFIG_ERRORS = (SyntaxError, NameError, AttributeError, ImportError, TypeError, ValueError, LookupError)


def remedy(assignment: str) -> str:
    """What to do where the gradebook does not know an assignment as it is now."""
    return f"run `autograder notebook build COURSE`, then there `nbgrader generate_assignment {assignment}`"


class CourseFolder:
    """`root`: the folder with nbgrader_config.py (and source/, submitted/ …). Raises CourseFolderError."""

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise CourseFolderError(f"{root}: no such folder. Give the folder of the nbgrader course.")
        self.config = _config(root)
        said = self.config.CourseDirectory
        said.setdefault("root", str(root.resolve()))
        self.root = Path(str(said["root"]))
        self.db_url = str(said.get("db_url") or f"sqlite:///{self.root.absolute() / 'gradebook.db'}")
        self.course_id = str(said.get("course_id") or "default_course").strip()
        self.ignored = tuple(map(str, said.get("ignore") or IGNORED))
        self._structure = str(said.get("directory_structure") or STRUCTURE)

    def folder(self, step: str, student: str, assignment: str) -> Path:
        """submitted/<student>/<assignment>, or whatever directory_structure says. step: "submitted", …"""
        name = str(self.config.CourseDirectory.get(f"{step}_directory") or step)
        try:
            inside = self._structure.format(nbgrader_step=name, student_id=student, assignment_id=assignment)
        except (LookupError, ValueError) as e:
            raise CourseFolderError(
                f"{self.root / CONFIG}: CourseDirectory.directory_structure: {e!r}"
            ) from None
        return self.root / inside

    def submitted(self, assignment: str) -> list[Incoming]:
        """All submissions of an assignment. Raises CourseFolderError when there are none."""
        pattern = self.folder("submitted", "*", assignment)
        above = pattern.parents[len(pattern.parts) - 1 - pattern.parts.index("*")]
        found = []
        for path in sorted(above.glob(str(pattern.relative_to(above)))):
            student = path.parts[pattern.parts.index("*")]
            if path.is_dir() and not path.is_symlink() and not student.startswith("."):
                found.append(Incoming(printable(student), path, "folder", notebook_first=True))
        if not found:
            raise CourseFolderError(f"{pattern}: nothing was handed in; `nbgrader collect` fetches it")
        return found

    @property
    def gradebook_file(self) -> Path | None:
        """The gradebook, where it is a file: None for a database that is not SQLite's."""
        file = self.db_url.removeprefix("sqlite:///")
        return None if file == self.db_url else Path(file)

    def check_gradebook(self, assignment: str) -> None:
        """Raises CourseFolderError when there is no database yet (only SQLite is looked at here)."""
        if self.gradebook_file is not None and not self.gradebook_file.exists():
            raise CourseFolderError(f"{self.gradebook_file}: there is no gradebook yet; {remedy(assignment)}")

    def timestamp(self, folder: Path) -> datetime | None:
        """When a submission was handed in, in UTC (its timestamp.txt); None when nobody wrote it down."""
        from nbgrader.utils import parse_utc

        try:
            text = (folder / "timestamp.txt").read_text(encoding="utf-8").strip()
            found: datetime | None = parse_utc(text) if text else None
        except (OSError, ValueError, OverflowError):
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
