"""The folder and the zip, looked through before anybody gets them."""

from __future__ import annotations

import io
import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from autograder.assignment import Assignment, Language
from autograder.release.contents import contents
from autograder.release.leaks import leaks
from autograder.release.secrets import secrets

NAME = "multihead_mask"
WHEN = (1980, 1, 1, 0, 0, 0)  # the same contents make the same zip


class Leaked(Exception):
    """Something that students must not see would have been packed; the text names each place."""


class CannotWrite(Exception):
    """The release cannot be written there; the text says why."""


def release(assignment: Assignment, out: Path, lang: Language) -> dict[str, bytes]:
    """Writes OUT/multihead_mask/ and OUT/multihead_mask.zip, and returns what is in them.

    Raises Stale, Leaked (nothing is written then), CannotWrite.
    """
    data = zipped(contents(assignment, lang))
    packed = unzipped(data)  # what is looked through is what students get
    found = leaks(packed, secrets(assignment))
    if found:
        listed = "\n  ".join(found)
        raise Leaked(f"nothing was written, because students would get what they must not:\n  {listed}")
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out) as new:
            for name, content in packed.items():
                path = Path(new) / NAME / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            (Path(new) / f"{NAME}.zip").write_bytes(data)
            shutil.rmtree(out / NAME, ignore_errors=True)
            (Path(new) / NAME).rename(out / NAME)
            (Path(new) / f"{NAME}.zip").replace(out / f"{NAME}.zip")
    except OSError as e:
        where = e.filename or out
        raise CannotWrite(f"{where}: cannot be written ({e.strerror}); use another --out") from None
    return packed


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A zip with everything under multihead_mask/: same files, same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in sorted(files.items()):
            info = zipfile.ZipInfo(f"{NAME}/{name}", WHEN)
            weights = name.endswith(".safetensors")  # random numbers to a zip: long to pack, not smaller
            info.compress_type = zipfile.ZIP_STORED if weights else zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = 0o644 << 16
            archive.writestr(info, data, compresslevel=9)
    return out.getvalue()


def unzipped(data: bytes) -> dict[str, bytes]:
    """Path below multihead_mask/ -> bytes."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name.removeprefix(f"{NAME}/"): archive.read(name) for name in archive.namelist()}
