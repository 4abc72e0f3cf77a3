"""What a student has: lab/ and exercises/, without solutions/ and autograder/."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FILES = ("heads.py", "mask.py", "attention.py", "kv_cache.py")


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """A folder with lab/ and the untouched exercises."""
    shutil.copytree(root / "lab", tmp_path / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "exercises").mkdir()
    for file in FILES:
        shutil.copy(root / "exercises" / file, tmp_path / "exercises")
    return tmp_path


def solve(copy: Path, root: Path, files: tuple[str, ...] = FILES, imports: str = "exercises.") -> None:
    for file in files:
        text = (root / "solutions" / file).read_text(encoding="utf-8").replace("solutions.", imports)
        (copy / "exercises" / file).write_text(text, encoding="utf-8")


def run(copy: Path, script: str, *args: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": "/usr/bin:/bin", "HF_HUB_OFFLINE": "1", "PYTHONIOENCODING": "utf-8", "HOME": str(copy)}
    command = [sys.executable, str(copy / "lab" / script), *args]
    return subprocess.run(
        command, cwd=copy, capture_output=True, text=True, encoding="utf-8", env=env, timeout=240
    )


def numbers(printed: str) -> list[str]:
    """The sections as they are printed: without whose code it was, and how long it took."""
    lines = printed.split("The triangular mask", 1)[1].splitlines()
    return [line for line in lines if not line.startswith("All of it took")]


@pytest.mark.slow
def test_without_solutions_the_lab_runs_on_transformers(copy: Path) -> None:
    done = run(copy, "04_multihead_mask.py", "1", "3", "5", "--tokens", "4")
    assert done.returncode == 0, done.stderr
    assert "transformers' own" in done.stdout
    assert "stayed exactly the same: 91 of 91" in done.stdout
    assert "The same tokens" in done.stdout


def test_what_is_not_written_is_named(copy: Path, root: Path) -> None:
    solve(copy, root, ("heads.py", "mask.py"))
    done = run(copy, "04_multihead_mask.py", "1", "5", "--attention", "exercises")
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
    assert "MultiHeadAttention  (attention.py)" in done.stdout
    assert "concat_and_project  (attention.py)" in done.stdout
    assert "split_heads" not in done.stdout
    assert "The first thing to write or mend: concat_and_project (attention.py)" in " ".join(
        done.stdout.split()
    )
    wrote = run(copy, "write.py", "O Brasil é")
    assert wrote.returncode == 1
    assert "attend_with_cache  (kv_cache.py)" in wrote.stderr


@pytest.mark.slow
@pytest.mark.parametrize("imports", ["exercises.", pytest.param("", marks=pytest.mark.endurance)])
def test_solved_exercises_do_it_all(copy: Path, root: Path, imports: str) -> None:
    solve(copy, root, imports=imports)
    done = run(copy, "04_multihead_mask.py", "1", "2", "3", "4", "--attention", "exercises")
    assert done.returncode == 0, done.stderr + done.stdout
    assert "Attention: yours" in done.stdout
    assert "stayed exactly the same: 91 of 91" in done.stdout
    theirs = run(copy, "04_multihead_mask.py", "1", "2", "3", "4")  # transformers' own attention
    assert "transformers' own" in theirs.stdout
    assert numbers(done.stdout) == numbers(theirs.stdout)
    wrote = run(copy, "write.py", "O Brasil é", "--tokens", "12")
    assert wrote.returncode == 0, wrote.stderr + wrote.stdout
    assert "O Brasil é" in wrote.stdout
    assert "12 tokens" in wrote.stdout


def test_broken_code_is_named_with_its_line_and_the_rest_goes_on(copy: Path, root: Path) -> None:
    solve(copy, root)
    mask = copy / "exercises" / "mask.py"
    mask.write_text(
        mask.read_text(encoding="utf-8")
        + "\n\ndef causal_mask(n, n_key=None, device=None):\n    return n / 0\n"
    )
    done = run(copy, "04_multihead_mask.py", "2", "--attention", "exercises", "--lang", "pt-BR")
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
    flat = " ".join(done.stdout.split())
    assert "causal_mask, causal_softmax" in flat  # what falls over the same line is named together
    assert flat.count("ZeroDivisionError: division by zero (mask.py, line") == 1
    (copy / "exercises" / "heads.py").write_text("def split_heads(x, n_head:\n")
    done = run(copy, "04_multihead_mask.py", "2", "--attention", "exercises")
    assert "SyntaxError" in done.stdout
    assert done.stdout.count("SyntaxError") == 1
    wrote = run(copy, "write.py")
    assert wrote.returncode == 1
    assert wrote.stderr.count("SyntaxError") == 1
    assert "Write that first" not in wrote.stderr  # it is written, it cannot be read
    assert "heads.py, line 1" in " ".join(done.stdout.split())
    assert "Traceback" not in done.stdout + done.stderr


def test_only_what_is_there_is_offered(copy: Path) -> None:
    for script in ("04_multihead_mask.py", "write.py"):
        done = run(copy, script, "--help")
        assert done.returncode == 0
        assert "exercises" in done.stdout
        assert "solutions" not in done.stdout


def test_a_model_out_of_reach_is_said_and_mini_writes(copy: Path, root: Path) -> None:
    solve(copy, root)
    wrote = run(copy, "write.py", "O Brasil é", "--tokens", "3", "--model", "openai-community/gpt2")
    assert wrote.returncode == 0, wrote.stderr
    assert "The mini model is used instead." in " ".join(wrote.stderr.split())
    assert "mini, with the attention" in wrote.stdout


def test_mask_that_leaks_is_shown_as_a_leak(copy: Path, root: Path) -> None:
    solve(copy, root)
    mask = copy / "exercises" / "mask.py"
    leaky = "\n\ndef causal_softmax(scores, causal=True):\n    return scores.softmax(dim=-1)\n"
    mask.write_text(mask.read_text(encoding="utf-8") + leaky, encoding="utf-8")
    done = run(copy, "04_multihead_mask.py", "3", "--attention", "exercises")
    assert "stayed exactly the same: 0 of 91" in done.stdout
    assert "stayed exactly the same: 91 of 91" not in done.stdout
