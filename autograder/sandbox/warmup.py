"""What honest code first needs when files are already out of reach: done once, in the zygote, before any
fork.
"""

from __future__ import annotations

import gc
import importlib
import tempfile
import warnings
from typing import Any

import torch
from torch import nn

NOWHERE = "/nonexistent"
# Imported lazily by torch or einops, or likely to be imported by students; files may be closed by then.
MODULES = """
    abc argparse ast bisect builtins collections collections.abc contextlib copy copyreg csv cProfile
    dataclasses datetime decimal difflib dis doctest enum fractions functools gc heapq inspect io
    itertools json linecache logging math numbers operator os os.path pathlib pickle platform pprint
    pstats queue random re reprlib secrets shutil statistics string struct subprocess sys tempfile
    textwrap threading time timeit traceback types typing unicodedata unittest unittest.mock
    urllib.request uuid warnings weakref zlib concurrent.futures multiprocessing socket resource signal
    ctypes asyncio sqlite3 typing_extensions hashlib base64 locale encodings.idna numpy numpy.linalg
    numpy.random numpy.testing numpy.fft torch.nn torch.nn.functional torch.nn.init torch.nn.attention
    torch.nn.utils torch.optim torch.optim.lr_scheduler torch.autograd torch.autograd.functional
    torch.linalg torch.fft torch.special torch.func torch.testing torch.utils torch.utils.data
    torch.utils.checkpoint torch.masked torch.nn.attention.flex_attention torch.jit torch.random
    torch.distributions torch.profiler einops einops.layers.torch einops._torch_specific
"""


def warm_up() -> None:
    """Touches everything once, on one thread. Modules that are not installed are left out."""
    tempfile.tempdir = NOWHERE  # or `import x` may fail on "no usable temporary directory"
    _touch()
    for name in ("set_num_threads", "set_num_interop_threads"):
        setattr(torch, name, _one_thread)
    torch.compile = _as_it_is
    nn.Module.compile = _as_it_is_in_place  # type: ignore[method-assign]
    gc.freeze()
    gc.enable()


def _touch() -> None:
    for name in MODULES.split():
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
            _attend(dtype)
        _train()
        _print()
    try:
        import einops

        einops.rearrange(torch.zeros(1, 2, 4), "b n (h k) -> b h n k", h=2)  # (1, 2, 4) -> (1, 2, 2, 2)
        einops.einsum(torch.zeros(2, 2), torch.zeros(2, 2), "a b, b c -> a c")
    except ImportError:
        pass


def _one_thread(_: int) -> None:
    """Submissions run on one thread, whatever they ask for: two measure worse and may hang after a fork."""


def _as_it_is(model: Any = None, *args: Any, **options: Any) -> Any:
    """torch.compile changes how fast something is, not what it does. Here no compiler can run, so it changes
    nothing; `@torch.compile` and `@torch.compile(dynamic=True)` both work."""
    return (lambda function: function) if model is None else model


def _as_it_is_in_place(self: nn.Module, *args: Any, **options: Any) -> None:
    """The same for module.compile()."""


def _attend(dtype: torch.dtype) -> None:
    """One operation of each kind: the first use reads /proc/cpuinfo and more."""
    q = torch.randn(1, 2, 8, 8, dtype=dtype, requires_grad=True)
    future = torch.ones(8, 8, dtype=torch.bool).triu(1)
    scores = (q @ q.transpose(-2, -1)).masked_fill(future, float("-inf"))
    torch.where(future, 0.0, scores).sum()
    weights = nn.functional.softmax(scores, dim=-1)
    out = torch.einsum("bhij,bhjk->bhik", weights, q) + nn.functional.linear(q, q[0, 0])
    torch.autograd.backward(out.sum())
    torch.autograd.backward(nn.functional.scaled_dot_product_attention(q, q, q).sum())
    nn.functional.layer_norm(q, (8,)).argmax()
    torch.cat([q, q]).tril().cumsum(0).chunk(2)
    torch.empty(2, 2, dtype=dtype, device="meta").masked_fill(
        torch.ones(2, 2, dtype=torch.bool, device="meta"), 0
    )


def _train() -> None:
    """A loss and its gradients. Not a step of AdamW, nor use_deterministic_algorithms: they import torch's
    compiler, a second of CPU that only those spend who use it (the files it needs stay readable)."""
    layer = nn.Linear(4, 4)
    loss = nn.functional.cross_entropy(layer(torch.zeros(2, 4)), torch.zeros(2, dtype=torch.long))
    torch.autograd.backward(loss)
    nn.MultiheadAttention(4, 2, batch_first=True)(
        torch.zeros(1, 2, 4), torch.zeros(1, 2, 4), torch.zeros(1, 2, 4)
    )
    torch.manual_seed(0)


def _print() -> None:
    """repr of tensors and modules, and a warning and a log line that go nowhere."""
    for value in (
        torch.ones(2),
        torch.ones(2, 2, dtype=torch.bool),
        torch.tensor(float("-inf")),
        nn.Linear(2, 2),
    ):
        repr(value)
    warnings.warn("warm-up", stacklevel=1)
