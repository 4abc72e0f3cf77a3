"""The notebook is made from exercises, solutions and public tests, the same way every time."""

from __future__ import annotations

import ast
import json
import re

import pytest

from autograder.assignment import load_assignment
from autograder.checks.marks import tests_of as hidden_tests_of
from autograder.course import Language
from autograder.nbgrader.build import docstrings
from autograder.nbgrader.build.notebook import build, students_version
from autograder.nbgrader.build.public import tests_of as public_tests_of
from autograder.nbgrader.build.sources import replace_names, said, solution_cell
from autograder.nbgrader.kernel import result_of, score
from autograder.results import Verdict
from tests.nbgrader.handed_in import ROOT, grade_id, released

COURSE = load_assignment()
LANGUAGES: tuple[Language, ...] = ("en", "pt-BR")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_building_twice_gives_the_same(lang: Language) -> None:
    assert build(COURSE, lang) == build(COURSE, lang)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_is_a_notebook_for_nbgrader(lang: Language) -> None:
    import nbformat
    from nbgrader.nbgraderformat import MetadataValidator

    notebook = nbformat.reads(build(COURSE, lang), as_version=4)
    nbformat.validate(notebook)
    MetadataValidator().validate_nb(notebook)


def test_the_students_notebook_is_up_to_date() -> None:
    ours = (ROOT / "exercises" / "multihead_mask.ipynb").read_text(encoding="utf-8")
    assert students_version(ours) == students_version(build(COURSE, "en")), "run `autograder notebook build`"


def test_the_students_notebook_has_no_solution() -> None:
    text = json.dumps(released())
    assert "BEGIN SOLUTION" not in text
    assert "autograder" not in text
    for cell in released()["cells"]:
        if grade_id(cell) in load_assignment().symbols:
            assert "raise NotImplementedError()" in "".join(cell["source"])


@pytest.mark.parametrize("symbol", list(load_assignment().symbols))
def test_a_solution_cell_is_the_stub_with_the_solution_in_it(symbol: str) -> None:
    cell = solution_cell(symbol, COURSE)
    stub = next(
        n for n in ast.parse(COURSE.stubs[COURSE.symbols[symbol]]).body if getattr(n, "name", "") == symbol
    )
    solved = (ROOT / "solutions" / load_assignment().symbols[symbol]).read_text(encoding="utf-8")
    theirs = next(n for n in ast.parse(solved).body if getattr(n, "name", "") == symbol)
    made = ast.parse(cell).body[0]
    assert ast.get_docstring(made) == ast.get_docstring(stub)  # type: ignore[arg-type]
    if isinstance(made, ast.FunctionDef) and isinstance(theirs, ast.FunctionDef):
        assert [ast.dump(s) for s in made.body[1:]] == [ast.dump(s) for s in theirs.body[1:]]
    assert cell.count("### BEGIN SOLUTION") == cell.count("### END SOLUTION") == 1


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("symbol", list(load_assignment().symbols))
def test_every_exercise_has_public_tests_with_titles(symbol: str, lang: Language) -> None:
    found = public_tests_of(COURSE[symbol], said(COURSE, lang), COURSE)
    assert len(found) >= 2
    for test in found:
        function = ast.parse(test.text).body[0]
        assert isinstance(function, ast.FunctionDef)
        assert ast.get_docstring(function)


def test_every_public_test_is_in_the_notebook() -> None:
    text = json.dumps(released())
    for file in ("heads", "mask", "attention", "kv_cache"):
        for node in ast.parse((ROOT / "exercises" / f"test_{file}.py").read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert f"def {node.name}(" in text


def test_both_languages_have_the_same_texts() -> None:
    assert said(COURSE, "en").keys() == said(COURSE, "pt-BR").keys()


def test_names_are_replaced_as_names_only() -> None:
    text = "a = [T, F]  # T F\nb = 'T', T_F\nF.x"
    assert (
        replace_names(text, {"T": "True", "F": "False"}) == "a = [True, False]  # T F\nb = 'T', T_F\nFalse.x"
    )


def test_every_exercise_has_hidden_tests_that_can_be_found() -> None:
    assert all(hidden_tests_of(e.id, COURSE) for e in COURSE.exercises)


def run_in_order(answers: dict[str, str]) -> dict[str, object]:
    """The students' notebook as a kernel would run it; what a stub raises stops only its own cell."""
    from tests.nbgrader.handed_in import filled

    namespace: dict[str, object] = {"__name__": "__main__"}
    for cell in filled(answers)["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), namespace)
    return namespace


def test_public_tests_say_what_is_not_right(capsys: pytest.CaptureFixture[str]) -> None:
    wrong = "def split_heads(x, n_head):\n    return x.reshape(x.shape[0], n_head, x.shape[1], -1)"
    run_in_order({"split_heads": wrong, "merge_heads": "def merge_heads(y):\n    return y + 'a'"})
    said = capsys.readouterr().out
    assert "[  ] each head reads its own slice of every token" in said
    assert "The shape is right, the numbers are not. 8 of 12 numbers differ." in said
    assert "Your code stopped with an error: TypeError" in said
    assert "Not written yet." in said


def test_public_tests_pass_on_the_solutions(capsys: pytest.CaptureFixture[str]) -> None:
    from tests.nbgrader.handed_in import ALL

    run_in_order(ALL)
    said = capsys.readouterr().out
    assert said.count("[ok]") >= 40
    assert "[  ]" not in said


def test_the_tests_do_not_hide_what_the_exercises_use() -> None:
    """mask.py's tests call True T and False F: in a notebook that would be the end of F.softmax."""
    from tests.nbgrader.handed_in import ALL

    answer = "def causal_softmax(scores, causal=True):\n    return F.softmax(scores, dim=-1)"
    namespace = run_in_order({**ALL, "causal_softmax": answer})
    assert namespace["F"].__name__ == "torch.nn.functional"  # type: ignore[attr-defined]


@pytest.mark.slow
def test_in_a_kernel_all_tests_can_be_judged() -> None:
    """Also the speed of the cache, by the process's own clock; no point comes from a fault of the grader."""
    from tests.nbgrader.handed_in import ALL

    for answers, most in ((ALL, 100), ({}, 0)):
        namespace = run_in_order(answers)
        for exercise in COURSE.exercises:
            result = result_of(exercise.id, namespace)
        assert {t.verdict for t in result.tests} & {Verdict.GRADER_FAULT, Verdict.NOT_MEASURED} == set()
        assert result.score == most


def test_scores_in_a_kernel_are_floats_and_say_nothing_on_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    import sys

    def noisy(y: object) -> object:
        print("noise", file=sys.stderr)
        sys.__stderr__.write("more noise")  # type: ignore[union-attr]
        return y

    points = score("merge_heads", {"merge_heads": noisy})
    captured = capfd.readouterr()
    assert type(points) is float
    assert 0 <= points < 8
    assert captured.err == ""
    assert "[  ]" in captured.out


def test_docstrings_are_all_there_in_every_language() -> None:
    assert docstrings.problems(load_assignment()) == []


@pytest.mark.parametrize("file", ["__init__.py", *load_assignment().files])
def test_translated_exercises_are_the_same_code(file: str) -> None:
    english = (ROOT / "exercises" / file).read_text(encoding="utf-8")
    portuguese = docstrings.in_language(english, file, COURSE, "pt-BR")
    assert docstrings.in_language(english, file, COURSE, "en") == english
    texts = [dict(docstrings.documented(one, file)) for one in (english, portuguese)]
    assert texts[0].keys() == texts[1].keys()
    for key, node in texts[0].items():
        there, here = ast.get_docstring(node), ast.get_docstring(texts[1][key])
        assert there != here, f"{key} is not translated"
        same = [sorted(re.findall(r"\d+|\w+_\w+|\[+", text or "")) for text in (there, here)]
        assert same[0] == same[1], key  # numbers, names and matrices
    code = [ast.parse(one) for one in (english, portuguese)]
    for tree in code:
        for node in ast.walk(tree):
            if isinstance(node, docstrings.Documented) and ast.get_docstring(node) is not None:
                del node.body[0]
    assert ast.dump(code[0]) == ast.dump(code[1])
    assert max(map(len, portuguese.split("\n"))) <= 118


def test_the_portuguese_notebook_explains_in_portuguese() -> None:
    cells = {c["id"]: "".join(c["source"]) for c in json.loads(build(COURSE, "pt-BR"))["cells"]}
    assert "Dá a cada cabeça" in cells["split_heads"]
    assert "Gives every head" not in cells["split_heads"]
    assert "x = x.reshape(B, n, n_head, d_k)" in cells["split_heads"]
