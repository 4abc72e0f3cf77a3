"""Names that a person should look at are found in code, not in comments, whatever the file is like."""

from __future__ import annotations

import pytest

from autograder.course import load_course
from autograder.flags import needless, not_allowed


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (b"import torch.nn.functional as F\ny = F.scaled_dot_product_attention(q, k, v)\n", [2]),
        (b"from torch.nn.functional import scaled_dot_product_attention as f\n", [1]),
        (b"f = getattr(F, 'scaled_dot_product_attention')\n", [1]),
        (b"# not scaled_dot_product_attention\n", []),
        (b'"""Unlike scaled_dot_product_attention, this is ours."""\n', []),
        (b"def f(:\n  scaled_dot_product_attention", [2]),
        (b"def f():\n    a\n  b\nscaled_dot_product_attention\n", [4]),
        (b'"""never closed\n\nscaled_dot_product_attention\n', [3]),
        (b"# -*- coding: nobody-knows -*-\nscaled_dot_product_attention\n", [2]),
        (b"def f():\n    a\n  b\n" * 20_000, []),
        (b"(" * 100_000, []),
        (b"\xff\xfe\x00", []),
        (b"", []),
    ],
)
def test_uses(source: bytes, lines: list[int]) -> None:
    flags = not_allowed({"mask.py": source}, load_course())
    assert [f.params["line"] for f in flags] == lines


def test_only_where_it_is_not_allowed() -> None:
    assert not not_allowed({"heads.py": b"scaled_dot_product_attention"}, load_course())


def test_what_no_exercise_has_a_use_for_is_for_a_person() -> None:
    code = b"import os, socket\nimport torch\nos._exit(0)\n# subprocess\n"
    flags = needless({"heads.py": code, "mask.py": b""})
    assert [(f.params["name"], f.params["line"]) for f in flags] == [("_exit", 3), ("socket", 1)]


def test_ordinary_code_has_none() -> None:
    code = b"import os, sys, math, time, gc\nfrom torch import nn\nprint(sys.path, os.getcwd())\n"
    assert needless({"heads.py": code}) == []
