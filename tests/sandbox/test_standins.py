# ruff: noqa: E501 (a table of snippets)
"""Imports of what is not there while grading: they cost nothing; using it is refused in true words."""

from __future__ import annotations

import sys

import pytest
import torch

from autograder.assignment import load_assignment
from autograder.sandbox import Sandbox, StudentRaised
from autograder.sandbox.inprocess import InProcessStudent
from autograder.sandbox.standins import KINDS
from tests.sandbox.conftest import LIMITS

X = torch.zeros(1, 2, 6)
HARMLESS = {  # what stands above `def split_heads`
    "all of them": "\n".join(f"import {name}" for name in KINDS),
    "names of all": "\n".join(f"from {name} import anything as _{i}" for i, name in enumerate(KINDS)),
    "tqdm": "from tqdm import tqdm, trange\nassert list(tqdm(range(3), desc='x')) == [0, 1, 2] == list(trange(3))",
    "tqdm.auto": "from tqdm.auto import tqdm\nwith tqdm(total=3, leave=False) as bar:\n    bar.update(2)\n"
    "    bar.set_postfix(loss=1)\nassert bar.n == 2\nassert len(tqdm([1, 2])) == 2",
    "tqdm module": "import tqdm\nassert sum(tqdm.tqdm(x for x in [1, 2])) == 3\ntqdm.tqdm.write('hello')",
    "tqdm.notebook": "import tqdm.notebook as tn\nassert [i for i in tn.tqdm(enumerate('ab'))][1] == (1, 'b')",
    "subclass of tqdm": "from tqdm import tqdm\nclass Bar(tqdm): pass\nassert list(Bar([1])) == [1]",
    "rich": "from rich import print\nfrom rich.console import Console\nfrom rich.progress import track\n"
    "print('[red]x')\nConsole().print('x')\nassert list(track(range(2), 'x')) == [0, 1]",
    "pyplot": "import matplotlib.pyplot as plt\nfig, ax = plt.subplots(figsize=(2, 2))\nax.imshow([[1]])\n"
    "plt.rcParams['x'] = 1\nplt.title('x')\nplt.show()\nwith plt.style.context('x'):\n    plt.plot([1], [2])",
    "axes": "import matplotlib\nmatplotlib.use('Agg')\nfrom matplotlib import pyplot as plt\n"
    "fig, axes = plt.subplots(2, 2)\naxes[0, 1].set_title('x')\nfor ax in axes.flat: ax.plot()\n"
    "plt.savefig('x.png')",
    "seaborn": "import seaborn as sns\nsns.set_theme(style='white')\nsns.heatmap([[1]], annot=True)",
    "IPython": "from IPython.display import display, HTML, clear_output\nfrom IPython import get_ipython\n"
    "display(HTML('<b>x</b>'))\nclear_output(wait=True)\nassert get_ipython() is None",
    "colab": "from google.colab import drive, files\ndrive.mount('/content/drive')",
    "colab, tried": "try:\n    import google.colab\n    IN_COLAB = True\nexcept ImportError:\n    IN_COLAB = False\n"
    "assert not IN_COLAB",
    "transformers": "from transformers import GPT2LMHeadModel, AutoTokenizer\nimport transformers\n"
    "transformers.logging.set_verbosity_error()\nprint(transformers.__version__)\n"
    "def f(model: GPT2LMHeadModel | None, t: 'AutoTokenizer') -> list[GPT2LMHeadModel]: ...\n"
    "import typing\ntyping.get_type_hints(f)\nassert not isinstance(3, GPT2LMHeadModel)",
    "deep": "from transformers.models.gpt2.modeling_gpt2 import GPT2Attention\nimport scipy.special",
    "pandas": "import pandas as pd\npd.set_option('display.width', 80)\npd.options.display.max_rows = 3\n"
    "Table = pd.DataFrame",
    "tried and used": "try:\n    import tiktoken\n    enc = tiktoken.get_encoding('gpt2')\n"
    "except ImportError:\n    enc = None\nassert enc is None",
    "jaxtyping": "from jaxtyping import Float, Int, jaxtyped\nfrom beartype import beartype\nfrom torch import Tensor\n"
    "@jaxtyped(typechecker=beartype)\ndef f(x: Float[Tensor, 'b n d'], i: Int[Tensor, ''] | None = None) -> "
    "Float[Tensor, '...']:\n    return x\nassert f(3) == 3\nimport typing\ntyping.get_type_hints(f)\n"
    "assert isinstance(torch.zeros(2), Float[Tensor, 'n'])",
    "typeguard": "from typeguard import typechecked, check_type\n@typechecked\ndef f(x: int) -> int: return x\n"
    "assert f(2) == 2 and check_type(5, int) == 5",
    "numba": "import numba\nfrom numba import njit, prange\n@njit\ndef f(x): return x\n@numba.jit(nopython=True)\n"
    "def g(x): return x\nassert f(1) == g(1) == 1 and list(prange(2)) == [0, 1]",
    "pytest": "import pytest\n@pytest.mark.parametrize('x', [1])\ndef test_a(x): pass\n@pytest.fixture\n"
    "def b(): return 1\nassert b() == 1\nwith pytest.raises(ValueError, match='x') as e:\n    raise ValueError('x')\n"
    "assert str(e.value) == 'x'",
    "hypothesis": "from hypothesis import given, strategies as st\n@given(st.integers())\ndef test_a(i): pass",
    "typer": "import typer\napp = typer.Typer()\n@app.command()\ndef main(n: int = typer.Option(3, help='x')): return n\n"
    "assert main() == 3",
    "icecream": "from icecream import ic\nassert ic(4) == 4",
    "marimo": "import marimo, nbdev\napp = marimo.App()\nwith app.setup:\n    import math\n@app.function\n"
    "def f(): return 1\nassert f() == 1 and math",
    "attrs": "import attrs\n@attrs.define\nclass C:\n    x: int = 3\nassert C(5).x == 5",
    "pydantic": "from pydantic import BaseModel, Field, field_validator\nclass C(BaseModel):\n    n: int = Field(3)\n"
    "    @field_validator('n')\n    def f(cls, v): return v",
    "subclasses": "import pytorch_lightning as pl\nfrom torchvision.datasets import VisionDataset\n"
    "from transformers import PreTrainedModel\nclass A(pl.LightningModule):\n    def __init__(self):\n"
    "        super().__init__()\n        self.x = torch.nn.Linear(1, 1)\nassert len(list(A().parameters())) == 2\n"
    "class B(VisionDataset): pass\nclass C(PreTrainedModel, torch.nn.Module): pass\nclass D(pl.Callback, x=1): pass",
    "optional": "from typing import Optional, Union\nimport numpy as np\nfrom transformers import BatchEncoding\n"
    "def f(x: Optional[BatchEncoding] = None, y: Union[int, BatchEncoding] = 3) -> dict[str, BatchEncoding]: ...",
    "dataclass": "from dataclasses import dataclass\nfrom transformers import GPT2Config\n@dataclass\nclass C:\n"
    "    config: GPT2Config = None\n    kind: object = GPT2Config\nassert C().config is None",
    "pickled": "import copy, pickle\nimport wandb\nfrom transformers import GPT2Config\n"
    "assert repr(copy.deepcopy(GPT2Config)) == repr(GPT2Config)\ncopy.copy(wandb.init)",
    "wandb": "import wandb\nwandb.init(project='x')\nwandb.log({'loss': 1})\nwandb.config.lr = 1",
    "colours": "from colorama import Fore, Style\nfrom termcolor import colored\nprint(Fore.RED + 'x' + Style.RESET_ALL)\n"
    "print(f'{Fore.RED}x', colored('x', 'red'))",
    "decorators": "import wandb, jax, functools, streamlit as st\nfrom loguru import logger\n@logger.catch\ndef f(): return 1\n"
    "@logger.catch(reraise=True)\ndef g(): return 2\n@jax.jit\ndef h(x): return 3\n@functools.partial(jax.jit, static_argnums=0)\n"
    "def i(x): return 4\n@st.cache_data\nclass C: x = 5\nassert (f(), g(), h(0), i(0), C.x) == (1, 2, 3, 4, 5)",
    "summary writer": "from torch.utils.tensorboard import SummaryWriter\nw = SummaryWriter('runs')\nw.add_scalar('loss', 1, 0)\nw.close()",
    "debugger": "import ipdb\nipdb.set_trace()",
    "nobody's": "try:\n    import flash_attn\n    HAS = True\nexcept ImportError:\n    HAS = False\nassert not HAS",
    "the lab": "from lab.gpt2 import GPT2\nfrom exercises.support.toy_model import ToyModel",
    "by name": "import importlib, importlib.util\nnp = importlib.import_module('numpy')\n"
    "plt = importlib.import_module('matplotlib.pyplot')\nassert importlib.util.find_spec('matplotlib')\n"
    "assert importlib.util.find_spec('flash_attn') is None\n__import__('tqdm')\nexec('import seaborn')",
    "real ones": "import einops, numpy, safetensors.torch, jinja2, typing_extensions\n"
    "assert einops.rearrange(torch.zeros(1, 2), 'a b -> b a').shape == (2, 1)",
    "torch, after": "import pandas, scipy, PIL, tensorboard, numba, sklearn, jax, tensorflow\n"
    "m = torch.compile(torch.nn.Linear(2, 2))\nm(torch.zeros(1, 2))\n"
    "import inspect\ninspect.getmodule(torch.nn.Linear)\nimport einops\n"
    "einops.rearrange(torch.nn.Parameter(torch.zeros(1, 2)), 'a b -> b a')\n"
    "torch.optim.AdamW([torch.nn.Parameter(torch.zeros(1))]).step()",
}  # fmt: skip
USED = {
    "transformers.GPT2LMHeadModel.from_pretrained": "from transformers import GPT2LMHeadModel\n"
    "GPT2LMHeadModel.from_pretrained('gpt2')",
    "transformers.GPT2Config": "import transformers\ntransformers.GPT2Config(n_head=3)",
    "pandas.DataFrame": "import pandas as pd\npd.DataFrame({'a': [1]})",
    "scipy.special.softmax": "from scipy.special import softmax\nsoftmax([1])",
    "lab.gpt2.GPT2.from_pretrained": "from lab.gpt2 import GPT2\nGPT2.from_pretrained('mini')",
    "torchvision.datasets.VisionDataset": "from torchvision.datasets import VisionDataset\n"
    "class A(VisionDataset): pass\nA()",
}


def _loads(sandbox: Sandbox, top: str) -> object:
    text = f"import torch\n{top}\n\n\ndef split_heads(x, n_head):\n    return 1\n"
    limits = LIMITS.model_copy(
        update={"call_cpu_seconds": 20.0}
    )  # torch's compiler is imported by one of them
    with sandbox.student({"heads.py": text.encode()}, limits=limits) as student:
        value = student.split_heads(X, 1)
        assert student.flags == []
        return value


@pytest.mark.parametrize("top", HARMLESS.values(), ids=HARMLESS)
def test_what_costs_nothing(sandbox: Sandbox, top: str) -> None:
    assert _loads(sandbox, top) == 1


@pytest.mark.parametrize("name", USED)
def test_what_is_used_is_refused_in_true_words(sandbox: Sandbox, name: str) -> None:
    with pytest.raises(StudentRaised) as caught:
        _loads(sandbox, USED[name])
    assert caught.value.kind == "NotWhileGrading"
    assert caught.value.text == f"{name} is not available while grading: an import is fine, using it is not"
    assert caught.value.place is not None


@pytest.mark.parametrize("line", ["import troch", "from trnsformers import x", "import exercises.nothing",
                                  "import solutions.heads", "import autograder", "import torch.nothing",
                                  "from einops import nothing", "import numpy.nothing"])  # fmt: skip
def test_what_nobody_has_is_an_error(sandbox: Sandbox, line: str) -> None:
    with pytest.raises(StudentRaised) as caught:
        _loads(sandbox, line)
    assert caught.value.kind in ("ModuleNotFoundError", "ImportError")


def test_a_file_of_the_submissions_own_comes_first(sandbox: Sandbox) -> None:
    files = {
        "heads.py": b"from mask import tqdm\ndef split_heads(x, n_head): return tqdm",
        "mask.py": b"tqdm = 7",
    }
    with sandbox.student(files) as student:
        assert student.split_heads(X, 1) == 7


def test_an_import_of_it_is_quick(sandbox: Sandbox) -> None:
    """transformers itself takes three to five seconds."""
    with sandbox.student({"heads.py": b"def split_heads(x, n_head): return 1"}) as student:
        student.split_heads(X, 1)
        plain = student.cpu_seconds()
    text = "\n".join(f"import {name}" for name in KINDS) + "\ndef split_heads(x, n_head): return 1\n"
    with sandbox.student({"heads.py": text.encode()}) as student:
        student.split_heads(X, 1)
        assert student.cpu_seconds() - plain < 0.5


def test_without_isolation_they_stand_in_as_well() -> None:
    text = (
        b"import flax.linen as fl\nfrom circuitsvis import attention\ndef split_heads(x, n_head): return 1\n"
    )
    with InProcessStudent(LIMITS, {"heads.py": text}, {}, load_assignment()) as student:
        assert student.split_heads(X, 1) == 1
    assert "flax" not in sys.modules
    assert not any(type(finder).__name__ == "StandIns" for finder in sys.meta_path)
