"""What students get holds everything they need and nothing they must not see, by content."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from autograder.assignment import load_assignment
from autograder.release.contents import contents, requirements
from autograder.release.leaks import leaks
from autograder.release.pack import Leaked, release, unzipped, zipped
from autograder.release.secrets import secrets
from tests.nbgrader.handed_in import ALL, ROOT

COURSE = load_assignment()
SECRETS = secrets(load_assignment())


@pytest.fixture(scope="module")
def packed() -> dict[str, bytes]:
    return contents(COURSE, "en")


def test_what_is_in_it(packed: dict[str, bytes]) -> None:
    wanted = {"README.md", "LEIAME.md", "requirements.txt", "lab/gpt2.py", "lab/04_multihead_mask.py"}
    wanted |= {f"exercises/{n}" for n in ("heads.py", "test_heads.py", "conftest.py", "multihead_mask.ipynb")}
    wanted |= {f"lab/mini_gpt2/{n}" for n in ("model.safetensors", "config.json", "tokenizer.json")}
    assert wanted <= packed.keys()
    assert not any(n.split("/")[0] in ("solutions", "autograder", "tests", "course.toml") for n in packed)
    assert not any("__pycache__" in n or "/." in n for n in packed)


def test_nothing_leaks(packed: dict[str, bytes]) -> None:
    assert leaks(packed, SECRETS) == []


def test_the_same_zip_twice(packed: dict[str, bytes]) -> None:
    assert zipped(packed, "top") == zipped(dict(reversed(packed.items())), "top")
    assert unzipped(zipped(packed, "top"), "top") == packed


def hidden_test() -> str:
    text = (ROOT / "autograder" / "chapter04" / "hidden" / "test_mask.py").read_text(encoding="utf-8")
    return (
        "import torch\n"
        + text[text.index("def test_exactly_the_future_is_forbidden") :][:900].rpartition("\n\n")[0]
    )


def renamed() -> str:
    text = ALL["merge_heads"].replace("n_head", "anzahl").replace("d_k", "breite").replace("merge_heads", "f")
    return text.replace(", breite = y.shape", ", breite = y.shape  # ha")


def notebook(source: str) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": source.splitlines(keepends=True)}]})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("exercises/heads.py", lambda: "from torch import Tensor\n" + ALL["split_heads"]),
        ("lab/helper.py", renamed),
        ("lab/notes.md", lambda: "See:\n\n```\n" + ALL["MultiHeadAttention"] + "\n```\n"),
        ("exercises/more.ipynb", lambda: notebook(ALL["attend_with_cache"])),
        ("exercises/attention.py", lambda: ALL["concat_and_project"]),
        ("exercises/test_more.py", hidden_test),
        ("exercises/a.ipynb", lambda: notebook("### BEGIN HIDDEN TESTS\n1\n### END HIDDEN TESTS")),
        ("lab/x.py", lambda: "from autograder.chapter04.hidden import kit\n"),
        ("exercises/heads.pyc", lambda: "anything"),
        ("lab/data.toml", lambda: 'wrong = """\n' + ALL["causal_softmax"] + '\n"""'),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_must_not_be_in_it_is_found(name: str, text: Callable[[], str]) -> None:
    assert leaks({name: text().encode()}, SECRETS)


def test_a_mistakes_code_is_found() -> None:
    import tomllib

    path = ROOT / "autograder" / "chapter04" / "mistakes" / "split-dk-h-swap.toml"
    code = tomllib.loads(path.read_text(encoding="utf-8"))["variant"][0]["code"]
    assert leaks({"exercises/heads.py": str(code).encode()}, SECRETS)


def test_every_mistake_with_code_of_its_own_is_among_the_secrets() -> None:
    from_mistakes = {
        where.split(":")[0] for where in SECRETS.bodies.values() if where.startswith("the mistake")
    }
    assert len(from_mistakes) >= 20


def test_a_courses_own_seed_is_found(packed: dict[str, bytes]) -> None:
    about = COURSE.course.model_copy(update={"seed": "our own secret 7b1"})
    course = COURSE.model_copy(update={"course": about})
    assert leaks(packed, secrets(course)) == []
    assert leaks({**packed, "lab/settings.toml": b'x = "our own secret 7b1"'}, secrets(course))


def test_the_folder_and_the_zip(tmp_path: Path) -> None:
    release(COURSE, tmp_path, "en")
    release(COURSE, tmp_path, "en")  # again, over the old one
    with zipfile.ZipFile(tmp_path / "multihead_mask.zip") as archive:
        names = {n.removeprefix("multihead_mask/") for n in archive.namelist()}
    root = tmp_path / "multihead_mask"
    assert {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()} == names
    assert sorted(p.name for p in tmp_path.iterdir()) == ["multihead_mask", "multihead_mask.zip"]


def test_a_leak_stops_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"exercises/heads.py": ALL["split_heads"].encode()}
    monkeypatch.setattr("autograder.release.pack.contents", lambda course, lang: found)
    with pytest.raises(Leaked, match=r"exercises/heads\.py: split_heads does what solutions/heads\.py"):
        release(COURSE, tmp_path, "en")
    assert list(tmp_path.iterdir()) == []


def test_students_install_the_same_versions() -> None:
    ours = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    lines = requirements().splitlines()
    pinned = [line for line in lines if "==" in line]
    assert len(pinned) == 9
    assert set(pinned) <= set(ours)
    assert "nbgrader" not in requirements()


@pytest.mark.slow
def test_the_self_check_runs_in_what_students_get(tmp_path: Path) -> None:
    import subprocess
    import sys

    release(COURSE, tmp_path, "en")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "exercises/", "-q"],
        cwd=tmp_path / "multihead_mask",
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert "0 of 9 done" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
