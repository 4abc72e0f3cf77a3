"""A GPT-2 that a class cannot be graded with is refused before the class, with the file and the remedy."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from autograder.assignment import Assignment, load_assignment
from autograder.chapter04.hidden import gpt2, usable
from autograder.chapter04.hidden.lengths import LEAST, STEPS
from autograder.chapter04.hidden.usable import Unusable, reason, try_out
from autograder.chapter04.settings import settings
from autograder.sandbox.errors import GraderFault

D, LAYERS, VOCAB, ROOM = 24, 2, 61, 512
CONFIG: dict[str, Any] = {
    "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_embd": D, "n_head": 3, "n_layer": LAYERS,
    "n_positions": ROOM, "vocab_size": VOCAB, "bos_token_id": 0, "eos_token_id": 0,
}  # fmt: skip
Change = Callable[[dict[str, Any], dict[str, Tensor]], object]


def weights() -> dict[str, Tensor]:
    draw = torch.Generator().manual_seed(3)

    def some(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=draw) * 0.1

    found = {"wte.weight": some(VOCAB, D), "wpe.weight": some(ROOM, D)}
    for i in range(LAYERS):
        for name, shape in {"attn.c_attn": (D, 3 * D), "attn.c_proj": (D, D), "mlp.c_fc": (D, 4 * D),
                            "mlp.c_proj": (4 * D, D)}.items():  # fmt: skip
            found |= {f"h.{i}.{name}.weight": some(*shape), f"h.{i}.{name}.bias": some(shape[1])}
        for name in ("ln_1", "ln_2"):
            found |= {f"h.{i}.{name}.weight": some(D) + 1, f"h.{i}.{name}.bias": some(D)}
    return found | {"ln_f.weight": some(D) + 1, "ln_f.bias": some(D)}


def written(folder: Path, change: Change = lambda config, tensors: None) -> Path:
    folder.mkdir(exist_ok=True)
    config, tensors = dict(CONFIG), weights()
    change(config, tensors)
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    named = {f"transformer.{k}" if k != "lm_head.weight" else k: v for k, v in tensors.items()}
    save_file({k: v.contiguous() for k, v in named.items()}, folder / "model.safetensors", {"format": "pt"})
    return folder


def of(model: Path | str) -> Assignment:
    assignment = load_assignment()
    return assignment.model_copy(update={"settings": {**assignment.settings, "course": {"gpt2": str(model)}}})


def here(assignment: Assignment) -> str | None:
    """`reason` without a process of its own: it takes seconds to import torch and transformers again."""
    folder = Path(settings(assignment).course.gpt2)
    try:
        config = usable._config(folder)
        short = usable._too_short(config, assignment)
        if short is None:
            try_out(folder, assignment.tolerance.atol, assignment.tolerance.rtol)
        return short
    except Unusable as e:
        return str(e)


def half(config: dict[str, Any], tensors: dict[str, Tensor], dtype: torch.dtype = torch.float16) -> None:
    tensors.update({k: v.to(dtype) for k, v in tensors.items()})


def with_head(config: dict[str, Any], tensors: dict[str, Tensor]) -> None:
    tensors["lm_head.weight"] = torch.randn(VOCAB, D) * 0.1


def nan(config: dict[str, Any], tensors: dict[str, Tensor]) -> None:
    tensors["h.1.mlp.c_fc.bias"][5] = float("nan")


REFUSED: dict[str, tuple[Change, str]] = {
    "few positions": (lambda c, w: c.update(n_positions=8), "n_positions is 8"),
    "odd heads": (lambda c, w: c.update(n_head=5), "n_head 5 does not divide n_embd 24"),
    "no heads": (lambda c, w: c.update(n_head=0), "n_head is 0"),
    "heads in words": (lambda c, w: c.update(n_head="3"), "n_head is '3'"),
    "no layer": (lambda c, w: c.update(n_layer=0), "n_layer is 0"),
    "more layers": (lambda c, w: c.update(n_layer=3), "missing h.2"),
    "missing": (lambda c, w: w.pop("h.1.ln_2.bias"), "missing h.1.ln_2.bias"),
    "shape": (lambda c, w: w.update({"ln_f.weight": torch.ones(D + 1)}), "wrong shape ln_f.weight"),
    "narrow positions": (lambda c, w: w.update({"wpe.weight": torch.ones(8, D)}), "wrong shape wpe"),
    "extra": (lambda c, w: w.update({"h.0.attn.gate": torch.ones(3)}), "no place for h.0.attn.gate"),
    "activation": (lambda c, w: c.update(activation_function="mish"), "activation_function is 'mish'"),
    "untied head": (with_head, "lm_head.weight differs from wte.weight"),
    "tied weights": (lambda c, w: c.update(tie_word_embeddings=False), "hold no lm_head.weight"),
    "nan": (nan, "h.1.mlp.c_fc.bias holds NaN"),
    "integers": (lambda c, w: w.update({"ln_f.bias": torch.ones(D, dtype=torch.int8)}), "not floating"),
    "cross attention": (lambda c, w: c.update(add_cross_attention=True), "add_cross_attention"),
    "another kind": (lambda c, w: c.update(model_type="llama"), "model_type is 'llama'"),
    "epsilon": (lambda c, w: c.update(layer_norm_epsilon=None), "layer_norm_epsilon"),
}  # fmt: skip
TAKEN: dict[str, Change] = {
    "as it is": lambda c, w: None,
    "float16": half,
    "bfloat16": lambda c, w: half(c, w, torch.bfloat16),
    "own head": lambda c, w: (with_head(c, w), c.update(tie_word_embeddings=False)),
    "head twice": lambda c, w: w.update({"lm_head.weight": w["wte.weight"].clone()}),
    "scaled by layer": lambda c, w: c.update(scale_attn_by_inverse_layer_idx=True),
    "not scaled": lambda c, w: c.update(scale_attn_weights=False),
    "upcast": lambda c, w: c.update(reorder_and_upcast_attn=True),
    "old mask": lambda c, w: w.update({"h.0.attn.bias": torch.ones(1, 1, 4, 4, dtype=torch.uint8)}),
    "relu": lambda c, w: c.update(activation_function="relu"),
    "narrow mlp": lambda c, w: c.update(n_inner=None),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_model_that_cannot_be_graded_with_is_refused(name: str, tmp_path: Path) -> None:
    change, why = REFUSED[name]
    said = here(of(written(tmp_path / "model", change)))
    assert said is not None
    assert why in said
    assert str(tmp_path) in said or name == "few positions"


@pytest.mark.slow  # transformers takes seconds to import
@pytest.mark.parametrize("name", TAKEN)
def test_a_model_that_transformers_reads_the_same_way_is_taken(name: str, tmp_path: Path) -> None:
    assert here(of(written(tmp_path / "model", TAKEN[name]))) is None


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut": (lambda f: os.truncate(f / "model.safetensors", 999), "the weights cannot be read"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "neither model.safetensors nor"),
    "text as weights": (lambda f: (f / "model.safetensors").write_text("version https://git-lfs"), "read"),
    "cut config": (lambda f: os.truncate(f / "config.json", 9), "config.json: is not JSON"),
    "a list": (lambda f: (f / "config.json").write_text("[]"), "no table of settings"),
    "deep": (lambda f: (f / "config.json").write_text("[" * 99999), "config.json: is not JSON"),
    "no text": (lambda f: (f / "config.json").write_bytes(b"\xff\xfe{}"), "config.json: is not JSON"),
    "gone": (lambda f: (f / "config.json").unlink(), "config.json: cannot be read"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_files_are_refused_by_name(name: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "model")
    damage, why = BROKEN[name]
    damage(folder)
    assert why in (here(of(folder)) or "")


def test_a_pickle_is_read_only_without_code(tmp_path: Path) -> None:
    folder = written(tmp_path / "model")
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save({**tensors, "x": Path}, folder / "pytorch_model.bin")
    assert "without code in it" in (here(of(folder)) or "")


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"")
    assert "is a file" in (reason(of(tmp_path / "model.bin")) or "")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_said(tmp_path: Path) -> None:
    folder = written(tmp_path / "model")
    (folder / "config.json").chmod(0)
    assert "check its permissions" in (reason(of(folder)) or "")


def test_it_is_asked_in_a_process_of_its_own(tmp_path: Path) -> None:
    assert "missing wpe.weight" in (
        reason(of(written(tmp_path / "m", lambda c, w: w.pop("wpe.weight")))) or ""
    )


def test_the_kits_own_is_looked_at_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reason(of("mini")) is None
    folder = written(tmp_path / "mini")
    monkeypatch.setattr(usable, "MINI", folder)
    assert reason(of("mini")) is None
    os.truncate(folder / "model.safetensors", 5000)
    assert "put the kit's own file back" in (reason(of("mini")) or "")


def test_every_text_of_the_tests_fits_the_smallest_model_that_is_taken() -> None:
    from autograder.chapter04.hidden.cost import past_lengths

    assignment = load_assignment()
    least = usable.least_positions(assignment)
    assert least >= LEAST + 4 * STEPS
    prompt, long = past_lengths(assignment)
    assert prompt + 2 * settings(assignment).cache.new_tokens <= ROOM
    assert long + 4 * STEPS <= ROOM


def test_a_fault_of_the_judges_own_model_is_ours(tmp_path: Path) -> None:
    """Later on too, when a folder changes while a class is graded."""
    folder = written(tmp_path / "late", lambda c, w: c.update(n_head=5))
    with pytest.raises(GraderFault, match="cannot be divided into 5 heads"):
        gpt2.right_logits(str(folder), torch.tensor([[1, 2, 3]]))
    with pytest.raises(GraderFault, match="failed: IndexError"), gpt2.ours():
        raise IndexError("index out of range in self")


def test_other_weights_make_old_grades_old(tmp_path: Path) -> None:
    from autograder.identity import _folder

    (folder := tmp_path / "model").mkdir()
    hashes = set()
    for name in ("config.json", "model.safetensors", "pytorch_model.bin"):
        (folder / name).write_bytes(name.encode())
        _folder.cache_clear()
        hashes.add(_folder(folder))
    assert len(hashes) == 3
