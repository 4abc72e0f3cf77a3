"""What people see when they type something: sentences and exit codes, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.assignment import KIT as ROOT
from autograder.assignment import AssignmentError, load_assignment
from autograder.commands.errors import own_fault


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
    assignment = tmp_path / "course.toml"
    assignment.write_text(
        (ROOT / "course.toml").read_text(encoding="utf-8").replace('gpt2 = "mini"', f'gpt2 = "{gpt2}"'),
        encoding="utf-8",
    )
    done = autograder("grade", one, "--out", tmp_path / "out", "--course", assignment, HF_HUB_OFFLINE="1")
    assert done.returncode == 2
    assert f'gpt2 = "{gpt2}"' in done.stderr
    assert why in done.stderr
    assert 'gpt2 = "mini" takes the one that comes with the kit' in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_broken_course(one: Path, tmp_path: Path) -> None:
    assignment = tmp_path / "course.toml"
    assignment.write_text(
        (ROOT / "course.toml").read_text(encoding="utf-8").replace("points = 12", "points = 13"),
        encoding="utf-8",
    )
    done = autograder("grade", one, "--out", tmp_path / "out", "--course", assignment)
    assert done.returncode == 2
    assert "add up to 101" in done.stderr
    assert not (tmp_path / "out").exists()


def moved(folder: Path, old: str, new: str) -> Path:
    """course.toml with another text in it."""
    assignment = folder / "course.toml"
    text = (ROOT / "course.toml").read_text(encoding="utf-8")
    assert old in text
    assignment.write_text(text.replace(old, new), encoding="utf-8")
    return assignment


@pytest.mark.parametrize("command", ["grade", "notebook build", "release"])
def test_points_that_do_not_fit_the_hidden_tests(one: Path, tmp_path: Path, command: str) -> None:
    """12 and 8 made 14 and 6: the sum is still 100, but nobody could earn 14, and 8 of 6 would be shown."""
    assignment = moved(tmp_path, "points = 12\n", "points = 14\n")
    text = assignment.read_text(encoding="utf-8").replace("points = 8\n", "points = 6\n", 1)
    assignment.write_text(text, encoding="utf-8")
    more = {"grade": [one, "--out"], "notebook build": [], "release": ["--out"]}[command]
    done = autograder(*command.split(), *more, tmp_path / "out", "--course", assignment)
    assert done.returncode == 2
    assert "split_heads: course.toml says 14 points, but its hidden tests add up to 12" in done.stderr
    assert "merge_heads: course.toml says 6 points, but its hidden tests add up to 8" in done.stderr
    assert "points = 12 in course.toml" in done.stderr
    assert not (tmp_path / "out").exists()


def test_an_exercise_that_hidden_tests_name_is_gone(one: Path, tmp_path: Path) -> None:
    assignment = moved(tmp_path, 'id = "generate"', 'id = "generation"')
    done = autograder("grade", one, "--out", tmp_path / "out", "--course", assignment)
    assert done.returncode == 2
    assert "'generation': course.toml has this exercise, but no hidden test names it" in done.stderr
    assert "'generate': hidden tests worth 7 points name this exercise" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("points = 12", "points = nan", "[split_heads].points"),
        ("points = 12", "points = -12", "[split_heads].points"),
        ("points = 12", "points = inf", "[split_heads].points"),
        ("points = 12", "points = 12.5", "add up to 100.5"),
        ('["merge_heads"]\npoints', '["merge_heads", "merge_heads"]\npoints', "names a symbol twice"),
        ('needs = ["merge_heads"]', 'needs = ["join_heads"]', "'join_heads' is not an exercise before it"),
        ('seed = "change me: the hidden inputs grow from this"', 'seed = "  "', "course.seed: it is blank"),
        ("call_cpu_seconds = 10.0", "call_cpu_seconds = inf", "limits.call_cpu_seconds"),
        (', "pt-BR" = "O módulo inteiro" }', " }", "has no text in pt-BR"),
        ('id = "merge_heads"', 'id = "split_heads"', "two exercises have the same id"),
    ],
)
def test_a_course_that_contradicts_itself(tmp_path: Path, old: str, new: str, why: str) -> None:
    with pytest.raises(AssignmentError) as refused:
        load_assignment(moved(tmp_path, old, new))
    assert why in str(refused.value)


def test_a_gpt2_that_cannot_be_graded_with(one: Path, tmp_path: Path) -> None:
    folder = tmp_path / "short"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "gpt2", "n_positions": 8}', encoding="utf-8")
    assignment = moved(tmp_path, 'gpt2 = "mini"', f'gpt2 = "{folder.as_posix()}"')
    done = autograder("grade", one, "--out", tmp_path / "out", "--course", assignment)
    assert done.returncode == 2
    assert "n_positions is 8" in done.stderr
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


def test_a_language_that_is_not_there(tmp_path: Path) -> None:
    done = autograder("feedback", tmp_path, "--lang", "xx")
    assert done.returncode == 2
    assert "--lang xx: there are no texts in this language; name one of en, pt-BR" in done.stderr
    path = moved(tmp_path, 'language = "en" ', 'language = "xx" ')
    done = autograder("feedback", tmp_path, "--course", path)
    assert done.returncode == 2
    assert "course.language: has no texts; name one of en, pt-BR" in done.stderr
