"""Whether the course's GPT-2 can be graded with, tried out before a class waits for it.

`reason(assignment)` asks a process of its own (`python -m autograder.chapter04.hidden.usable MODEL …`):
torch and transformers take seconds to import. The kit's own model is only looked at: whether the file
is whole; tests/hidden compare its logits.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autograder.assignment import KIT, Assignment
from autograder.chapter04.settings import gpt2_of, settings
from lab.models import MINI, ModelNotFound, find_model

if TYPE_CHECKING:
    from torch import Tensor

    from lab.gpt2 import GPT2

PATIENCE = 600.0  # seconds for loading a model twice; the largest GPT-2 takes one minute
COUNTS = ("n_positions", "n_embd", "n_layer", "n_head", "vocab_size")
FLAGS = (
    "tie_word_embeddings",
    "scale_attn_weights",
    "scale_attn_by_inverse_layer_idx",
    "reorder_and_upcast_attn",
    "add_cross_attention",
)
REFUSED = 3  # exit code: stdout says why


class Unusable(Exception):
    """The model cannot be graded with; the text says what is wrong with which file, and what to do."""


def reason(assignment: Assignment) -> str | None:
    """Why the course's GPT-2 cannot be graded with; None: it can."""
    name = gpt2_of(assignment)
    try:
        if name == "mini":
            config = _config(MINI)
            _whole(MINI / "model.safetensors")
            return _too_short(config, assignment)
        return _refused(name, assignment)
    except (Unusable, ModelNotFound) as e:
        return str(e)


def _refused(name: str, assignment: Assignment) -> str | None:
    """What the other process says."""
    folder = _folder(name)
    config = _config(folder)
    if short := _too_short(config, assignment):
        return short
    command = [sys.executable, "-m", "autograder.chapter04.hidden.usable", str(folder)]
    command += [str(assignment.tolerance.atol), str(assignment.tolerance.rtol)]
    try:
        done = subprocess.run(
            command, cwd=KIT, capture_output=True, text=True, encoding="utf-8", errors="replace",
            timeout=PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"{folder}: it was not loaded within {PATIENCE:.0f} seconds; take a smaller model."
    if done.returncode == 0:
        return None
    if done.returncode == REFUSED:
        return done.stdout.strip()
    last = (done.stderr.strip().splitlines() or ["no reason was given"])[-1]
    return f"{folder}: loading it failed (exit code {done.returncode}: {last[:300]})."


def _folder(name: str) -> Path:
    """Where it lies. Raises Unusable, ModelNotFound."""
    path = Path(name) if Path(name).is_absolute() else KIT / name
    try:
        if path.is_file():
            raise Unusable(f"{path}: is a file; give the folder in which config.json and the weights lie.")
        return find_model(name)
    except OSError as e:
        raise Unusable(f"{e.filename or name}: cannot be read ({e.strerror or e}); {_RIGHTS}") from None


_RIGHTS = "check its permissions."


def _config(folder: Path) -> dict[str, Any]:
    """config.json, as far as numbers depend on it. Raises Unusable."""
    path = folder / "config.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as e:
        raise Unusable(f"{path}: cannot be read ({e.strerror}); {_RIGHTS}") from None
    except (ValueError, RecursionError) as e:
        raise Unusable(f"{path}: is not JSON ({e}); copy the file once more.") from None
    if not isinstance(data, dict):
        raise Unusable(f"{path}: holds no table of settings; copy the file once more.")
    if data.get("model_type", "gpt2") != "gpt2":
        raise Unusable(f"{path}: model_type is {data['model_type']!r}; only a GPT-2 can be taken.")
    _values(path, data)
    return data


def _values(path: Path, data: Mapping[str, Any]) -> None:
    for key in COUNTS:
        value = data.get(key, 1)
        if type(value) is not int or value < 1:
            raise Unusable(f"{path}: {key} is {value!r}; it must be a whole number from 1 on.")
    if type(inner := data.get("n_inner") or 1) is not int or inner < 1:
        raise Unusable(f"{path}: n_inner is {inner!r}; it must be a whole number from 1 on, or null.")
    eps = data.get("layer_norm_epsilon", 1e-5)
    if type(eps) not in (int, float) or not 0 < eps < math.inf:
        raise Unusable(f"{path}: layer_norm_epsilon is {eps!r}; it must be a small number above 0.")
    for key in FLAGS:
        if type(value := data.get(key, False)) is not bool:
            raise Unusable(f"{path}: {key} is {value!r}; it must be true or false.")
    width, heads = data.get("n_embd", 768), data.get("n_head", 12)
    if width % heads:
        raise Unusable(
            f"{path}: n_head {heads} does not divide n_embd {width}; every head needs an equal slice."
        )
    if data.get("add_cross_attention"):
        raise Unusable(
            f"{path}: add_cross_attention is true; its layers hold a second attention, which the exercise "
            "does not have. Take a model without it."
        )
    if "quantization_config" in data:
        raise Unusable(f"{path}: the weights are quantized; take the model in float32, float16 or bfloat16.")


def _too_short(config: Mapping[str, Any], assignment: Assignment) -> str | None:
    room, least = config.get("n_positions", 1024), least_positions(assignment)
    if room >= least:
        return None
    return (
        f"n_positions is {room}, and the hidden tests need texts of {least} tokens. Take a model with at "
        f"least {least} positions."
    )


def least_positions(assignment: Assignment) -> int:
    """Tokens of the longest text that the hidden tests must be able to use: see hidden/lengths.py."""
    from autograder.chapter04.hidden.lengths import LEAST, STEPS

    return LEAST + max(2 * settings(assignment).cache.new_tokens, 4 * STEPS)


def _whole(path: Path) -> None:
    """Whether a safetensors file has as many bytes as its header says. Raises Unusable."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(min(length, 1 << 24)))
            ends = [one["data_offsets"][1] for key, one in header.items() if key != "__metadata__"]
        if path.stat().st_size == 8 + length + max(ends):
            return
    except OSError as e:
        raise Unusable(f"{path}: cannot be read ({e.strerror}); put the kit's own file back.") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass
    raise Unusable(f"{path}: is not whole; put the kit's own file back.")


def try_out(folder: Path, atol: float, rtol: float) -> None:
    """Loads it as the judge does and as transformers does, and compares logits. Raises Unusable."""
    import torch

    from lab.gpt2 import GPT2, read_weights

    try:
        weights = read_weights(folder)
    except Exception as e:  # noqa: BLE001 - safetensors, torch and the file system each have their own
        raise Unusable(
            f"{folder}: the weights cannot be read ({_line(e)}). Copy the files once more; they must be "
            "model.safetensors, or pytorch_model.bin without code in it."
        ) from None
    _numbers(folder, weights)
    try:
        ours = GPT2.from_pretrained(folder)
    except Exception as e:  # noqa: BLE001 - whatever it is, no class can be graded with this
        raise Unusable(f"{folder}: {_line(e)}. Copy the folder once more, or take another model.") from None
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(ours.config.vocab_size, (2, 11), generator=generator)
    _compare(folder, ours, ids, atol, rtol)


def _numbers(folder: Path, weights: Mapping[str, Tensor]) -> None:
    """Weights that are numbers, and one head. Raises Unusable."""
    for name, weight in weights.items():
        if not weight.is_floating_point() and not name.endswith((".attn.bias", ".attn.masked_bias")):
            raise Unusable(f"{folder}: {name} holds {weight.dtype}, not floating point numbers.")
        if weight.is_floating_point() and not bool(weight.float().isfinite().all()):
            if name.endswith(".attn.masked_bias"):
                continue
            raise Unusable(f"{folder}: {name} holds NaN or infinite numbers; take sound weights.")
    named = {name.removeprefix("transformer."): weight for name, weight in weights.items()}
    head, words = named.get("lm_head.weight"), named.get("wte.weight")
    tied = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("tie_word_embeddings", True)
    if tied and head is not None and words is not None and not head.equal(words):
        raise Unusable(
            f"{folder}: config.json says tie_word_embeddings, but lm_head.weight differs from wte.weight. "
            'Say "tie_word_embeddings": false there, or take lm_head.weight out of the weights.'
        )
    if not tied and head is None:
        raise Unusable(
            f"{folder}: config.json says that lm_head is not tied to wte, but the weights hold no "
            'lm_head.weight. Say "tie_word_embeddings": true there, or add it.'
        )


def _compare(folder: Path, ours: GPT2, ids: Tensor, atol: float, rtol: float) -> None:
    import torch
    from transformers import GPT2LMHeadModel
    from transformers.utils import logging

    logging.set_verbosity_error()
    try:
        theirs = GPT2LMHeadModel.from_pretrained(
            folder, attn_implementation="eager", dtype=torch.float32, local_files_only=True
        )
        theirs.train(False)
        with torch.no_grad():
            right, got = theirs(ids).logits, ours.logits(ids)
    except Exception as e:  # noqa: BLE001 - as above
        raise Unusable(f"{folder}: the model gives no answer ({_line(e)}). Take another model.") from None
    most = atol * max(1.0, float(right.abs().max()))
    if got.shape != right.shape or not bool(((got - right).abs() <= most + rtol * right.abs()).all()):
        raise Unusable(
            f"{folder}: this kit's GPT-2 and transformers' give different logits with these weights, so its "
            "configuration asks for something that the kit does not do. Take another model."
        )


def _line(error: Exception) -> str:
    text = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {text[:300]}".rstrip(" .:")


def main(folder: str, atol: str, rtol: str) -> int:
    """Exit code 0, or REFUSED with the reason on stdout."""
    try:
        try_out(Path(folder), float(atol), float(rtol))
    except Unusable as e:
        print(e)
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
