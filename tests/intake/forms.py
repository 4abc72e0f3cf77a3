"""Forms in which people hand in right work: {path: content} each, made from what is released and solved."""

from __future__ import annotations

import ast
import copy
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from autograder.assignment import KIT as ROOT
from autograder.assignment import load_assignment
from autograder.course import Language
from autograder.nbgrader.build import docstrings
from tests.nbgrader.handed_in import ALL, filled, grade_id, released

Files = dict[str, str]
GOOD = {
    name: (ROOT / "solutions" / name).read_text("utf-8").replace("solutions.", "exercises.")
    for name in load_assignment().files
}
ONE_FILE = "\n\n".join(re.sub(r"^from exercises[^\n]*\n", "", text, flags=re.M) for text in GOOD.values())
OWN_SPLIT = "def split_heads(x, n_head):\n    return x.unflatten(-1, (n_head, -1)).movedim(-2, 1)\n"
OTHER_HEADS = OWN_SPLIT + "\n\ndef merge_heads(y):\n    return y.movedim(1, -2).flatten(-2)\n"


@cache
def stubs(lang: Language = "en") -> Mapping[str, str]:
    """exercises/ as students get it."""
    return {
        name: docstrings.in_language(
            (ROOT / "exercises" / name).read_text("utf-8"), name, load_assignment(), lang
        )
        for name in load_assignment().files
    }


def notebook(answers: Mapping[str, str] = ALL) -> str:
    """The notebook with these cells written."""
    return json.dumps(filled(answers))


def changed(change: Callable[[dict[str, Any]], None], answers: Mapping[str, str] = ALL) -> str:
    """The worked notebook after `change`."""
    book = copy.deepcopy(filled(answers))
    change(book)
    return json.dumps(book)


def of_type(kind: str, *names: str) -> Callable[[dict[str, Any]], None]:
    """Turns cells into another type."""

    def change(book: dict[str, Any]) -> None:
        for cell in book["cells"]:
            if grade_id(cell) in names:
                cell["cell_type"] = kind
                cell.pop("outputs", None)
                cell.pop("execution_count", None)

    return change


def without_names(book: dict[str, Any]) -> None:
    """As after "clear metadata"."""
    for cell in book["cells"]:
        cell["metadata"] = {}


def run_once(book: dict[str, Any]) -> None:
    """As after "run all"."""
    for i, cell in enumerate(c for c in book["cells"] if c["cell_type"] == "code"):
        cell["execution_count"] = i
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "def split_heads(x): ..."}]


def exported() -> str:
    """The worked notebook as "save as .py" makes it, with magics and what was tried out."""
    cells = [c for c in filled(ALL)["cells"] if c["cell_type"] == "code"]
    parts = [f"# In[{i}]:\n\n\n{''.join(c['source'])}\n" for i, c in enumerate(cells)]
    loose = (
        "get_ipython().run_line_magic('matplotlib', 'inline')\nprint(split_heads(torch.zeros(1, 2, 4), 2))\n"
    )
    return "#!/usr/bin/env python\n# coding: utf-8\n\n" + "\n\n".join(parts) + "\n\n" + loose


def writing_files() -> str:
    """A notebook whose cells write the files: `%%writefile heads.py` and its text."""
    cells = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": f"%%writefile {name}\n{text}"}
        for name, text in GOOD.items()
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells})


def kit(lang: Language = "en") -> Files:
    """The whole released kit, without the weights."""
    paths = [p for room in ("exercises", "lab") for p in sorted((ROOT / room).rglob("*.py"))]
    found = {
        p.relative_to(ROOT).as_posix(): p.read_text("utf-8") for p in paths if "__pycache__" not in p.parts
    }
    found |= {f"exercises/{name}": text for name, text in stubs(lang).items()}
    return found | {
        f"exercises/{load_assignment().notebook}": json.dumps(released()),
        "README.md": "def split_heads",
    }


def under(folder: str, files: Mapping[str, str]) -> Files:
    """The same files in a folder."""
    return {f"{folder}/{name}": text for name, text in files.items()}


def touched(lang: Language, change: Callable[[str], str]) -> Files:
    """Stubs that an editor or a comment has touched."""
    return {name: change(text) for name, text in stubs(lang).items()}


def all_from(*files: str) -> dict[str, str]:
    """Every symbol from one file, or each from its own below a folder ("v2/")."""
    return {
        s: files[0] + home if files[0].endswith("/") or not files[0] else files[0]
        for s, home in load_assignment().symbols.items()
    }


HOME = all_from("")  # each from its own file
IN_BOOK = all_from(load_assignment().notebook)
BOTH = "merge_heads, split_heads"
AS_OTHERS = "merge_heads as mh, split_heads as sh\nmerge_heads, split_heads = mh, sh"
LAMBDAS = """
split_heads = lambda x, h: x.unflatten(-1, (h, -1)).transpose(1, 2)
merge_heads = lambda y: y.transpose(1, 2).flatten(2)
"""
IN_AN_IF = "try:\n    import einops\nexcept ImportError:\n    einops = None\nif einops or True:\n" + "".join(
    f"    {line}\n" for line in OTHER_HEADS.splitlines()
)
BOOK_IN_PLACE = f"exercises/{load_assignment().notebook}"
AS_JSON = "multihead_mask.ipynb.json"
TURNED = of_type("markdown", "split_heads", "generate")
Form = tuple[Files, dict[str, str]]


def forms(lang: Language) -> dict[str, Form]:
    """Name -> (what is handed in, symbol -> the file it is taken from)."""
    stub = dict(stubs(lang))
    book = {load_assignment().notebook: notebook()}
    untouched = {load_assignment().notebook: json.dumps(released())}
    one_symbol = {"split_heads": "heads.py", "merge_heads": "heads.py"}
    found: dict[str, Form] = {
        "files": (GOOD, HOME),
        "files seven folders deep": (under("a/b/c/d/e/f/g", GOOD), all_from("a/b/c/d/e/f/g/")),
        "files in a folder": (under("hw", GOOD), all_from("hw/")),
        "exercises folder": (under("exercises", GOOD), all_from("exercises/")),
        "notebook": (book, IN_BOOK),
        "notebook and stubs": (stub | book, IN_BOOK),
        "notebook and stubs in exercises": (under("exercises", stub | book), all_from(BOOK_IN_PLACE)),
        "stubs with a comment": (touched(lang, lambda t: f"# Group 7\n{t}") | book, IN_BOOK),
        "stubs with other line ends": (touched(lang, lambda t: t.replace("\n", "\r\n")) | book, IN_BOOK),
        "stubs reformatted": (touched(lang, lambda t: ast.unparse(ast.parse(t))) | book, IN_BOOK),
        "stubs without docstrings": (
            touched(lang, lambda t: re.sub(r'""".*?"""', '"""x"""', t, flags=re.S)) | book,
            IN_BOOK,
        ),
        "stubs with an import": (touched(lang, lambda t: f"import numpy as np\n{t}") | book, IN_BOOK),
        "stubs that pass": (touched(lang, lambda t: re.sub(r"raise NotImpl.*", "pass", t)) | book, IN_BOOK),
        "stubs with dots": (touched(lang, lambda t: re.sub(r"raise NotImpl.*", "...", t)) | book, IN_BOOK),
        "stubs that return None": (
            touched(lang, lambda t: re.sub(r"raise NotImpl.*", "return None", t)) | book,
            IN_BOOK,
        ),
        "stubs that print": (
            touched(lang, lambda t: re.sub(r"raise NotImpl.*", "print('todo')\n    return", t)) | book,
            IN_BOOK,
        ),
        "stubs with another message": (
            touched(lang, lambda t: re.sub(r"raise NotImpl.*", "raise Exception('later')", t)) | book,
            IN_BOOK,
        ),
        "heads first, then the notebook": ({"heads.py": OTHER_HEADS} | book, IN_BOOK | one_symbol),
        "heads first, stubs, then the notebook": (
            stub | {"heads.py": OTHER_HEADS} | book,
            IN_BOOK | one_symbol,
        ),
        "half a file, then the notebook": (
            stub | {"heads.py": stub["heads.py"] + "\n\n" + OWN_SPLIT} | book,
            IN_BOOK | {"split_heads": "heads.py"},
        ),
        "the same in both": (GOOD | book, HOME),
        "a copy beside the released": (
            untouched | {"multihead_mask-Copy1.ipynb": notebook()},
            all_from("multihead_mask-Copy1.ipynb"),
        ),
        "a copy beside the released, run": (
            {load_assignment().notebook: changed(run_once, {}), "multihead_mask (1).ipynb": notebook()},
            all_from("multihead_mask (1).ipynb"),
        ),
        "own name beside the released": (
            untouched | {"homework 4.ipynb": notebook()},
            all_from("homework 4.ipynb"),
        ),
        "own name, alone": ({"Grupo 7 - atenção.ipynb": notebook()}, all_from("Grupo 7 - atenção.ipynb")),
        "notebook saved as json": ({AS_JSON: notebook()}, all_from(AS_JSON)),
        "notebook saved as txt": ({"multihead_mask.txt": notebook()}, all_from("multihead_mask.txt")),
        "notebook without metadata": ({load_assignment().notebook: changed(without_names)}, IN_BOOK),
        "cells turned to Markdown": ({load_assignment().notebook: changed(TURNED)}, IN_BOOK),
        "cells turned to raw": ({load_assignment().notebook: changed(of_type("raw", *ALL))}, IN_BOOK),
        "files as txt": ({f"{n}.txt": t for n, t in GOOD.items()}, {s: f"{f}.txt" for s, f in HOME.items()}),
        "final names": (
            {n.replace(".py", "_final.py"): t for n, t in GOOD.items()},
            {s: f.replace(".py", "_final.py") for s, f in HOME.items()},
        ),
        "second download": (GOOD | {"heads.py": stub["heads.py"], "heads (1).py": GOOD["heads.py"]}, HOME
            | dict.fromkeys(one_symbol, "heads (1).py")),
        "stub folder and work folder": (under("v1", stub) | under("v2", GOOD), all_from("v2/")),
        "work folder and stub folder": (under("v2", stub) | under("v1", GOOD), all_from("v1/")),
        "equal folders": (under("a", GOOD) | under("b", GOOD), all_from("a/")),
        "the kit and my_work": (under("kit", kit(lang) | under("my_work", GOOD)), all_from("kit/my_work/")),
        "the kit and the top": (under("kit", kit(lang) | GOOD), all_from("kit/")),
        "the kit, worked in": (
            under("kit", kit(lang) | under("exercises", GOOD)),
            all_from("kit/exercises/"),
        ),
        "the kit and its notebook": (
            under("kit", kit(lang) | under("exercises", book)),
            all_from(f"kit/exercises/{load_assignment().notebook}"),
        ),
        "all in heads.py": ({"heads.py": ONE_FILE}, all_from("heads.py")),
        "all in heads.py, and stubs": (stub | {"heads.py": ONE_FILE}, all_from("heads.py")),
        "all in one, own name": ({"solution.py": ONE_FILE}, all_from("solution.py")),
        "all in the last file": (stub | {"kv_cache.py": ONE_FILE}, all_from("kv_cache.py")),
        "exported notebook": ({"multihead_mask.py": exported()}, all_from("multihead_mask.py")),
        "exported notebook beside the released": (
            untouched | {"multihead_mask.py": exported()},
            all_from("multihead_mask.py"),
        ),
        "a notebook that writes files": ({"homework.ipynb": writing_files()}, all_from("homework.ipynb")),
        "text file without an ending": ({"solution": ONE_FILE}, all_from("solution")),
        "tests of their own": (GOOD | {"test_mine.py": OTHER_HEADS}, HOME),
        "notes": (GOOD | {"notes.txt": "First I had\n\n" + OTHER_HEADS}, HOME),
        "stub pasted below the work": (
            {n: t + "\n\n" + stub[n].split("\n\n\n", 1)[1] for n, t in GOOD.items()},
            HOME,
        ),
        "a file an exercise": (
            {f"ex_{s}.py": f"import math, torch\nfrom torch import nn, Tensor\n{t}" for s, t in ALL.items()},
            {s: f"ex_{s}.py" for s in ALL},
        ),
        "a package of their own": (
            under("mine", {n: t.replace("exercises.", "mine.") for n, t in GOOD.items()}),
            all_from("mine/"),
        ),
        "short imports": ({n: t.replace("from exercises.", "from ") for n, t in GOOD.items()}, HOME),
        "relative imports": ({n: t.replace("from exercises.", "from .") for n, t in GOOD.items()}, HOME),
        "imports by another name": (
            GOOD | {"attention.py": GOOD["attention.py"].replace(f"import {BOTH}", f"import {AS_OTHERS}")},
            HOME,
        ),
        "magics in a file": (GOOD | {"heads.py": "!pip install torch\n%pdb off\n" + GOOD["heads.py"]}, HOME),
        "inherited": (
            GOOD
            | {
                "attention.py": GOOD["attention.py"].replace("class MultiHeadAttention(", "class Base(")
                + "\n\nclass MultiHeadAttention(Base):\n    pass\n"
            },
            HOME,
        ),
        "solutions beside stubs": (
            under("exercises", stub) | under("solutions", GOOD),
            all_from("solutions/"),
        ),
        "stubs that assert": (
            touched(lang, lambda t: re.sub(r"raise NotImpl.*", "assert False, 'todo'", t)) | book,
            IN_BOOK,
        ),
        "stubs with a variable": (
            touched(lang, lambda t: re.sub(r"raise NotImpl.*", "out = None\n    return out", t)) | book,
            IN_BOOK,
        ),
        "lambdas": (GOOD | {"heads.py": LAMBDAS}, HOME),
        "in an if": (GOOD | {"heads.py": IN_AN_IF}, HOME),
        "forward attached later": (GOOD | {"attention.py": attached(GOOD["attention.py"])}, HOME),
        "imported from a module": (
            GOOD | {"heads.py": f"from my_heads import {BOTH}\n", "my_heads.py": OTHER_HEADS},
            HOME,
        ),
        "all imported from a module": (
            GOOD | {"heads.py": "from my_heads import *\n", "my_heads.py": OTHER_HEADS},
            HOME | dict.fromkeys(one_symbol, "my_heads.py"),
        ),
    }  # fmt: skip
    return found


def attached(text: str) -> str:
    """attention.py with `forward` as a function that is put into the class afterwards."""
    above, _, below = text.partition("    def forward")
    forward = "def forward" + below.replace("\n    ", "\n")
    return f"{above.rstrip()}\n\n\n{forward}\n\nMultiHeadAttention.forward = forward\n"
