"""autograder diff, and what `grade` says when it grades the same files again by another kit, course or seed."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from autograder.assignment import load_assignment
from autograder.commands.differences import MOST, changes_json, show_changes, show_regraded
from autograder.commands.regraded import Regraded
from autograder.gradebook.changes import changes
from autograder.results import Kit, SubmissionResult
from tests.batch.helpers import Heard
from tests.cli.test_cli import autograder
from tests.gradebook.test_changes import result

KIT = load_assignment()


def written(folder: Path, *results: SubmissionResult) -> Path:
    for one in results:
        path = folder / one.student / "result.json"
        path.parent.mkdir(parents=True)
        path.write_text(one.model_dump_json(), encoding="utf-8")
    return folder


def shown(old: dict[str, SubmissionResult], new: dict[str, SubmissionResult], lang: str = "en") -> str:
    out = Console(file=io.StringIO(), width=140)
    found = changes(old, new)
    show_changes(out, found, len(new) - len(found), KIT, lang)
    return str(out.file.getvalue())  # type: ignore[attr-defined]


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders of results: one loses, one has no grade any more, one is as before."""
    old = [result(s, {"heads/x": 5}) for s in ("ana", "bo", "cy")]
    new = [result("ana", {"heads/x": 2}, seed="2"), result("cy", {"heads/x": 5}, seed="2")]
    return written(tmp_path / "old", *old), written(tmp_path / "new", *new)


def test_the_command(two: tuple[Path, Path]) -> None:
    done = autograder("diff", *two)
    assert done.returncode == 0, done.stderr
    assert "0 gain points, 2 lose points; 1 are as before." in done.stdout
    assert "There is no grade now." in done.stdout
    assert "−3" in done.stdout
    assert "the seed" in done.stdout


def test_for_programs(two: tuple[Path, Path]) -> None:
    told = json.loads(autograder("diff", *two, "--json").stdout)
    assert told["same"] == 1
    assert [(c["student"], c["before"], c["now"]) for c in told["changed"]] == [
        ("bo", 5, None),
        ("ana", 5, 2),
    ]
    assert told["changed"][1]["causes"] == ["seed"]
    assert [(t["before"], t["now"]) for t in told["changed"][1]["tests"]] == [(5, 2)]


def test_a_folder_without_results(two: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = autograder("diff", two[0], tmp_path / "empty")
    assert done.returncode == 2
    assert "holds no results" in done.stderr
    (two[1] / "ana" / "result.json").write_text("{")
    (two[1] / "cy" / "result.json").unlink()
    done = autograder("diff", *two)
    assert done.returncode == 2
    assert "is no result of this kit" in done.stderr


def test_a_large_class_is_counted_and_cut(tmp_path: Path) -> None:
    old = {f"s{i}": result(f"s{i}", {"heads/x": 5}) for i in range(3 * MOST)}
    new = {name: result(name, {"heads/x": 4}, hidden="2") for name in old}
    text = shown(old, new)
    assert f"{3 * MOST} lose points" in text
    assert f"{2 * MOST} more" in text
    assert text.count("What differs") == 1
    assert len(json.loads(changes_json(changes(old, new), 0))["changed"]) == 3 * MOST


def test_names_and_concepts_are_only_text() -> None:
    name = "[red]ana[/red]\x1b[2J\u202e"
    text = shown({name: result(name, {"[b]x/y": 5})}, {name: result(name, {"[b]x/y": 4})})
    assert "[red]ana[/red]" in text
    assert "\x1b[2J" not in text
    assert "\u202e" not in text


def test_in_portuguese() -> None:
    text = shown({"ana": result("ana", {"a/x": 5})}, {"ana": result("ana", {"a/x": 4}, course="2")}, "pt-BR")
    assert "perdem pontos" in text
    assert "O que mudou" in text


def again(tmp_path: Path, *pairs: tuple[SubmissionResult, SubmissionResult | None]) -> tuple[Regraded, str]:
    heard = Regraded(Heard())
    for new, old in pairs:
        heard.written(new, tmp_path, old)
    out = Console(file=io.StringIO(), width=140)
    show_regraded(out, heard, KIT, "en")
    return heard, str(out.file.getvalue())  # type: ignore[attr-defined]


def test_a_run_says_what_another_seed_has_made_of_it(tmp_path: Path) -> None:
    heard, text = again(
        tmp_path,
        (result("ana", {"a/x": 4}, seed="2"), result("ana", {"a/x": 5})),
        (result("bo", {"a/x": 5}, seed="2"), result("bo", {"a/x": 5})),
    )
    assert heard.count == 2
    assert "same files as before: 2. What differs: the seed." in text
    assert "1 lose points; 1 are as before" in text


def test_a_run_says_nothing_where_the_files_changed_or_nothing_did(tmp_path: Path) -> None:
    same = result("ana", {"a/x": 5})
    other = result("ana", {"a/x": 4}, submission="2", seed="2")
    heard, text = again(tmp_path, (same, None), (same, same), (other, same))
    assert (heard.count, text) == (0, "")


def test_every_cause_has_words() -> None:
    old, new = (Kit(version=v, packages={"torch": v}, hashes=dict.fromkeys("abc", v)) for v in "12")
    ana = {"ana": result("ana", {"a/x": 5}).model_copy(update={"kit": old})}
    bo = {"ana": result("ana", {"a/x": 4}).model_copy(update={"kit": new})}
    assert "versions of Python packages and the kit's version" in shown(ana, bo)
