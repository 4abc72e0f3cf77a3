"""`pytest exercises/` from the first look to the last exercise."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.exercises.run import FILES, NO_GPT2, ROOT, copied, folder, run

TITLES = (
    "Split into heads", "Merge the heads", "The triangular mask", "Softmax over the past",
    "Concat and c_proj", "The whole module", "Attention with a KV cache", "Generate token by token",
)  # fmt: skip
NEVER = (
    "Traceback",
    "INTERNALERROR",
    "NotImplementedError",
    "AssertionError",
    "selfcheck",
    "warnings summary",
)

pytestmark = pytest.mark.slow


def test_untouched_stubs_are_not_written_yet() -> None:
    r = run("exercises/", real=True)
    assert r.code == 1
    assert all(r.state(title) == "○ not written yet" for title in TITLES)
    assert r.state("Your attention inside GPT-2") == "… waits for split_heads"
    assert "Next: Split into heads" in r.out
    assert "0 of 9 done" in r.out
    assert not [word for word in NEVER if word in r.out]
    assert max(map(len, r.out.splitlines())) <= 80


def test_a_console_of_windows_in_portuguese() -> None:
    r = run("exercises/", NO_GPT2, "--lang", "pt-BR", encoding="cp1252", real=True)
    assert r.state("Separar em cabeças") == "o ainda não escrito"
    assert re.search(r"Travou\?\s+\S+ -m pytest exercises --hint --lang pt-BR\n", r.out)
    assert "A docstring em heads.py" in r.out
    assert "[---------------------------]" in r.out
    assert "?" not in r.out.replace("Travou?", "")


def test_the_solutions_pass_all() -> None:
    r = run("exercises/", "--code", "solutions", cwd=ROOT)
    assert r.code == 0
    assert all(r.state(title) == "✓ done" for title in (*TITLES, "Your attention inside GPT-2"))
    assert 'python lab/write.py "O Brasil é"' in r.out
    assert "Good to know" not in r.out


@pytest.mark.parametrize("style", sorted(p.name for p in (ROOT / "tests/exercises/styles").iterdir()))
def test_right_code_passes_in_any_style(style: str) -> None:
    r = run("exercises/", NO_GPT2, "--code", f"tests/exercises/styles/{style}")
    assert r.code == 0, r.out
    assert "69 passed" in r.out
    assert "mistake" not in r.out


def test_half_done_what_depends_on_stubs_waits(tmp_path: Path) -> None:
    code = folder(tmp_path / "code", {})
    for file in ("mask.py", "kv_cache.py"):
        shutil.copy(ROOT / "exercises" / file, code / file)
    r = run("exercises/", "--code", str(code))
    assert r.code == 1
    assert r.state("Merge the heads") == "✓ done"
    assert r.state("Softmax over the past") == "○ not written yet"
    assert r.state("Concat and c_proj") == "✓ done"
    assert r.state("The whole module") == "… waits for causal_softmax"
    assert "Next: The triangular mask" in r.out
    # Only tests that wait: nothing failed, and yet it is no success.
    r = run("exercises/test_attention.py", "-k", "uneven", "--code", str(code))
    assert r.code == 1
    assert "2 waiting" in r.out


WRONG_SPLIT = """
def split_heads(x, n_head):
    print("I got", tuple(x.shape), "−∞")
    B, n, d = x.shape
    return x.reshape(B, n_head, n, d // n_head)
"""


def test_a_wrong_result_is_shown_in_full(tmp_path: Path) -> None:
    code = folder(tmp_path / "code", {"heads.py": WRONG_SPLIT})
    r = run("exercises/", "--code", str(code), encoding="cp1252")
    assert r.code == 1
    assert r.state("Split into heads") == "x 3 of 7 tests pass"
    assert r.state("Merge the heads") == "+ done"  # all but the round trip, which calls both
    assert r.state("The whole module") == "x not right; see split_heads first"
    assert r.state("Your attention inside GPT-2") == "… waits for split_heads"
    for text in (
        "split_heads(x, n_head=2)",
        "100  101  102  103",
        "First difference: head 0, token 1, number 0: expected 100, your code gave 2.",
        "8 of 12 numbers differ (marked *).",
        "          token 1   100  101       2*    3*",
        "Your code printed:",
        "| I got (1, 3, 4) -inf",
        "-m pytest exercises --hint --code",
    ):
        assert " ".join(text.split()) in " ".join(r.out.split())  # wherever a line ends
    assert not [word for word in NEVER if word in r.out]


def test_what_is_right_is_done_whatever_is_wrong_beside_it(tmp_path: Path) -> None:
    stub = (ROOT / "exercises/heads.py").read_text(encoding="utf-8").split("def merge_heads")[0]
    merge = "\n\ndef merge_heads(y):\n    return y.transpose(1, 2).flatten(2)\n"
    code = str(folder(tmp_path / "code", {"heads.py": stub + merge}))
    r = run("exercises/test_heads.py", "--code", code)
    assert r.code == 1
    assert r.state("Split into heads") == "○ not written yet"
    assert r.state("Merge the heads") == "✓ done"
    r = run("exercises/test_heads.py", "-k", "undoes", "--code", code)  # nothing else was asked
    assert r.code == 1
    assert r.state("Merge the heads") == "… waits for split_heads"


def test_choosing_tests(tmp_path: Path) -> None:
    code = str(folder(tmp_path / "code", {"heads.py": WRONG_SPLIT}))
    r = run("exercises/", "-x", "--code", code)
    assert r.code == 1
    assert r.state("Split into heads") == "✗ 0 of 1 tests pass"
    assert r.state("Merge the heads") == "· not tried"
    r = run("exercises/", "-k", "side_by_side or triangle", "-v", "--code", code)
    assert r.code == 0
    assert "test_slices_come_back_side_by_side PASSED" in r.out
    assert r.state("Merge the heads") == "✓ so far, 1 of 1 tests pass"
    assert "Everything that was run is right" in r.out
    r = run("exercises/test_heads.py", "-q", "--code", code)
    assert r.state("Split into heads") == "✗ 3 of 7 tests pass"
    assert "First difference" not in r.out
    r = run("exercises/test_heads.py", "-v", "--code", code, "--lang", "pt")
    assert r.out.count("Primeira diferença") == 4


def test_alone_in_another_folder_under_another_name(tmp_path: Path) -> None:
    copied(tmp_path, "exercises").joinpath("exercises").rename(tmp_path / "my exercises")
    home = tmp_path / "my exercises"
    for file in FILES:
        shutil.copy(folder(tmp_path / "code", {}) / file, home / file)
    # A student's machine has no kit installed; where these tests run it may be (pip install --editable).
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare/sitecustomize.py").write_text("import sys\nsys.modules['lab'] = None\n")
    r = run(cwd=home, real=True, PYTHONPATH=str(tmp_path / "bare"))
    assert r.code == 0, r.out
    assert "8 of 9 done" in r.out
    assert "could not be tried here: the folder lab/ with GPT-2 in it is not here" in r.text
    r = run(str(home / "test_heads.py"), "-q", cwd=tmp_path.parent)
    assert r.state("Merge the heads") == "✓ done"


def test_with_the_lab_and_without_the_solutions(tmp_path: Path) -> None:
    copied(tmp_path, "exercises", "lab")
    folder(tmp_path / "exercises", {})
    r = run("exercises/", cwd=tmp_path)
    assert r.code == 0, r.out
    assert "9 of 9 done" in r.out


def test_hints_one_after_another(tmp_path: Path) -> None:
    copied(tmp_path, "exercises")
    args = ("exercises/test_heads.py", "-k", "slice", "--hint")
    first, second = run(*args, cwd=tmp_path), run(*args, cwd=tmp_path)
    assert "Hint 1 of 3" in first.out
    assert "Hint 2 of 3" not in first.out
    assert "Hint 2 of 3" in second.out
    assert "The same command again shows the next hint." in second.out
    r = run(*args, "2", "--lang", "pt", cwd=tmp_path)
    assert "O mesmo comando com --hint 3 mostra a próxima dica." in r.out
    assert "-m pytest exercises --exercise split_heads --lang pt-BR\n" in r.out
    r = run(*args, "3", cwd=tmp_path)
    assert "Hint 3 of 3" in r.out
    assert "These are all the hints" in r.out
    r = run("--hint", "exercises/", cwd=tmp_path)  # --hint before the folder takes it for its number
    assert r.code != 0
    assert "--hint takes 1, 2 or 3, or nothing" in r.out
    assert not (tmp_path / "exercises" / ".pytest_cache").exists()  # only pytest's own, in its own place


def test_the_folder_of_code_must_exist() -> None:
    r = run("exercises/", "--code", "nowhere")
    assert r.code == 4
    assert "--code nowhere: no such folder" in r.out
    assert "Traceback" not in r.out


@pytest.mark.parametrize(
    ("args", "ran"),
    [(("-k", "split_heads"), ["Split into heads"]), (("-k", "causal_softmax"), ["Softmax over the past"]),
     (("--exercise", "merge_heads"), ["Merge the heads"]),
     (("--exercise", "GENERATE"), ["Generate token by token"]),
     (("--exercise", "mask.py"), ["The triangular mask", "Softmax over the past"]),
     (("--exercise", "mask", "--exercise", "split_heads"),
      ["Split into heads", "The triangular mask", "Softmax over the past"])],
)  # fmt: skip
def test_one_exercise_by_its_name(args: tuple[str, ...], ran: list[str]) -> None:
    r = run("exercises/", NO_GPT2, "--code", "solutions", *args)
    assert r.code == 0, r.out
    done = [title for title in TITLES if f" {title} " in r.out and r.state(title) == "✓ done"]
    assert done == ran


@pytest.mark.parametrize("lang", ["en", "pt-BR"])
def test_an_exercise_that_is_none_is_said_with_all_names(lang: str) -> None:
    r = run("exercises/", NO_GPT2, "--exercise", "heds", "--lang", lang)
    assert r.code == 4
    assert "--exercise heds" in r.text
    assert "attend_with_cache" in r.text
