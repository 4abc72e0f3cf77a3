"""Names that a person should look at are found in code, not in comments, whatever the file is like."""

from __future__ import annotations

import pytest

from autograder.assignment import load_assignment
from autograder.grading.flags import MOST, suspicious
from autograder.results import Flag
from autograder.sandbox import reference_files


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
    assert [f.params["line"] for f in found({"mask.py": source})] == lines


def found(files: dict[str, bytes], id: str = "not_allowed") -> list[Flag]:
    """The flags of that kind."""
    return [f for f in suspicious(files, load_assignment()) if f.id == id]


TOP = "import torch, importlib, operator, builtins\nimport torch.nn.functional as F\nfrom torch import nn\n"
SPELLINGS = [
    "f = torch.ops.aten.scaled_dot_product_attention",
    "f = torch._C._nn.scaled_dot_product_attention",
    "f = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default",
    "f = torch._scaled_dot_product_flash_attention_for_cpu",
    "from torch.nn.functional import scaled_dot_product_attention as f",
    "f = F.\u017fcaled_dot_product_attention",  # NFKC: a long s
    "f = F.\uff53\uff43aled_dot_product_attention",
    "f = F.__dict__['scaled_dot_product_attention']",
    "f = vars(F)['scaled_dot' + '_product_attention']",
    "f = getattr(F, '_'.join(['scaled', 'dot', 'product', 'attention']))",
    "a = 'attention'\nf = getattr(F, f'scaled_dot_product_{a}')",
    "f = getattr(F, 'scaled_dot_product_%s' % 'attention')",
    "f = getattr(F, '{}_dot_{}_attention'.format('scaled', 'product'))",
    "f = getattr(F, 'noitnetta_tcudorp_tod_delacs'[::-1])",
    "f = getattr(F, ''.join(reversed('noitnetta_tcudorp_tod_delacs')))",
    "f = getattr(F, 'SCALED_DOT_PRODUCT_ATTENTION'.lower())",
    "f = getattr(F, 'scaled-dot-product-attention'.replace('-', '_'))",
    "f = getattr(F, b'scaled_dot_product_attention'.decode())",
    "f = getattr(F, 'scaled_dot_product_attent' + ''.join(map(chr, [105, 111, 110])))",
    "f = getattr(F, [n for n in dir(F) if n.startswith('scaled_dot')][0])",
    "f = next(v for k, v in vars(F).items() if 'product_att' in k)",
    "import codecs\nf = getattr(F, codecs.decode('fpnyrq_qbg_cebqhpg_nggragvba', 'rot13'))",
    "import base64\nf = getattr(F, base64.b64decode('c2NhbGVkX2RvdF9wcm9kdWN0X2F0dGVudGlvbg==').decode())",
    "import pickle\nf = pickle.loads(b'ctorch.nn.functional\\nscaled_dot_product_attention\\n.')",
    "f = operator.attrgetter('nn.functional.scaled_dot_product_attention')(torch)",
    "f = eval('F.scaled_dot_product_attention')",
    "exec('f = F.scaled_dot_product_attention')",
    "e = eval\nf = e('lambda *a: F.scaled_dot_product_attention(*a)')",
    "f = builtins.eval('(F.scaled_dot_product_attention)')",
    "f = torch._C._jit_get_operation('aten::scaled_dot_product_attention')",
    "f = importlib.import_module('torch.nn.attention.flex_attention')",
    "f = __import__('torch.nn.attention', fromlist=['x'])",
    "from torch.nn import attention",
    "import torch.nn.attention as other",
    "from torch.nn.attention.flex_attention import flex_attention as f",
    "from torch.nn.functional import *\nf = scaled_dot_product_attention",
    "f = nn.MultiheadAttention",
    "f = nn.TransformerEncoderLayer",
    "from torch.nn import Transformer as T",
    "f = F.multi_head_attention_forward",
    "f = torch._native_multi_head_attention",
    "from xformers.ops import memory_efficient_attention",
    'def f():\n    """scaled_dot_product_attention"""\ng = getattr(F, f.__doc__)',
]


@pytest.mark.parametrize("code", SPELLINGS)
def test_other_spellings(code: str) -> None:
    """In the exercise's own file, and in another one from which it is used."""
    text = (TOP + code + "\n").encode()
    assert found({"attention.py": text})
    user = b"from exercises.heads import f, other, attention, T, memory_efficient_attention, g\n"
    assert found({"heads.py": text, "attention.py": user}), "used from another file"


@pytest.mark.parametrize(
    ("coding", "code"),
    [
        ("utf-7", b"F.scaled+AF8-dot+AF8-product+AF8-attention"),
        ("raw_unicode_escape", rb"F.\u0073caled_dot_product_attention"),
        ("unicode_escape", rb"F.\u0073caled_dot_product_attention"),
        ("latin-1", b"F.scaled_dot_product_attention # \xe9"),
        ("rot13", b"F.scaled_dot_product_attention"),  # no encoding for Python: the file does not load
        ("a" * 500, b"F.scaled_dot_product_attention"),
    ],
)
def test_what_python_would_see(coding: str, code: bytes) -> None:
    assert found({"mask.py": f"# -*- coding: {coding} -*-\n".encode() + code + b"\n"})


@pytest.mark.parametrize(
    "code",
    [
        "def scaled_dot_product_attention(q, k):\n    return k\n\ny = scaled_dot_product_attention(1, 2)",
        "class M:\n  def scaled_dot_product_attention(self, v):\n    return v\n"
        "  def forward(self, v):\n    return self.scaled_dot_product_attention(v)",
        "raise ValueError('do not use scaled_dot_product_attention here')",
        "model.eval()\n'''not scaled_dot_product_attention'''",
        "import re\nre.compile('x')\n'''scaled_dot_product_attention'''",
        "def f():\n    '''As F.scaled_dot_product_attention does.'''",
        "from exercises.attention import MultiHeadAttention",
        "attention = 1\nattention.nn",
        "vars(self)['attention']\nprint('process', 'Attention weights of', dir())",
    ],
)
def test_what_is_no_use(code: str) -> None:
    assert not found({"attention.py": code.encode()})


LOOK_UP = b"from torch.nn.functional import scaled_dot_product_attention as look_up\n"
COMPARES = LOOK_UP + b"def compare(): look_up()\n"
CHAIN = LOOK_UP + b"def inner():\n    return look_up\ndef outer():\n    return inner()\n"
LEFT = b"import torch, builtins\nbuiltins.f = torch.ops.aten.scaled_dot_product_attention\n"
MAIN = b"if __name__ == '__main__':\n    import torch\n    torch.nn.MultiheadAttention\n"


@pytest.mark.parametrize(
    ("heads", "attention", "told"),
    [
        (LOOK_UP, b"from exercises.heads import look_up", True),
        (LOOK_UP, b"from heads import *\nlook_up", True),
        (LOOK_UP, b"import exercises.heads as h\nh.look_up", True),
        (LOOK_UP, b"import heads\ngetattr(heads, 'look' + '_up')", True),
        (LOOK_UP, b"from heads import split_heads\nsplit_heads.__globals__['look' + chr(95) + 'up']", True),
        (CHAIN, b"import heads\nheads.outer()", True),
        (LEFT, b"import heads\nf(1)", True),
        (COMPARES, b"from heads import split_heads\nsplit_heads()", False),
        (COMPARES, b"", False),
        (MAIN, b"import heads", False),
        (LOOK_UP, b"x = 1", False),
    ],
)
def test_what_is_used_of_another_file(heads: bytes, attention: bytes, told: bool) -> None:
    for name in ("heads", "helper_2"):
        files = {f"{name}.py": heads, "attention.py": attention.replace(b"heads", name.encode())}
        assert bool(found(files)) is told
        assert all(f.params["file"] == f"{name}.py" and f.params["line"] for f in found(files))


def test_through_several_files() -> None:
    files = {
        "c.py": LOOK_UP,
        "b.py": b"from .c import look_up as third",
        "a.py": b"import b\ndef second(): return b.third",
        "kv_cache.py": b"from a import second",
    }
    assert [f.params["file"] for f in found(files)] == ["c.py"]
    assert not found({**files, "kv_cache.py": b""})


def test_an_exercise_in_a_file_of_another_name() -> None:
    assert found({"all.py": b"import torch\nclass MultiHeadAttention(torch.nn.MultiheadAttention): pass"})


def test_a_class_page_is_not_flooded() -> None:
    code = b"".join(b"x._scaled_dot_product_%d\n" % i for i in range(5000))
    flags = suspicious({"mask.py": code}, load_assignment())
    assert [f.id for f in flags] == ["not_allowed"] * MOST + ["more_uses"]
    assert int(str(flags[-1].params["n"])) > 0


def test_the_solutions_have_none() -> None:
    assert suspicious(dict(reference_files(load_assignment())), load_assignment()) == []


def test_only_where_it_is_not_allowed() -> None:
    assert not found({"heads.py": b"scaled_dot_product_attention"})


def test_what_no_exercise_has_a_use_for_is_for_a_person() -> None:
    code = b"import os, socket\nimport torch\nos._exit(0)\n# subprocess\n"
    flags = found({"heads.py": code, "mask.py": b""}, "needless")
    assert [(f.params["name"], f.params["line"]) for f in flags] == [("_exit", 3), ("socket", 1)]


def test_needless_names_are_found_in_helpers_and_strings_too() -> None:
    assert found({"helper.py": b"getattr(os, 'sys' + 'tem')('ls')"}, "needless")
    assert found({"helper.py": b"__import__('multiprocessing.pool')"}, "needless")


def test_ordinary_code_has_none() -> None:
    code = b"import os, sys, math, time, gc\nfrom torch import nn\nprint(sys.path, os.getcwd())\n"
    assert suspicious({"heads.py": code}, load_assignment()) == []
