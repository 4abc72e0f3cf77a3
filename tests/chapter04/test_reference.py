"""What the hidden tests hold right is right: against PyTorch's own attention and transformers' GPT-2."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from autograder.chapter04.hidden import expected, gpt2
from autograder.chapter04.inputs import attention_weights
from autograder.checks.inputs import SeededInputs
from autograder.sandbox.errors import GraderFault
from lab.models import MINI


@pytest.fixture
def draw() -> SeededInputs:
    return SeededInputs("seed", "reference")


@pytest.mark.parametrize("causal", [True, False])
def test_attention_is_pytorchs(draw, causal):
    weights, x = attention_weights(draw, 15, std=0.3), draw.normal(2, 7, 15)
    theirs = nn.MultiheadAttention(15, 3, batch_first=True).eval()
    names = {"c_attn.weight": "in_proj_weight", "c_attn.bias": "in_proj_bias"}
    theirs.load_state_dict({names.get(k, k.replace("c_proj", "out_proj")): v for k, v in weights.items()})
    with torch.no_grad():
        right, _ = theirs(x, x, x, attn_mask=expected.future(7, 7) if causal else None, need_weights=False)
    assert torch.allclose(expected.attention(weights, 3, causal)(x), right, atol=1e-5)


def test_merging_undoes_splitting(draw):
    x = draw.coded(2, 5, 12)
    assert torch.equal(expected.merge(expected.split(x, 3)), x)
    assert expected.split(x, 3)[1, 2, 4].tolist() == x[1, 4, 8:].tolist()


def test_the_future_of_new_tokens():
    assert expected.future(2, 4).tolist() == [[False, False, False, True], [False] * 4]


@pytest.mark.slow  # transformers takes seconds to import
def test_logits_are_those_of_transformers(draw):
    from transformers import GPT2LMHeadModel

    theirs = GPT2LMHeadModel.from_pretrained(MINI, attn_implementation="eager").eval()
    ids = draw.ids(2, 11, theirs.config.vocab_size)
    with torch.no_grad():
        right = theirs(ids).logits
    assert float((gpt2.right_logits("mini", ids) - right).abs().max()) < 1e-5 * max(
        1.0, float(right.abs().max())
    )


@pytest.mark.parametrize("config", [None, "{", "{}", '{"n_layer": 3}'])
def test_a_model_that_cannot_be_had_is_a_fault_of_ours(tmp_path, config):
    """Another in its place would be another exam; a fault costs nobody points and is listed."""
    if config is not None:
        (tmp_path / "config.json").write_text(config, encoding="utf-8")
    with pytest.raises(GraderFault, match="cannot be had"):
        gpt2.right_logits(str(tmp_path), torch.tensor([[1, 2, 3]]))
