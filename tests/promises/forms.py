"""The same work in every form in which people hand it in: {path in the submission: bytes}."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from autograder.assignment import load_assignment
from autograder.release.contents import contents

Files = Mapping[str, str]  # "heads.py" -> text
Tree = dict[str, bytes]
NOTEBOOK = "multihead_mask.ipynb"
ORDER = ("heads.py", "mask.py", "attention.py", "kv_cache.py")
FUTURE = re.compile(r"^from __future__ import annotations\n", re.MULTILINE)


@cache
def released(lang: str) -> Mapping[str, bytes]:
    """What students get in `exercises/`: name -> bytes."""
    every = contents(load_assignment(), lang)
    return {
        path.removeprefix("exercises/"): data
        for path, data in every.items()
        if path.startswith("exercises/") and "/" not in path.removeprefix("exercises/")
    }


def files(work: Files) -> Tree:
    """The four files."""
    return {name: text.encode() for name, text in work.items()}


def as_the_lms_gives_it(work: Files) -> Tree:
    """Moodle's folder, as Windows saved the files."""
    folder = "Ana Souza_12345_assignsubmission_file_"
    return {f"{folder}/{n}": t.replace("\n", "\r\n").encode("utf-8-sig") for n, t in work.items()}


def zipped(work: Files) -> Tree:
    """One zip, with a folder in it."""
    return {"homework.zip": _zip({f"homework/{n}": t for n, t in files(work).items()})}


def zipped_twice(work: Files) -> Tree:
    """A zip in a zip, beside untouched stubs."""
    return {**_stubs("en"), "all.zip": _zip({"inner.zip": _zip(files(work))})}


def beside_the_kit(work: Files) -> Tree:
    """The whole released folder in Portuguese, and the work in a folder of the student's own."""
    return {**{f"exercises/{n}": d for n, d in released("pt-BR").items()}} | {
        f"my work/{n}": d for n, d in files(work).items()
    }


def notebook(work: Files) -> Tree:
    """The released notebook, each file's text in the cell of its first exercise; untouched stubs beside."""
    return {**_stubs("en"), NOTEBOOK: _json(_filled(work, "en"))}


def notebook_in_portuguese(work: Files) -> Tree:
    """The same from the Portuguese release, under a name of the student's own, the released one beside it."""
    return {**released("pt-BR"), "minha atenção.ipynb": _json(_filled(work, "pt-BR"))}


def exported_notebook(work: Files) -> Tree:
    """A notebook saved as a script."""
    parts = ["#!/usr/bin/env python\n# coding: utf-8\n"]
    for number, cell in enumerate(_filled(work, "en")["cells"], 1):
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            parts.append(f"# In[{number}]:\n\n\nget_ipython().run_line_magic('time', '')\n{source}\n")
        else:
            parts.append("\n".join(f"# {line}" for line in source.split("\n")))
    return {"multihead_mask.py": "\n\n".join(parts).encode()}


def one_file(work: Files) -> Tree:
    """Everything one below the other in one file."""
    return {"homework.py": "\n\n\n".join(FUTURE.sub("", work[name]) for name in ORDER).encode()}


FORMS: Mapping[str, Callable[[Files], Tree]] = {
    form.__name__: form
    for form in (
        files, as_the_lms_gives_it, zipped, zipped_twice, beside_the_kit, notebook, notebook_in_portuguese,
        exported_notebook, one_file,
    )
}  # fmt: skip


def _filled(work: Files, lang: str) -> dict[str, Any]:
    """A released notebook with the work in its solution cells."""
    filled: dict[str, Any] = json.loads(released(lang)[NOTEBOOK])
    first = {"split_heads": "heads.py", "causal_mask": "mask.py", "concat_and_project": "attention.py",
             "attend_with_cache": "kv_cache.py"}  # fmt: skip
    for cell in filled["cells"]:
        about = cell["metadata"].get("nbgrader", {})
        if about.get("solution"):
            name = first.get(about["grade_id"])
            cell["source"] = FUTURE.sub("", work[name]) if name else ""
    return filled


def _stubs(lang: str) -> Tree:
    return {name: released(lang)[name] for name in ORDER}


def _json(data: object) -> bytes:
    return json.dumps(data, ensure_ascii=False, indent=1).encode()


def _zip(members: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()
