"""Modules that stand in for packages which a submission may import, though they are not there while grading.

An import costs nothing, nor do annotations, decorators, base classes, isinstance, a progress bar or a
picture. Using what is kept out raises NotWhileGrading, which says so. What is in no list below (a
misspelling, a package that nobody has) stays an error of import. Only imports of the submission's own code
are answered: torch and others try optional packages, and must be told the truth.
"""

from __future__ import annotations

import dis
import os
import sys
from collections.abc import Sequence
from enum import Enum
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import FrameType, FunctionType, ModuleType
from typing import Any, NoReturn

from .harmless import GIVEN


class Kind(Enum):
    """What using a package comes to."""

    INERT = 1  # whatever is called does nothing: what it shows has no part in the answer
    WRAPS = 2  # decorators and annotations: a call gives back what it was given
    KEPT_OUT = 3  # refused


INERT = """
    matplotlib mpl_toolkits pylab seaborn plotly bokeh altair IPython ipywidgets ipykernel rich wandb mlflow
    tensorboard tensorboardX torchviz torchinfo torchsummary torchview colorama termcolor tabulate prettytable
    loguru pygments graphviz bertviz circuitsvis streamlit gradio google ipdb dotenv nest_asyncio tqdm
    fastprogress jupyter ipython_genutils notebook jupyterlab matplotlib_inline gdown kagglehub watermark
    nbdev papermill itables ipympl comet_ml torch.utils.tensorboard
"""
WRAPS = """
    jaxtyping beartype typeguard torchtyping nptyping pytest hypothesis typer click fire hydra omegaconf numba
    overrides deprecated tenacity memory_profiler line_profiler icecream pydantic pydantic_settings attr attrs
    marimo
"""
KEPT_OUT = """
    transformers tokenizers datasets evaluate peft accelerate huggingface_hub bitsandbytes sentencepiece
    tiktoken pandas scipy sklearn torchvision torchaudio torchtext torchmetrics torchdata ignite lightning
    pytorch_lightning lightning_fabric tensorflow keras jax jaxlib flax optax nbformat nbgrader nbconvert
    nbclient jupyter_core jupyter_client traitlets sqlalchemy PIL cv2 skimage imageio requests httpx bs4 nltk
    spacy gensim polars pyarrow statsmodels xgboost lightgbm transformer_lens nnsight fancy_einsum einx
    opt_einsum yaml toml psutil joblib dill cloudpickle h5py regex timm diffusers openai gymnasium dask
    distributed more_itertools toolz numexpr babel mako lab exercises.selfcheck exercises.support
"""
KINDS = {
    name: kind
    for names, kind in ((INERT, Kind.INERT), (WRAPS, Kind.WRAPS), (KEPT_OUT, Kind.KEPT_OUT))
    for name in names.split()
}
# Found in a package that is there, and needs one that is not: asked for before that package is.
FIRST = "torch.utils.tensorboard"
# Tells a notebook where it runs: where the import is tried, the true answer is that it is not there.
TELLS_WHERE = "google"
# Of packages that are kept out: settings, without a part in any answer.
SETTINGS = """
    set_verbosity_error set_verbosity_warning set_verbosity_info set_verbosity_debug set_verbosity set_seed
    set_option reset_option disable_progress_bar disable_progress_bars enable_progress_bar seed_everything
    disable_caching disable_warnings filterwarnings set_theme register_matplotlib_converters
"""
SEVERAL = {"subplots": 2, "hist": 3, "boxplot": 1, "xticks": 2, "yticks": 2}  # what is taken apart at once
MOST_FRAMES = 60


class NotWhileGrading(ImportError):
    """The submission uses a package that is not there."""


def refuse(name: str) -> NoReturn:
    """Raises NotWhileGrading."""
    raise NotWhileGrading(f"{name} is not available while grading: an import is fine, using it is not")


class AnyBase:
    """Options of a class statement are the real base's to understand."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__()


class Thing:
    """Whatever a stand-in module is asked for: a class, a function, an object, nobody knows."""

    _name: str
    _kind: Kind

    def __init__(self, name: str, kind: Kind) -> None:
        object.__setattr__(self, "_name", name[:200])
        object.__setattr__(self, "_kind", kind)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Thing(f"{self._name}.{name}", self._kind)

    def __call__(self, *args: Any, **options: Any) -> Any:
        last = self._name.rpartition(".")[2]
        if len(args) == 1 and isinstance(args[0], FunctionType | type):
            return args[0]  # a decorator
        if self._kind is Kind.KEPT_OUT:
            return None if last in SETTINGS.split() else refuse(self._name)
        if self._kind is Kind.INERT:
            return tuple(self for _ in range(SEVERAL[last])) if last in SEVERAL else self
        return args[0] if args and not isinstance(args[0], str) else self

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        first = next(b for b in bases if isinstance(b, Thing))
        if first is not self:
            return ()
        if self._name.endswith(".LightningModule"):
            return (sys.modules["torch"].nn.Module,)
        name, kind = self._name, self._kind

        def __init__(self: Any, *args: Any, **options: Any) -> None:
            if kind is not Kind.INERT:
                refuse(name)

        return (type(name.rpartition(".")[2], (AnyBase,), {"__init__": __init__}),)

    def __instancecheck__(self, value: object) -> bool:
        return self._kind is Kind.WRAPS  # an annotation that is checked: whoever wrote it expects it to hold

    def __subclasscheck__(self, value: object) -> bool:
        return False

    def __getitem__(self, key: object) -> Any:
        return self

    def __or__(self, other: object) -> Any:
        return self

    __ror__ = __or__

    def __setattr__(self, name: str, value: object) -> None:
        """Settings that nobody reads."""

    def __setitem__(self, key: object, value: object) -> None:
        """As above."""

    def __add__(self, other: object) -> Any:
        return other if self._kind is Kind.INERT else refuse(self._name)  # colours in front of a text

    __radd__ = __add__

    def __iter__(self) -> Any:
        return iter(()) if self._kind is Kind.INERT else refuse(self._name)

    def __enter__(self) -> Any:
        return refuse(self._name) if self._kind is Kind.KEPT_OUT else self

    def __exit__(self, *error: object) -> None:
        """The end of a `with`."""

    def __reduce__(self) -> Any:
        return Thing, (self._name, self._kind)

    def __repr__(self) -> str:
        return "" if self._kind is Kind.INERT else f"<{self._name}, which is not available while grading>"


class Module(ModuleType):
    """A stand-in; every name can be had from it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Thing(f"{self.__name__}.{name}", _kind(self.__name__))


class StandIns(MetaPathFinder, Loader):
    """Asked last of all: finds what is in the lists, for the submission's own code."""

    def install(self) -> None:
        """Behind everything else that can be imported; before it for FIRST."""
        sys.meta_path.insert(0, _First(self))
        sys.meta_path.append(self)

    @staticmethod
    def remove() -> None:
        """Takes back what `install` did, and the modules that came of it."""
        sys.meta_path[:] = [f for f in sys.meta_path if not isinstance(f, StandIns | _First)]
        for name in [n for n, module in sys.modules.items() if isinstance(module, Module)]:
            del sys.modules[name]

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if _package(name) is None:
            return None
        frame = _importing()
        if frame is None or (name.partition(".")[0] == TELLS_WHERE and _tries(frame)):
            return None
        return ModuleSpec(name, self, origin="stand-in", is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        given = GIVEN.get(module.__name__.partition(".")[0], {})
        vars(module).update(given)
        module.__version__ = "0.0"  # type: ignore[attr-defined]


class _First(MetaPathFinder):
    """Stands before all others, for FIRST alone."""

    def __init__(self, behind: StandIns) -> None:
        self._behind = behind

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return self._behind.find_spec(name) if name == FIRST else None


def _package(name: str) -> str | None:
    """The entry of the lists that a module belongs to."""
    parts = name.split(".")[:3]
    return next((p for n in (1, 2, 3) if (p := ".".join(parts[:n])) in KINDS), None)


def _kind(name: str) -> Kind:
    package = _package(name)
    return Kind.KEPT_OUT if package is None else KINDS[package]


def _importing() -> FrameType | None:
    """The frame of the submission's own that imports; None when it is somebody else's."""
    here = sys._getframe().f_code.co_filename
    frame: FrameType | None = sys._getframe(1)
    for _ in range(MOST_FRAMES):
        if frame is None:
            return None
        file = frame.f_code.co_filename
        if file != here and "importlib" not in file:
            # Theirs: exercises/norm.py, and <string> for what they give to exec().
            theirs = not os.path.isabs(file) and not file.startswith("<frozen")
            return frame if theirs else None
        frame = frame.f_back
    return None


def _tries(frame: FrameType) -> bool:
    """Whether it stands inside a `try`."""
    parse = getattr(dis, "_parse_exception_table", None)
    if parse is None:
        return False
    return any(not e.lasti and e.start <= frame.f_lasti < e.end for e in parse(frame.f_code))
