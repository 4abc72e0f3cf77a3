"""Which of two counts, what is told of the other, and when nobody but a person can say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from autograder.assignment import load_assignment
from autograder.intake import Submission, incoming
from autograder.intake.read import read
from tests.intake.forms import GOOD, ONE_FILE, OTHER_HEADS, Files, notebook, under
from tests.intake.test_forms import hand_in, works
from tests.nbgrader.handed_in import ALL, changed, code, filled

NOTEBOOK = load_assignment().notebook

OTHER_BOOK = notebook(changed("split_heads", ("x.reshape", "x.contiguous().reshape")))
OTHER = {**GOOD, "heads.py": OTHER_HEADS}


def taken(got: Submission, symbol: str = "split_heads") -> str:
    return next(s.file for s in got.sources if s.symbol == symbol)


def flags(got: Submission) -> set[str]:
    return {f.id for f in got.flags}


@pytest.mark.parametrize(
    ("files", "used", "other"),
    [
        (
            {"heads.py": OTHER_HEADS, NOTEBOOK: notebook()},
            "heads.py",
            NOTEBOOK,
        ),
        (under("exercises", GOOD) | {"heads.py": OTHER_HEADS}, "exercises/heads.py", "heads.py"),
        (GOOD | under("drafts", OTHER), "heads.py", "drafts/heads.py"),
        (under("hw", GOOD | under("old", OTHER)), "hw/heads.py", "hw/old/heads.py"),
        (
            {NOTEBOOK: notebook(), "multihead_mask-Copy1.ipynb": OTHER_BOOK},
            NOTEBOOK,
            "multihead_mask-Copy1.ipynb",
        ),
        (
            {NOTEBOOK: notebook()} | under("files", OTHER),
            NOTEBOOK,
            "files/heads.py",
        ),
        (GOOD | {"play.py": OTHER_HEADS}, "heads.py", "play.py"),
    ],
)
def test_the_expected_one_of_two_counts_and_the_other_is_told(
    tmp_path: Path, files: Files, used: str, other: str
) -> None:
    got = hand_in(tmp_path, files)
    assert got.problems == ()
    assert taken(got) == used
    assert other in next(s.others for s in got.sources if s.symbol == "split_heads")
    (said,) = [f for f in got.flags if f.id == "also_written"]
    assert (said.params["used"], other in str(said.params["others"])) == (used, True)
    works(got)


@pytest.mark.parametrize(
    ("files", "places"),
    [
        (under("v1", GOOD) | under("v2", OTHER), ("v1/heads.py", "v2/heads.py")),
        (under("hw/v1/exercises", GOOD) | under("hw/v2/exercises", OTHER), ("v1", "v2")),
        ({"a.ipynb": notebook(), "b.ipynb": OTHER_BOOK}, ("a.ipynb", "b.ipynb")),
        (
            load_assignment().stubs | {"heads (1).py": GOOD["heads.py"], "heads (2).py": OTHER_HEADS},
            ("heads (1).py", "heads (2).py"),
        ),
        ({"mine.py": ONE_FILE, "ours.py": ONE_FILE + "\n\n" + OTHER_HEADS}, ("mine.py", "ours.py")),
        (
            {"final/multihead_mask.ipynb": notebook(), "old/multihead_mask.ipynb": OTHER_BOOK},
            ("final", "old"),
        ),
    ],
)
def test_two_that_differ_where_none_is_expected_are_left_to_a_person(
    tmp_path: Path, files: Files, places: tuple[str, str]
) -> None:
    got = hand_in(tmp_path, files)
    assert got.files == {}
    (problem,) = got.problems
    assert problem.id == "written.several"
    assert "split_heads" in str(problem.params["exercises"])
    assert all(place in str(problem.params["found"]) for place in places)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"""', "'''"),
        lambda text: text.replace(": Tensor", "").replace(" -> Tensor", ""),
        lambda text: "# mine\nimport os\n" + text.replace("    return", "    # done\n    return"),
        lambda text: text.replace("(\n", "(\n\n"),
    ],
)
def test_the_same_in_other_clothes_is_the_same(tmp_path: Path, change) -> None:  # type: ignore[no-untyped-def]
    again = {name: change(text) for name, text in GOOD.items()}
    got = hand_in(tmp_path, under("a", GOOD) | under("b", again))
    assert got.problems == ()
    assert "also_written" not in flags(got)


@pytest.mark.parametrize("body", ["raise NotImplementedError('x')", "pass", "raise ValueError('no')"])
def test_what_is_empty_below_the_work_is_told(tmp_path: Path, body: str) -> None:
    below = GOOD["heads.py"] + f"\n\ndef merge_heads(y):\n    {body}\n"
    got = hand_in(tmp_path, dict(GOOD) | {"heads.py": below})
    (said,) = [f for f in got.flags if f.id == "empty_below"]
    assert (said.params["exercise"], said.params["file"]) == ("merge_heads", "heads.py")
    works(got)


def test_another_helper_makes_another_answer(tmp_path: Path) -> None:
    cut = "def cut(x, h):\n    return x.unflatten(-1, (h, -1))\n"
    split = "\n\ndef split_heads(x, n_head):\n    return cut(x, n_head)\n"
    text = cut + split
    got = hand_in(tmp_path, {"a/heads.py": text, "b/heads.py": text.replace("-1, (", "2, (")})
    assert [p.id for p in got.problems] == ["written.several"]
    files = {"heads.py": "from utils import cut\n" + split, "utils.py": cut}
    other = files | {"utils.py": cut.replace("-1, (", "2, (")}
    assert hand_in(tmp_path / "2", under("a", files) | under("b", files)).problems == ()
    assert [p.id for p in hand_in(tmp_path / "3", under("a", files) | under("b", other)).problems] == [
        "written.several"
    ]


def test_in_an_nbgrader_course_the_notebook_comes_first(tmp_path: Path) -> None:
    hand_in(tmp_path, {"heads.py": OTHER_HEADS, NOTEBOOK: notebook()})
    one = next(one for one in incoming(tmp_path, load_assignment())[0] if one.student == "ana")
    got = read(replace(one, notebook_first=True), load_assignment())
    assert {s.file for s in got.sources} == {NOTEBOOK}
    assert all(s.expected for s in got.sources)
    got = read(replace(one, notebook_first=False), load_assignment())
    assert taken(got) == "heads.py"


def test_what_was_half_written_in_one_place_and_half_in_the_other(tmp_path: Path) -> None:
    """split_heads in a file, merge_heads in the notebook, with a helper of the same name in each."""
    heads = "def cut(x, h):\n    return x.unflatten(-1, (h, -1))\n\n\n"
    heads += "def split_heads(x, n_head):\n    return cut(x, n_head).transpose(1, 2)\n"
    merge = "def cut(y):\n    return y.transpose(1, 2)\n\ndef merge_heads(y):\n    return cut(y).flatten(2)"
    book = notebook({**ALL, "split_heads": "def split_heads(x, n_head):\n    pass", "merge_heads": merge})
    got = hand_in(tmp_path, {"heads.py": heads, NOTEBOOK: book})
    assert (taken(got), taken(got, "merge_heads")) == ("heads.py", NOTEBOOK)
    assert got.files["heads.py"].startswith(heads.encode()), "lines keep their numbers"
    for replaced in ((), ("split_heads",), ("merge_heads",), ("causal_mask", "split_heads")):
        works(got, *replaced)


WRONG = {
    "split_heads": "def split_heads(x, n_head):\n    return x.reshape(x.shape[0], n_head, x.shape[1], -1)\n",
    "merge_heads": "def merge_heads(y):\n    return y.reshape(y.shape[0], y.shape[2], -1)\n",
    "causal_mask": "def causal_mask(n_query, n_key=None, device=None):\n"
    "    return torch.zeros(n_query, n_key or n_query).bool()\n",
}


def faulty(symbol: str, form: str) -> Files:
    """Right work but for one function, in a form."""
    if form == "notebook":
        return {NOTEBOOK: notebook({**ALL, symbol: WRONG[symbol]})}
    if form == "one file":
        return {"all.py": f"{ONE_FILE}\n\n{WRONG[symbol]}"}
    home = load_assignment().symbols[symbol]
    worse = {home: GOOD[home] + "\n\n" + WRONG[symbol]}
    if form == "imported":
        stem = home.removesuffix(".py")
        others = {n: t.replace(f"exercises.{stem}", f"my_{stem}") for n, t in GOOD.items()}
        return others | {home: f"from my_{stem} import *\n", f"my_{stem}.py": worse[home]}
    if form == "file and notebook":
        return {NOTEBOOK: notebook()} | worse
    if form == "half and half":
        book = filled({**ALL, symbol: "# below"})
        return {NOTEBOOK: json.dumps(book), "mine.py": "import torch\n" + WRONG[symbol]}
    return GOOD | worse


@pytest.mark.parametrize("symbol", WRONG)
@pytest.mark.parametrize(
    "form", ["files", "notebook", "one file", "imported", "file and notebook", "half and half"]
)
def test_the_reference_in_a_symbols_place_reaches_whoever_uses_it(
    tmp_path: Path, symbol: str, form: str
) -> None:
    got = hand_in(tmp_path, faulty(symbol, form))
    assert got.problems == ()
    with pytest.raises(AssertionError):
        works(got)
    works(got, symbol)


def test_code_in_a_cell_that_was_never_code_counts_when_nothing_else_does(tmp_path: Path) -> None:
    book = filled({**ALL, "split_heads": "# written below"})
    text = {"cell_type": "markdown", "metadata": {}, "source": f"```python\n{ALL['split_heads']}\n```"}
    got = hand_in(tmp_path, {NOTEBOOK: json.dumps({**book, "cells": [*book["cells"], text]})})
    works(got)
    assert flags(got) == {"notebook.restored"}
    answered = {**filled(ALL), "cells": [*filled(ALL)["cells"], {**text, "source": OTHER_HEADS}]}
    assert flags(hand_in(tmp_path / "2", {NOTEBOOK: json.dumps(answered)})) == set()


def test_drafts_in_hidden_folders_do_not_compete_with_work(tmp_path: Path) -> None:
    drafts = {".ipynb_checkpoints/multihead_mask-checkpoint.ipynb": OTHER_BOOK, ".old/heads.py": OTHER_HEADS}
    got = hand_in(tmp_path, {NOTEBOOK: notebook()} | drafts)
    assert (got.problems, got.flags) == ((), ())
    got = hand_in(
        tmp_path / "2",
        dict(load_assignment().stubs) | {".ipynb_checkpoints/multihead_mask-checkpoint.ipynb": notebook()},
    )
    works(got)


def test_a_scratch_cell_is_no_other_answer(tmp_path: Path) -> None:
    book = filled(ALL)
    book["cells"].append(code("causal_mask = torch.triu(torch.ones(3, 3))\ngenerate = 5"))
    got = hand_in(tmp_path, {NOTEBOOK: json.dumps(book)})
    assert flags(got) == set()
    works(got)


CUT = "def cut(x, h):\n    return x.unflatten(-1, (h, -1)).transpose(1, 2)\n"


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("from utils import cut", {"utils.py": CUT}),
        ("from .utils import cut", {"utils.py": CUT}),
        ("from exercises.utils import cut", {"utils.py": CUT}),
        ("import utils\ncut = utils.cut", {"utils.py": CUT}),
        ("import utils as u\ncut = u.cut", {"utils.py": CUT}),
        ("from utils import *", {"utils.py": CUT}),
        ("import helpers.shapes\ncut = helpers.shapes.cut", {"helpers/shapes.py": CUT}),
        (
            "from helpers import shapes\ncut = shapes.cut",
            {"helpers/shapes.py": CUT, "helpers/__init__.py": ""},
        ),
        (
            "from helpers import cut",
            {"helpers/shapes.py": CUT, "helpers/__init__.py": "from .shapes import cut"},
        ),
        (
            "from helpers import cut",
            {"helpers/shapes.py": CUT, "helpers/__init__.py": "from helpers.shapes import *"},
        ),
        ("from one import cut", {"one.py": "from two import cut\n", "two.py": CUT}),
        ("from fu\u0308r import cut", {"f\u00fcr.py": CUT}),
        ("from random import cut", {"random.py": CUT}),
        (
            "from random import random, seed\nfrom types import cut",
            {"types.py": CUT, "random.py": "seed = 1"},
        ),
        ("import copy\ncopy.copy(1)\n" + CUT, {"copy.py": "1 / 0"}),
        ("import torch\ntorch.zeros(1)\n" + CUT, {"torch.py": "raise SystemExit"}),
        ("from torch import nn\nfrom numpy import cut", {"torch/nn.py": "1 / 0", "numpy.py": CUT}),
        ("def cut(x, h):\n    from utils import cut\n    return cut(x, h)", {"utils.py": CUT}),
    ],
)
@pytest.mark.parametrize("folder", ["", "hw/", "exercises/"])
def test_modules_of_their_own_come_along(tmp_path: Path, line: str, files: Files, folder: str) -> None:
    merge = GOOD["heads.py"][GOOD["heads.py"].index("def merge_heads") :]
    split = "def split_heads(x, n_head):\n    return cut(x, n_head)"
    text = f"from torch import Tensor\n{line}\n\n\n{split}\n\n\n{merge}"
    every = {**GOOD, "heads.py": text} | files
    got = hand_in(tmp_path, {folder + name: text for name, text in every.items()})
    assert got.problems == ()
    works(got)
    works(got, "causal_mask")


def test_a_module_at_the_top_serves_the_exercises_folder(tmp_path: Path) -> None:
    text = "from utils import cut\n" + GOOD["heads.py"].replace(
        "x.reshape(B, n, n_head, d_k)", "cut(x, n_head)"
    )
    text = text.replace("return x.transpose(1, 2)  # (B, n, n_head", "return x  # (B, n, n_head")
    got = hand_in(tmp_path, under("hw/exercises", {**GOOD, "heads.py": text}) | {"hw/utils.py": CUT})
    assert set(got.files) == {*GOOD, "utils.py"}
    works(got)


def test_a_notebook_may_import_a_module(tmp_path: Path) -> None:
    split = "from utils import cut\n\ndef split_heads(x, n_head):\n    return cut(x, n_head)"
    got = hand_in(tmp_path, {NOTEBOOK: notebook({**ALL, "split_heads": split}), "utils.py": CUT})
    works(got)


def test_other_modules_are_not_loaded(tmp_path: Path) -> None:
    got = hand_in(tmp_path, {**GOOD, "plots.py": "1 / 0", "utils.py": CUT})
    assert set(got.files) == set(GOOD)
