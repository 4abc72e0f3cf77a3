"""Notebooks in every state in which they are handed in: what can be graded is read, the rest has a reason."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch

from autograder.course import Limits
from autograder.extract.reading import Chosen as Notebook
from tests.intake.limited import read_notebook
from tests.nbgrader.handed_in import ALL, Json, before, code, data, filled, grade_id, prose, released

LIMITS = Limits()
x = torch.arange(2 * 3 * 4.0).reshape(2, 3, 4)


def read(notebook: Json) -> Notebook:
    return read_notebook(data(notebook), LIMITS)


def module(found: Notebook, name: str) -> ModuleType:
    """A file of ours (the test's own notebooks are no strangers) with what it imports from others."""
    text = found.files[name].decode()
    made = ModuleType(name)
    lines = []
    for line in text.split("\n"):
        if line.startswith("from exercises."):
            other, symbol = line.removeprefix("from exercises.").split(" import ")
            setattr(made, symbol, getattr(module(found, f"{other}.py"), symbol))
        else:
            lines.append(line)
    exec("\n".join(lines), made.__dict__)
    return made


def works(found: Notebook) -> bool:
    """Whether the whole chain, from the module down to split_heads, gives what the solutions give."""
    from solutions.attention import MultiHeadAttention

    theirs = module(found, "attention.py").MultiHeadAttention(4, 2)
    ours = MultiHeadAttention(4, 2)
    theirs.load_state_dict(ours.state_dict())
    return bool(torch.allclose(theirs(x), ours(x)))


def ids(found: Notebook) -> list[str]:
    return [p.id for p in found.problems] + [f.id for f in found.flags]


def test_the_released_notebook_is_four_files_of_stubs() -> None:
    found = read(released())
    assert ids(found) == []
    assert list(found.files) == ["heads.py", "mask.py", "attention.py", "kv_cache.py"]
    for name, symbol, arguments in (("heads.py", "split_heads", 2), ("kv_cache.py", "generate", 3)):
        with pytest.raises(NotImplementedError, match=symbol):
            getattr(module(found, name), symbol)(*[x] * arguments)


def test_solved() -> None:
    found = read(filled(ALL))
    assert works(found)
    assert ids(found) == []


def test_tests_and_tools_are_no_part_of_what_is_graded() -> None:
    text = b"".join(read(filled(ALL)).files.values())
    assert b"run_public_tests" not in text
    assert b"ToyModel" not in text


def test_helpers_imports_and_constants_come_along_from_any_cell() -> None:
    answer = "def split_heads(x, n_head):\n    return ein.rearrange(x, PATTERN, h=checked(x, n_head))"
    helpers = (
        "import einops as ein, json\nfrom pathlib import Path\nPATTERN = 'b n (h d) -> b h n d'\nx = 1 / 0\n"
        "def checked(x, n):\n    return whole(x.shape[-1], n)"
    )
    late = "def whole(d, n):\n    if d % n:\n        raise ValueError\n    return n"
    notebook = before(filled({**ALL, "split_heads": answer}), "split_heads", code(helpers))
    notebook["cells"].append(code(late))
    found = read(notebook)
    text = found.files["heads.py"].decode()
    assert works(found)
    assert "1 / 0" not in text
    assert "Path" not in text


def test_what_was_tried_out_is_not_run() -> None:
    tried = (
        "print(split_heads(torch.zeros(1, 2, 4), 2))\nassert False\nwhile True: pass\n[print(i) for i in '']"
    )
    found = read(before(filled(ALL), "test-split_heads", code(tried)))
    assert works(found)
    assert b"while True" not in b"".join(found.files.values())


@pytest.mark.parametrize(
    "noise",
    [
        "%matplotlib inline\n!pip install einops\n{}",
        "{}\n!ls -la\nx = !ls\nsplit_heads?\n?split_heads\n%timeit 1 + 1",
        "%%time\n{}",
        "This is my solution, I think it works:\n\n{}\n\n-> yes!",
        "from exercises.heads import merge_heads\nfrom solutions.heads import split_heads\n{}",
        "import torch; from torch import *\n{}",
    ],
    ids=["magic", "shell", "cell magic", "prose", "imports of ours", "star"],
)
def test_what_stands_around_the_answer(noise: str) -> None:
    assert works(read(filled({**ALL, "split_heads": noise.format(ALL["split_heads"])})))


def test_magic_inside_a_function() -> None:
    answer = ALL["split_heads"].replace("    d_k =", "    %pdb off\n    d_k =")
    assert works(read(filled({**ALL, "split_heads": answer})))


def test_other_languages_are_left_alone() -> None:
    found = read(before(filled(ALL), "merge_heads", code("%%bash\ndef split_heads(x, n): rm -rf /")))
    assert works(found)


def test_modulo_at_the_start_of_a_line_is_no_magic() -> None:
    answer = ALL["split_heads"].replace("if d_model % n_head != 0:", "if (d_model\n% n_head) != 0:")
    assert works(read(filled({**ALL, "split_heads": answer})))


@pytest.mark.parametrize(
    "last",
    ["def split_heads(x, n_head):\n    raise NotImplementedError()", ALL["split_heads"]],
    ids=["stub", "same again"],
)
def test_a_duplicated_cell(last: str) -> None:
    notebook = filled(ALL)
    copy = json.loads(json.dumps(next(c for c in notebook["cells"] if grade_id(c) == "split_heads")))
    copy["source"] = last
    notebook["cells"].append(copy)
    found = read(notebook)
    assert works(found)
    assert ids(found) == []


def test_two_different_answers_are_told_and_the_last_one_counts() -> None:
    notebook = filled({**ALL, "split_heads": "def split_heads(x, n_head):\n    return x"})
    copy = json.loads(json.dumps(next(c for c in notebook["cells"] if grade_id(c) == "split_heads")))
    copy["source"] = ALL["split_heads"]
    notebook["cells"].append(copy)
    found = read(notebook)
    assert works(found)
    assert ids(found) == ["notebook.duplicate"]


def test_a_scratch_cell_does_not_beat_the_exercises_own_cell() -> None:
    scratch = code("def split_heads(x, n_head):\n    return x * 0")
    notebook = filled(ALL)
    notebook["cells"].append(scratch)
    found = read(notebook)
    assert works(found)
    assert ids(found) == ["notebook.duplicate"]


def test_a_deleted_cell_takes_only_its_own_exercise_away() -> None:
    notebook = filled(ALL)
    notebook["cells"] = [
        c for c in notebook["cells"] if grade_id(c) not in ("merge_heads", "test-merge_heads")
    ]
    found = read(notebook)
    assert ids(found) == ["notebook.not_found"]
    heads = module(found, "heads.py")
    assert heads.split_heads(x, 2).shape == (2, 2, 3, 2)
    with pytest.raises(NotImplementedError, match="merge_heads is not written yet"):
        heads.merge_heads(x)


def test_reordered_cells() -> None:
    notebook = filled(ALL)
    notebook["cells"] = notebook["cells"][::-1]
    found = read(notebook)
    assert works(found)
    assert ids(found) == []


def test_all_in_one_cell_without_any_names() -> None:
    notebook = filled(ALL)
    everything = "\n\n".join("".join(c["source"]) for c in notebook["cells"] if grade_id(c) in ALL)
    found = read({**notebook, "cells": [prose("# My work"), code("import torch\n" + everything)]})
    assert works(found)
    assert ids(found) == []


def test_an_answer_merged_into_a_test_cell() -> None:
    notebook = filled(ALL)
    answer = ALL["split_heads"]
    for cell in notebook["cells"]:
        if grade_id(cell) == "test-split_heads":
            cell["source"] = answer + "\n" + "".join(cell["source"])
    notebook["cells"] = [c for c in notebook["cells"] if grade_id(c) != "split_heads"]
    found = read(notebook)
    assert works(found)
    assert ids(found) == []


def test_a_syntax_error_takes_only_its_own_exercise_away() -> None:
    found = read(filled({**ALL, "split_heads": "def split_heads(x, n_head):\n    return x.reshape(\n"}))
    assert ids(found) == ["notebook.syntax"]
    assert found.flags[0].params["exercise"] == "split_heads"
    heads = module(found, "heads.py")
    assert heads.merge_heads(torch.zeros(1, 2, 3, 4)).shape == (1, 3, 8)
    with pytest.raises(SyntaxError, match="was never closed"):
        heads.split_heads(x, 2)


def test_a_method_attached_later_belongs_to_the_class() -> None:
    parts = ALL["MultiHeadAttention"].split("    def forward")
    later = "def forward" + parts[1].replace("\n    ", "\n") + "\n\nMultiHeadAttention.forward = forward"
    found = read(filled({**ALL, "MultiHeadAttention": parts[0] + "    pass\n\n" + later}))
    assert works(found)


def test_files_that_need_each_other() -> None:
    answer = "def shapes(x):\n    return causal_mask(x.shape[1]).shape\n\n" + ALL["split_heads"].replace(
        "    B, n,", "    shapes(x)\n    B, n,"
    )
    text = read(filled({**ALL, "split_heads": answer})).files["heads.py"].decode()
    assert text.rstrip().endswith(
        "from exercises.mask import causal_mask"
    )  # last: so that mask.py may need heads.py


def test_a_helper_that_changes_between_two_exercises_is_told() -> None:
    first = "def cut(x, h):\n    return x.reshape(*x.shape[:2], h, -1)\n\n"
    split = first + "def split_heads(x, n_head):\n    return cut(x, n_head).transpose(1, 2)"
    merge = "def cut(y):\n    return y.transpose(1, 2)\n\ndef merge_heads(y):\n    return cut(y).flatten(2)"
    found = read(filled({**ALL, "split_heads": split, "merge_heads": merge}))
    assert "notebook.helper_twice" in ids(found)


# -- formats, damage, size -------------------------------------------------------------------------


def as_format_3(notebook: Json) -> Json:
    cells = []
    for cell in notebook["cells"]:
        cell = dict(cell)
        if cell["cell_type"] == "code":
            cell["input"], cell["language"] = cell.pop("source"), "python"
        cells.append(cell)
    return {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": cells}]}


def test_format_3() -> None:
    assert works(read(as_format_3(filled(ALL))))


def test_any_kernel_name_and_byte_order_mark() -> None:
    notebook = filled(ALL)
    notebook["metadata"]["kernelspec"] = {"name": "conda-env-my-r", "language": "R"}
    assert works(read_notebook(b"\xef\xbb\xbf" + data(notebook), LIMITS))


def test_a_file_that_was_cut_off() -> None:
    whole = data(filled(ALL))
    found = read_notebook(whole[: whole.index(b"def attend_with_cache")], LIMITS)
    assert works(found)
    assert "notebook.damaged" in ids(found)


def test_marks_of_a_merge_conflict() -> None:
    lines = json.dumps(filled(ALL), indent=1).split("\n")
    at = lines.index('   "cell_type": "code",')
    lines[at - 1 : at - 1] = ["<<<<<<< HEAD", "=======", ">>>>>>> theirs"]
    found = read_notebook("\n".join(lines).encode(), LIMITS)
    assert works(found)
    assert "notebook.damaged" in ids(found)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "notebook.unreadable"),
        (b"\x00\xff" * 50, "notebook.unreadable"),
        (b"{}", "notebook.unreadable"),
        (b'{"cells": 5}', "notebook.unreadable"),
        (b'{"cells": []}', "notebook.no_exercise"),
        (b'{"cells": [null, 3, {"cell_type": "code", "source": {"a": 1}}]}', "notebook.no_exercise"),
        (b"[" * 3_000_000, "notebook.unreadable"),
        (b"PK\x03\x04 not a notebook", "notebook.unreadable"),
    ],
)
def test_what_cannot_be_read_has_a_reason(content: bytes, reason: str) -> None:
    found = read_notebook(content, LIMITS)
    assert found.files == {}
    assert [p.id for p in found.problems] == [reason]


def test_fifty_megabytes_of_outputs() -> None:
    notebook = filled(ALL)
    lines = [f"step {i}: loss 0.123\n" for i in range(1_950_000)]
    notebook["cells"][3]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": lines}]
    content = data(notebook)
    assert len(content) > 50 * 2**20
    assert works(read_notebook(content, LIMITS))


def test_more_memory_than_a_notebook_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.extract.reading.MEMORY_MB", 150)
    found = read_notebook(b'{"cells": [' + b"[[]]," * 6_000_000 + b"[]]}", LIMITS)
    assert [p.id for p in found.problems] == ["notebook.limits"]


@pytest.mark.parametrize(
    "expression",
    [lambda: "(" * 3000 + "x" + ")" * 3000, lambda: "-" * 100_000 + "x", lambda: "+".join(["x"] * 60_000)],
    ids=["brackets", "signs", "sums"],
)
def test_code_that_breaks_parsers_costs_only_its_own_exercise(expression: Callable[[], str]) -> None:
    answer = f"def causal_mask(n_query, n_key=None, device=None):\n    return {expression()}"
    found = read(filled({**ALL, "causal_mask": answer}))
    assert [p.id for p in found.problems] == []
    assert module(found, "heads.py").split_heads(x, 2).shape == (2, 2, 3, 2)


def test_nothing_of_a_notebook_is_run_while_it_is_read(tmp_path: object) -> None:
    mark = f"{tmp_path}/ran"
    evil = f"import os\nos.system('touch {mark}')\nopen('{mark}', 'w')"
    read(before(filled(ALL), "split_heads", code(evil), code(f"!touch {mark}")))
    assert not Path(mark).exists()
