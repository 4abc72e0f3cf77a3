"""The folder and the zip, looked through before anybody gets them."""

from __future__ import annotations

import io
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from autograder.assignment import Assignment
from autograder.course import Language
from autograder.release.contents import contents
from autograder.release.leaks import leaks
from autograder.release.secrets import secrets

WHEN = (1980, 1, 1, 0, 0, 0)  # the same contents make the same zip


class Leaked(Exception):
    """Something that students must not see would have been packed; the text names each place."""


class CannotWrite(Exception):
    """The release cannot be written there; the text says why."""


def release(assignment: Assignment, out: Path, lang: Language) -> dict[str, bytes]:
    """Writes OUT/<notebook>/ and OUT/<notebook>.zip, and returns what is in them.

    Raises Stale, Leaked (nothing is written then), CannotWrite.
    """
    top = assignment.content.notebook
    data = zipped(contents(assignment, lang), top)
    packed = unzipped(data, top)  # what is looked through is what students get
    found = leaks(packed, secrets(assignment))
    if found:
        listed = "\n  ".join(found)
        raise Leaked(f"nothing was written, because students would get what they must not:\n  {listed}")
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out) as new:
            for name, content in packed.items():
                path = Path(new) / top / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            (Path(new) / f"{top}.zip").write_bytes(data)
            shutil.rmtree(out / top, ignore_errors=True)
            (Path(new) / top).rename(out / top)
            (Path(new) / f"{top}.zip").replace(out / f"{top}.zip")
    except OSError as e:
        where = e.filename or out
        raise CannotWrite(f"{where}: cannot be written ({e.strerror}); use another --out") from None
    return packed


def zipped(files: Mapping[str, bytes], top: str) -> bytes:
    """A zip with everything under `top`/: same files, same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in sorted(files.items()):
            info = zipfile.ZipInfo(f"{top}/{name}", WHEN)
            weights = name.endswith(".safetensors")  # random numbers to a zip: long to pack, not smaller
            info.compress_type = zipfile.ZIP_STORED if weights else zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = 0o644 << 16
            archive.writestr(info, data, compresslevel=9)
    return out.getvalue()


def unzipped(data: bytes, top: str) -> dict[str, bytes]:
    """Path below `top`/ -> bytes."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name.removeprefix(f"{top}/"): archive.read(name) for name in archive.namelist()}
