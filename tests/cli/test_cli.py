"""What people see when they type something: sentences and exit codes, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.commands.plainly import own_fault
from autograder.course import ROOT


def autograder(*words: object, **env: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "autograder", *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=120,
        env=os.environ | env,
        check=False,
    )
    assert "Traceback" not in done.stdout + done.stderr
    return done


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """A class that never comes to be graded."""
    folder = tmp_path / "class"
    (folder / "ana").mkdir(parents=True)
    (folder / "ana" / "heads.py").write_text("x = 1\n")
    return folder


def test_a_missing_folder(tmp_path: Path) -> None:
    done = autograder("grade", tmp_path / "nowhere")
    assert done.returncode == 2
    assert done.stderr.startswith("autograder: ")
    assert "no such folder" in done.stderr
    assert "one folder per student" in done.stderr


@pytest.mark.parametrize(
    ("gpt2", "why"), [("exercises", "no config.json"), ("no such/model at all", "no such folder here")]
)
def test_a_gpt2_that_cannot_be_had(one: Path, tmp_path: Path, gpt2: str, why: str) -> None:
    """Before anything is graded: not with another model instead, and not as a fault in every result."""
    course = tmp_path / "course.toml"
    course.write_text(
        (ROOT / "course.toml").read_text(encoding="utf-8").replace('gpt2 = "mini"', f'gpt2 = "{gpt2}"'),
        encoding="utf-8",
    )
    done = autograder("grade", one, "--out", tmp_path / "out", "--course", course, HF_HUB_OFFLINE="1")
    assert done.returncode == 2
    assert f'gpt2 = "{gpt2}"' in done.stderr
    assert why in done.stderr
    assert 'gpt2 = "mini" takes the one that comes with the kit' in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_broken_course(one: Path, tmp_path: Path) -> None:
    course = tmp_path / "course.toml"
    course.write_text(
        (ROOT / "course.toml").read_text(encoding="utf-8").replace("points = 12", "points = 13"),
        encoding="utf-8",
    )
    done = autograder("grade", one, "--out", tmp_path / "out", "--course", course)
    assert done.returncode == 2
    assert "add up to 101" in done.stderr
    assert not (tmp_path / "out").exists()


def test_somebody_who_handed_nothing_in(one: Path, tmp_path: Path) -> None:
    done = autograder("grade", one, "--out", tmp_path / "out", "--only", "anna")
    assert done.returncode == 2
    assert "Did you mean ana?" in done.stderr


def test_a_scheduler_by_a_wrong_name(one: Path, tmp_path: Path) -> None:
    done = autograder("grade", one, "--out", tmp_path / "out", "--scheduler", "nonsense://x")
    assert done.returncode == 2
    assert "tcp://host:8786" in done.stderr


@pytest.mark.parametrize("words", [["grade", "--jobs", "0", "x"], ["grade", "--lang", "xx", "x"], ["gade"]])
def test_wrong_words(words: list[str]) -> None:
    assert autograder(*words).returncode == 2


def test_help_names_the_commands() -> None:
    done = autograder("--help")
    assert done.returncode == 0
    for command in ("grade", "doctor", "check-kit", "bench", "feedback"):
        assert command in done.stdout


def test_feedback_of_a_folder_without_results(tmp_path: Path) -> None:
    done = autograder("feedback", tmp_path)
    assert done.returncode == 2
    assert "holds no results" in done.stderr


def test_a_class_of_which_nothing_can_be_read_has_a_table_all_the_same(tmp_path: Path) -> None:
    """Without any judge process; also in a console that knows few letters."""
    folder = tmp_path / "class"
    (folder / "Łukasz 🐍").mkdir(parents=True)
    (folder / "Łukasz 🐍" / "essay.docx").write_bytes(b"")
    (folder / "=bo.rar").write_bytes(b"")
    done = autograder("grade", folder, "--out", tmp_path / "out", PYTHONIOENCODING="cp1252", PYTHONUTF8="0")
    assert done.returncode == 1
    assert "essay.docx" in done.stdout
    assert "Without a grade: 2" in done.stdout
    lines = (tmp_path / "out" / "grades.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("'=bo,")
    assert lines[2].startswith("Łukasz 🐍,")
    page = (tmp_path / "out" / "class.html").read_text(encoding="utf-8")
    assert "Łukasz" in page
    pt = autograder("feedback", tmp_path / "out", "--lang", "pt-BR")
    assert pt.returncode == 0
    assert (tmp_path / "out" / "class.html").read_text(encoding="utf-8") != page


def test_ctrl_c_while_it_is_still_being_imported() -> None:
    """Nobody hits that moment on purpose, so an import stands in for it that is interrupted each time."""
    interrupted = (
        "import sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'autograder.cli':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from autograder.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", interrupted], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "autograder: stopped\n")


def test_a_fault_of_our_own_is_a_sentence_and_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise ZeroDivisionError("by zero")
    except ZeroDivisionError as e:
        own_fault(type(e), e, e.__traceback__)
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert "a fault of this program" in said
    log = Path(said.rsplit(": ", 1)[1].strip())
    assert "ZeroDivisionError: by zero" in log.read_text(encoding="utf-8")
    log.unlink()
