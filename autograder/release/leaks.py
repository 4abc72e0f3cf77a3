"""Looks for secrets in what was packed: by content, whatever the files are called."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from autograder.release.contents import KINDS
from autograder.release.secrets import Secrets, fingerprint, functions, raises_only


def leaks(packed: Mapping[str, bytes], secrets: Secrets) -> list[str]:
    """What must not be there, each as a sentence. Empty: nothing was found."""
    found: list[str] = []
    for name, data in packed.items():
        suffix = "." + name.rpartition(".")[2]
        if suffix not in KINDS:
            found.append(f"{name}: nobody expects a file of this kind in what students get")
        if re.search(rb"\b(from|import)\s+autograder\b", data) and suffix in (".py", ".ipynb"):
            found.append(f"{name}: imports autograder, which students do not have")
        for code in _code(name, data):
            for function, body in functions(code):
                where = None if raises_only(body) else secrets.bodies.get(fingerprint(body))
                if where:
                    found.append(f"{name}: {function} does what {where} does")
        text = re.sub(rb"[ \t]+", b" ", data)
        if suffix == ".ipynb":
            text = re.sub(rb"[ \t]+", b" ", "\n".join(_code(name, data)).encode() + data)
        for line, where in secrets.lines.items():
            if re.sub(r"[ \t]+", " ", line).encode() in text:
                found.append(f"{name}: has the line {line!r} of {where}")
    return found


def _code(name: str, data: bytes) -> Iterator[str]:
    """Python source in a file: the file, or the cells of a notebook."""
    text = data.decode("utf-8", "replace")
    if name.endswith(".py"):
        yield text
    elif name.endswith(".ipynb"):
        for cell in json.loads(text)["cells"]:
            if cell["cell_type"] == "code":
                yield "".join(cell["source"])
