"""lab/gpt2.py against transformers: the same logits, with and without a cache."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from lab.gpt2 import GPT2, Config
from lab.models import MINI, ModelNotFound, find_model
from lab.training.stand_in import redraw
from solutions.attention import MultiHeadAttention
from solutions.kv_cache import attend_with_cache, generate

SHAPES = {
    "usual": {},
    "odd sizes": {"n_embd": 35, "n_head": 7, "n_layer": 3, "vocab_size": 41, "n_inner": 50},
    "untied head": {"tie_word_embeddings": False},
    "relu": {"activation_function": "relu"},
    "scale by layer": {"scale_attn_by_inverse_layer_idx": True},
    "no scale": {"scale_attn_weights": False},
}


def reference(seed: int = 1, **changes: object) -> GPT2LMHeadModel:
    torch.manual_seed(seed)
    sizes = {"vocab_size": 97, "n_positions": 32, "n_embd": 48, "n_layer": 2, "n_head": 12}
    model = GPT2LMHeadModel(GPT2Config(**(sizes | changes), bos_token_id=0, eos_token_id=0))  # type: ignore[arg-type]
    redraw(model, seed)
    return model.eval()


def assert_close(got: torch.Tensor, expected: torch.Tensor) -> None:
    allowed = 1e-5 * max(1.0, expected.abs().max().item())
    assert (got - expected).abs().max().item() <= allowed


def load(folder: Path) -> GPT2:
    return GPT2.from_pretrained(folder, MultiHeadAttention, attend_with_cache)


@pytest.mark.parametrize("shape", SHAPES)
@torch.no_grad()
def test_logits_equal_transformers(shape: str, tmp_path: Path) -> None:
    theirs = reference(**SHAPES[shape])  # type: ignore[arg-type]
    theirs.save_pretrained(tmp_path)
    ours = load(tmp_path)
    ids = torch.randint(theirs.config.vocab_size, (2, 13))
    expected = theirs(ids).logits
    assert_close(ours.logits(ids), expected)
    for schedule in ([13], [1] * 13, [8, 1, 1, 1, 1, 1], [5, 4, 4], [1, 7, 5]):
        cache, start, parts = None, 0, []
        for m in schedule:
            logits, cache = ours(ids[:, start : start + m], cache=cache, start=start)
            parts.append(logits)
            start += m
        assert_close(torch.cat(parts, dim=1), expected)


@torch.no_grad()
def test_mini_model_equals_transformers_and_generates_the_same() -> None:
    theirs = GPT2LMHeadModel.from_pretrained(MINI, dtype=torch.float32).eval()
    ours = GPT2.from_pretrained("mini")  # the solution's attention, found by itself
    ids = torch.randint(2048, (2, 40), generator=torch.Generator().manual_seed(0))
    assert_close(ours.logits(ids), theirs(ids).logits)
    logits, cache = ours(ids[:, :30])
    more, _ = ours(ids[:, 30:], cache=cache, start=30)
    assert_close(torch.cat([logits, more], dim=1), theirs(ids).logits)
    assert ours.n_positions >= 288  # a prompt of 256 and 32 new tokens
    expected = theirs.generate(ids[:1], max_new_tokens=8, do_sample=False, eos_token_id=None, pad_token_id=0)
    assert torch.equal(generate(ours, ids[:1], 8), expected)


@torch.no_grad()
def test_loads_pickled_and_sharded_and_half_precision_checkpoints(tmp_path: Path) -> None:
    theirs = reference()
    ids = torch.randint(97, (1, 9))
    expected = theirs(ids).logits
    theirs.save_pretrained(tmp_path / "shards", max_shard_size="40KB")
    assert len(list((tmp_path / "shards").glob("*.safetensors"))) > 1
    assert_close(load(tmp_path / "shards").logits(ids), expected)

    pickled = tmp_path / "pickled"
    pickled.mkdir()
    (pickled / "config.json").write_text(json.dumps(theirs.config.to_dict()))
    old = theirs.transformer.state_dict()  # the hub's GPT-2 has no prefix and holds the mask as a buffer
    old |= {f"h.{i}.attn.bias": torch.ones(1, 1, 32, 32) for i in range(2)}
    torch.save(old, pickled / "pytorch_model.bin")
    assert_close(load(pickled).logits(ids), expected)

    theirs.half().save_pretrained(tmp_path / "half")
    model = load(tmp_path / "half")
    assert model.wte.weight.dtype == torch.float32
    assert_close(model.logits(ids), theirs.float()(ids).logits)


def test_a_pickle_that_runs_code_is_refused(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, ...]:
            return (Path.touch, (tmp_path / "ran",))

    reference().config.save_pretrained(tmp_path)
    torch.save({"wte.weight": Evil()}, tmp_path / "pytorch_model.bin")
    with pytest.raises(Exception, match="(?i)weights"):
        load(tmp_path)
    assert not (tmp_path / "ran").exists()


def test_weights_that_do_not_fit_are_named(tmp_path: Path) -> None:
    theirs = reference()
    model = GPT2(Config.from_dict(theirs.config.to_dict()), MultiHeadAttention)
    weights = dict(theirs.state_dict())
    del weights["transformer.h.1.ln_2.bias"]
    with pytest.raises(ValueError, match=r"missing h\.1\.ln_2\.bias"):
        model.load(weights)
    with pytest.raises(ValueError, match="no place for extra"):
        model.load(dict(theirs.state_dict()) | {"extra": torch.ones(1)})
    with pytest.raises(ValueError, match=r"wrong shape wpe\.weight"):
        model.load(dict(theirs.state_dict()) | {"transformer.wpe.weight": torch.ones(3, 48)})
    with pytest.raises(ValueError, match="only plain GPT-2"):
        Config.from_dict({"model_type": "llama"})
    with pytest.raises(ValueError, match="33 tokens are more than the model's 32"):
        model.logits(torch.zeros(1, 33, dtype=torch.int64))


def test_a_missing_model_is_a_clear_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelNotFound, match=r"no config\.json"):
        find_model(tmp_path)
    with pytest.raises(ModelNotFound, match="no such folder here and no such model"):
        find_model("a/b/c")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setattr("lab.models.PATIENCE", 0.2)
    monkeypatch.setattr("lab.models._knock", lambda: None)
    monkeypatch.setattr("huggingface_hub.hf_hub_download", lambda *a, **k: __import__("time").sleep(30))
    with pytest.raises(ModelNotFound, match="cannot be reached.*--model mini"):
        find_model("openai-community/not-a-model-here")


def test_the_file_holds_no_attention() -> None:
    text = (Path(__file__).parents[2] / "lab" / "gpt2.py").read_text(encoding="utf-8")
    for word in ("softmax", "scaled_dot_product", "triu", "tril", "masked_fill"):
        assert word not in text
