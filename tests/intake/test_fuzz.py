"""Whatever comes in, intake neither raises nor takes long: names, trees, archives and notebooks at random.

Time is told in multiples of what an honest submission takes in the same minute.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.assignment import KIT as ROOT
from autograder.assignment import load_assignment
from autograder.course import Limits
from autograder.intake import IntakeError, incoming
from autograder.intake.gather import gathered, why_nothing
from autograder.intake.inbox import Incoming
from autograder.intake.names import expected, junk, may_be_work, meant, printable, shortened
from autograder.intake.read import read
from autograder.intake.reading import Unreadable
from autograder.intake.wrapper import wrapper

NAMES = expected(load_assignment())
LIMITS = Limits()
TIMES = 100  # an input of up to 1 MB may take so many times as long as an honest submission
LEAST = 0.02  # seconds of an honest one, so that a quick machine does not make the limit too tight
few = settings(
    max_examples=40,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.function_scoped_fixture,
    ],
)
PIECES = [
    "heads",
    "mask",
    "kv_cache",
    "kv cache",
    ".py",
    ".txt",
    ".ipynb",
    ".zip",
    ".tar.gz",
    "(1)",
    " - Copy",
    "1",
]
PIECES += [
    "copy of ",
    "final",
    "v2",
    "..",
    ".",
    "/",
    "\\",
    "C:",
    "\0",
    "\u202e",
    "\udcff",
    " ",
    "_",
    "é",
    "e\u0301",
]
PIECES += [
    "HEADS",
    "env",
    "__MACOSX",
    ".git",
    "con",
    "nul",
    "1" * 40,
    "(1)" * 30,
    "ﷺ",
    "x" * 300,
    "v1",
    "section-A",
]
names = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join)
NOTEBOOK = (ROOT / "exercises" / "multihead_mask.ipynb").read_bytes()
FILES = {f"hw/{name}.py": (ROOT / "exercises" / f"{name}.py").read_bytes() for name in ("heads", "mask")}


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tarred(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def took(work: Callable[[], object]) -> float:
    """CPU seconds: other processes of the machine do not count."""
    began = time.process_time()
    work()
    return time.process_time() - began


def all_of(one: Incoming) -> None:
    """Lists and reads a submission as a grader would; only told reasons may come."""
    found = gathered(one, load_assignment())
    for entry in found.entries:
        assert entry.shown.isprintable()
        assert len(entry.shown) <= 250
        try:
            assert len(entry.read(1 << 18)) <= 1 << 18
        except Unreadable as e:
            json.dumps(e.problem.params).encode()
    told = why_nothing(found, load_assignment())
    assert told
    assert len(json.dumps([p.params for p in told]).encode()) < 20_000
    if found.entries or found.left_out:
        assert all(problem.id != "folder.empty" for problem in told)


def file_of(data: bytes, name: str = "ana.zip") -> float:
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / name).write_bytes(data)
        return took(lambda: all_of(Incoming("ana", Path(place) / name, "archive")))


HONEST = zipped(FILES | {"hw/multihead_mask.ipynb": NOTEBOOK})
UNIT = max(LEAST, *(file_of(HONEST) for _ in range(3)))


@few
@given(names)
def test_names(name: str) -> None:
    for asked in (name, name * 50, name + "x.py"):
        assert meant(asked, NAMES) in (
            None,
            "heads.py",
            "mask.py",
            "attention.py",
            "kv_cache.py",
            "multihead_mask.ipynb",
        )
        junk(asked, folder=True)
        may_be_work(asked, NAMES)
        assert printable(asked).isprintable()
        assert len(shortened(asked)) <= 250


def test_names_that_make_a_pattern_go_back_and_forth() -> None:
    for name in (
        "heads" + "1" * 40 + "x.py",
        "heads" + "(1)" * 30 + "x.py",
        "heads" + " - Copy" * 13 + "x.py",
    ):
        for long in (name, name * 2000, "copy of " * 25_000 + name, name[:-4] * 2000 + "x.py"):
            assert took(lambda name=long: [meant(name, NAMES) for _ in range(20)]) < UNIT  # type: ignore[misc]


@few
@given(st.dictionaries(names, st.binary(max_size=50), max_size=8), st.booleans())
def test_archives_of_any_names(files: dict[str, bytes], tar: bool) -> None:
    if tar:
        plain = {name.replace("\0", ""): data for name, data in files.items()}
        data = tarred({name.encode("utf-8", "replace").decode(): data for name, data in plain.items()})
    else:  # zipfile itself writes no names without a character before a NUL
        plain = {name.partition("\0")[0] or "x": data for name, data in files.items()}
        data = zipped({name.encode("utf-8", "replace").decode(): data for name, data in plain.items()})
    assert file_of(data, "ana.tar.gz" if tar else "ana.zip") < TIMES * UNIT


@few
@given(st.integers(), st.integers(1, 60), st.sampled_from(["ana.zip", "ana.tar.gz", "ana.tar", "ana.gz"]))
def test_archives_with_changed_bytes(seed: int, changes: int, name: str) -> None:
    chance = random.Random(seed)
    data = bytearray(HONEST if name == "ana.zip" else tarred(FILES))
    for _ in range(changes):
        at = (
            chance.randrange(len(data))
            if chance.random() < 0.4
            else -1 - chance.randrange(min(400, len(data)))
        )
        if chance.random() < 0.1:
            del data[at : at + chance.randrange(1, 50)]
        data[at % len(data)] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
    assert file_of(bytes(data), name) < TIMES * UNIT


@few
@given(
    st.integers(),
    st.integers(0, 1 << 20),
    st.sampled_from([b"PK\3\4", b"\x1f\x8b\x08\0", b"BZh9", b"\xfd7zXZ\0", b""]),
)
def test_random_bytes(seed: int, size: int, begin: bytes) -> None:
    data = begin + random.Random(seed).randbytes(size)
    for end in (b"", HONEST[-22:], b"PK\1\2" * 1000 + HONEST[-300:]):
        assert file_of(data + end) < TIMES * UNIT


def test_a_megabyte_of_the_worst() -> None:
    """What was made to be slow: nothing in it takes longer than the stated multiple."""
    worst = {
        "members": zipped({f"{i}.py": b"" for i in range(5000)}),
        "bombs": zipped({f"{i}.py": b"\0" * 260_000 for i in range(500)}),
        "archives": zipped({f"{i}.zip": zipped({f"{j}.py": b"" for j in range(500)}) for i in range(20)}),
        "folders": zipped({"a/" * 32_000 + f"{i}.py": b"" for i in range(7)}),
        "headers": tarfile.TarInfo("a.py").tobuf() * 2000,
    }
    for name, data in worst.items():
        seconds = file_of(data)
        print(f"{name}: {len(data) // 1024} KB, {seconds / UNIT:.0f} times an honest submission")
        assert seconds < TIMES * UNIT, name


def put(folder: Path, path: str, data: bytes) -> None:
    """Writes a file by a random name, if the system has such names."""
    target = folder / path.replace("\\", "/").lstrip("/")
    try:
        if folder.resolve() in target.resolve().parents:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
    except (OSError, ValueError):
        return


@few
@given(st.lists(st.tuples(st.lists(names, max_size=6).map("/".join), st.binary(max_size=20)), max_size=12))
def test_trees(files: list[tuple[str, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "class"
        folder.mkdir()
        for path, data in files:
            put(folder, path, data)
        found: list[Incoming] = []
        others: list[str] = []
        with contextlib.suppress(IntakeError):
            found, others = incoming(folder, load_assignment())
        assert len({one.student for one in found}) == len(found)
        assert all(name.isprintable() for name in (*others, *(one.student for one in found)))
        wrapper([one.path for one in found if one.kind == "folder"], load_assignment())
        for one in (*found, Incoming("class", folder, "folder")):
            assert took(lambda one=one: all_of(one)) < TIMES * UNIT  # type: ignore[misc]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(few, max_examples=12)
@given(values, st.integers(0, 40), st.sampled_from(["cells", "source", "metadata", "cell_type"]))
def test_notebooks(value: object, at: int, key: str) -> None:
    book = json.loads(NOTEBOOK)
    if key == "cells":
        book["cells"] = value
    else:
        book["cells"][at % len(book["cells"])][key] = value
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "ana.ipynb").write_text(json.dumps(book), encoding="utf-8")
        ((one,), _) = incoming(Path(place), load_assignment())
        got = read(one, load_assignment())
    assert got.files or got.problems
