# ruff: noqa: E501 (a table of snippets)
"""What honest code does must work when locked down, on the first try."""

from __future__ import annotations

import pytest
import torch

from autograder.course import Limits
from autograder.sandbox import Sandbox

SNIPPETS = {
    "einops": "import einops\nreturn einops.rearrange(x, 'b n (h k) -> b h n k', h=3)",
    "einops einsum": "from einops import einsum, reduce, repeat\nreturn einsum(x, x, 'b n d, b m d -> b n m')",
    "einops layer": "from einops.layers.torch import Rearrange\nreturn Rearrange('b n d -> b d n')(x)",
    "numpy": "import numpy as np\nreturn torch.from_numpy(np.asarray(x) * np.sqrt(2).astype('float32'))",
    "math": "import math\nreturn x / math.sqrt(x.shape[-1])",
    "standard library": "import copy, dataclasses, typing, functools, itertools, collections, random, re, enum, time\n"
    "import json, pathlib, contextlib, inspect, operator, string, abc, warnings, logging, tempfile, os, sys\n"
    "return copy.deepcopy(x)",
    "dataclass": "from dataclasses import dataclass, field\n@dataclass\nclass A:\n    b: int = 1\n    c: list = "
    "field(default_factory=list)\nreturn x * A().b",
    "named tuple": "from typing import NamedTuple\nclass KV(NamedTuple):\n    k: object\n    v: object\nreturn KV(x, x)",
    "cached function": "from functools import lru_cache\n@lru_cache\ndef f(n): return torch.ones(n, n).triu(1)\n"
    "return f(3) + f(3)",
    "print a tensor": "print(x, x.double(), x > 0, torch.tensor(float('nan')), x.bfloat16())\nreturn x",
    "print a module": "print(torch.nn.Linear(2, 2))\nreturn repr(x)",
    "format": "return f'{x.mean().item():.3f} {x.shape} {x.dtype}'",
    "warning": "import warnings\nwarnings.warn('careful')\nreturn x",
    "logging": "import logging\nlogging.basicConfig(level='DEBUG')\nlogging.getLogger('me').info('hello %s', x)\nreturn x",
    "traceback": "import traceback\ntry:\n    x.view(99)\nexcept RuntimeError:\n    traceback.print_exc()\nreturn x",
    "inspect": "import inspect\nreturn inspect.getsource(split_heads)[:3]",
    "seed": "torch.manual_seed(0)\nreturn torch.randn(2)",
    "generator": "return torch.randn(2, generator=torch.Generator().manual_seed(1))",
    "backward": "with torch.enable_grad():\n    y = x.clone().requires_grad_()\n    (y ** 2).sum().backward()\n    return y.grad",
    "module backward": "with torch.enable_grad():\n    m = torch.nn.Linear(6, 6)\n    m(x).sum().backward()\n    return m.weight.grad",
    "optimizer": "with torch.enable_grad():\n    m = torch.nn.Linear(6, 6)\n    o = torch.optim.AdamW(m.parameters())\n"
    "    m(x).sum().backward()\n    o.step()\n    return m.weight",
    "checkpoint": "from torch.utils.checkpoint import checkpoint\nwith torch.enable_grad():\n"
    "    y = x.clone().requires_grad_()\n    checkpoint(torch.sin, y, use_reentrant=False).sum().backward()\n"
    "    return y.grad",
    "flex attention": "from torch.nn.attention.flex_attention import flex_attention\nq = x.view(2, 3, 2, 3)\n"
    "return flex_attention(q, q, q, score_mod=lambda s, b, h, i, j: torch.where(i >= j, s, -float('inf')))",
    "compile": "return torch.compile(lambda a: a @ a.mT)(x)",
    "compile as a decorator": "@torch.compile\ndef f(a): return a + 1\n@torch.compile(dynamic=True, mode='max-autotune')\n"
    "def g(a): return a * 2\nreturn g(f(x))",
    "compile a module": "m = torch.nn.Linear(6, 6)\nm.compile()\nreturn torch.compile(m, backend='aot_eager')(x)",
    "not compiled": "@torch.compiler.disable\ndef f(a): return a + 1\nreturn f(x)",
    "custom op": "@torch.library.custom_op('me::twice', mutates_args=())\ndef twice(a: torch.Tensor) -> torch.Tensor:\n"
    "    return a * 2\nreturn twice(x)",
    "sgd": "o = torch.optim.SGD([torch.nn.Parameter(x.clone())], lr=0.1)\no.zero_grad()\nreturn x",
    "attention": "return torch.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True)",
    "attention module": "return torch.nn.MultiheadAttention(6, 3, batch_first=True)(x, x, x)[0]",
    "einsum": "return torch.einsum('bnd,bmd->bnm', x, x)",
    "bfloat16": "y = x.bfloat16()\nreturn (y @ y.mT).softmax(-1)",
    "half": "y = x.half()\nreturn (y @ y.mT).softmax(-1)",
    "double": "return (x.double() @ x.double().mT).softmax(-1)",
    "meta": "y = torch.empty(2, 3, 6, device='meta')\nreturn (y @ y.mT).masked_fill(torch.ones(3, 3, dtype=torch.bool, "
    "device='meta').triu(1), float('-inf')).softmax(-1).shape",
    "meta module": "return torch.nn.Linear(6, 6, device='meta')(torch.empty(2, 6, device='meta')).shape",
    "masks": "m = torch.tril(torch.ones(3, 3)).bool()\nreturn torch.where(m, torch.randn(3, 3), torch.finfo().min)",
    "additive mask": "return torch.full((3, 3), float('-inf')).triu(1) + torch.randn(3, 3)",
    "indices": "i = torch.arange(3)\nreturn i[:, None] < i[None, :]",
    "torch.func": "return torch.func.vmap(lambda a: a * 2)(x)",
    "deterministic": "torch.use_deterministic_algorithms(True)\nreturn x @ x.mT",
    "threads": "torch.set_num_threads(8)\nreturn torch.get_num_threads() and torch.randn(300, 300) @ torch.randn(300, 300)",
    "loops": "return torch.stack([torch.cat([a, a], -1) for a in x.unbind(0)])",
    "buffers": "class M(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        "
    "self.register_buffer('m', torch.ones(2))\nreturn M().m",
    "no_grad": "with torch.no_grad():\n    return x + 1",
    "inference": "with torch.inference_mode():\n    y = x + 1\nreturn y",
    "jit": "return torch.jit.script(torch.nn.Linear(6, 6))(x)",
    "profile": "import timeit, cProfile\nreturn timeit.timeit(lambda: x @ x.mT, number=3)",
    "regular expressions": "import re\nreturn re.sub('a+', 'b', 'caat')",
    "shape checks": "assert x.ndim == 3 and x.shape[-1] % 3 == 0, f'bad {tuple(x.shape)}'\nreturn x.size()",
    "optional import": "try:\n    import matplotlib.pyplot\n    import xformers\nexcept ImportError:\n    pass\nreturn x",
    "optional transformers": "try:\n    import transformers\nexcept ImportError:\n    return 'none'\nreturn 'there'",
    "torch.testing": "torch.testing.assert_close(x, x)\nreturn torch.allclose(x, x)",
    "unittest": "import unittest\nunittest.TestCase().assertEqual(1, 1)\nreturn x",
    "type hints": "from typing import Any, Optional, Union, Callable, Tuple, List, Dict, Final, Literal\n"
    "def f(a: Optional[Tuple[int, ...]] = None) -> Union[int, None]: return None\nreturn f() is None",
    "environment": "import os\nreturn os.environ.get('HOME'), os.getcwd(), os.cpu_count() is not None",
    "clock": "import time, datetime\nt = time.perf_counter()\ntime.sleep(0.01)\nreturn time.perf_counter() > t and x",
    "random": "import random\nrandom.seed(1)\nreturn random.random()",
}


def run(sandbox: Sandbox, snippet: str) -> None:
    body = "".join(f"    {line}\n" for line in snippet.splitlines())
    text = f"import torch\n\ndef split_heads(x, n_head):\n{body}"
    with sandbox.student({"heads.py": text.encode()}, limits=Limits()) as student:  # those of a class
        student.split_heads(torch.randn(2, 3, 6), 3)


@pytest.mark.parametrize("what", SNIPPETS)
def test_honest_code_works_locked_down(sandbox: Sandbox, what: str) -> None:
    run(sandbox, SNIPPETS[what])


@pytest.mark.parametrize("what", SNIPPETS)
def test_honest_code_works_without_namespaces(plain_sandbox: Sandbox, what: str) -> None:
    run(plain_sandbox, SNIPPETS[what])


def test_the_same_numbers_as_outside(sandbox: Sandbox) -> None:
    x = torch.randn(3, 40, 50, generator=torch.Generator().manual_seed(0))
    with sandbox.student(
        {"heads.py": b"def split_heads(x, n_head):\n    return (x @ x.mT).softmax(-1)\n"}
    ) as student:
        assert student.split_heads(x, 1).equal((x @ x.mT).softmax(-1))
