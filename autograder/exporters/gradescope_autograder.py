"""Gradescope: the zip of an autograder that grades there, one submission at a time, in the kit's own sandbox."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

from autograder.assignment import KIT, Assignment
from autograder.exporters.exporter import Exported, Request
from autograder.gradebook.grades import StudentGrade

SETUP = """#!/usr/bin/env bash
# Run once by Gradescope, as root, when the autograder's image is made.
set -e
source="${AUTOGRADER_SOURCE:-/autograder/source}"
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y python3 python3-venv bubblewrap libseccomp2
python=python3
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then  # Ubuntu 22.04 and older
    apt-get install -y software-properties-common
    add-apt-repository -y ppa:deadsnakes/ppa
    apt-get update
    apt-get install -y python3.12 python3.12-venv
    python=python3.12
fi
"$python" -m venv "$source/.venv"
"$source/.venv/bin/python" -m pip install --no-cache-dir \\
    --extra-index-url https://download.pytorch.org/whl/cpu -r "$source/requirements.txt" -e "$source"
"$source/.venv/bin/autograder" doctor || true  # for whoever reads the log of the build
chmod -R go-rwx "$source"
"""
RUN = """#!/usr/bin/env bash
# Run by Gradescope for each submission. Student code runs in a sandbox that sees nothing of this folder.
source="${AUTOGRADER_SOURCE:-/autograder/source}"
cd "$source" || exit 1  # never where a student's own autograder.py could be taken for the kit
exec "${AUTOGRADER_PYTHON:-$source/.venv/bin/python}" -m autograder gradescope-run \\
    --course "$source/course.toml" --lang LANGUAGE
"""
LEFT_OUT = {"__pycache__", "sample_class", "node_modules"}


class GradescopeAutograder:
    """setup.sh and run_autograder at the root, the kit and the assignment beside them."""

    name, told = "gradescope-autograder", "Gradescope's autograder"
    options = frozenset[str]()

    def export(self, request: Request) -> Exported:
        """autograder.zip. It holds hidden tests and solutions: it is for Gradescope only."""
        done = Exported()
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in (
                ("setup.sh", SETUP),
                ("run_autograder", RUN.replace("LANGUAGE", request.lang)),
            ):
                info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
                info.external_attr = 0o755 << 16
                archive.writestr(info, text, zipfile.ZIP_DEFLATED)
            for name, path in sorted(set(_files(request.assignment, request.course))):
                info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
                info.external_attr = 0o644 << 16
                archive.writestr(info, path.read_bytes(), zipfile.ZIP_DEFLATED)
        done.files["autograder.zip"] = packed.getvalue()
        done.say("export.keep_secret")
        return done

    def feedback(self, request: Request) -> dict[str, StudentGrade] | None:
        """None: pages come with the results."""
        return None


def _files(assignment: Assignment, course: Path | None) -> Iterator[tuple[str, Path]]:
    """(name in the zip, file) of the kit, and of the assignment where it lies elsewhere."""
    for name in ("pyproject.toml", "requirements.txt", "README.md", "LICENSE"):
        yield name, KIT / name
    yield from _below(KIT / "autograder", KIT)
    yield "course.toml", course or KIT / "course.toml"
    for folder in assignment.content.folders():
        yield from _below(assignment.root / folder, assignment.root)
    if assignment.root != KIT:  # the packages that pyproject.toml names
        for folder in ("solutions", "lab"):
            if folder not in assignment.content.folders():
                yield from _below(KIT / folder, KIT)


def _below(folder: Path, root: Path) -> Iterator[tuple[str, Path]]:
    """All files but those that programs leave behind."""
    for path in folder.rglob("*"):
        parts = path.relative_to(root).parts
        left = any(part.startswith(".") or part in LEFT_OUT for part in parts)
        if path.is_file() and not path.is_symlink() and not left:
            yield "/".join(parts), path
