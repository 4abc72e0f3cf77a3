"""The training script: text in, a Hugging Face model out, stopped and gone on as if nothing had happened."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest
import torch

from lab.gpt2 import GPT2
from lab.training.muon import orthogonalise
from lab.training.text import hold_out, join_wrapped_lines

PROSE = """CAPÍTULO PRIMEIRO
Era conveniente ao romance que o leitor ficasse muito tempo sem saber
quem era Miss Dollar. Mas por outro lado, sem a apresentação de Miss
Dollar, seria o autor obrigado a longas digressões, que encheriam o papel
sem adiantar a ação.
— Não há hesitação possível, disse ele, e foi-se embora dali a pouco, com
o chapéu na mão.
Outro parágrafo começa aqui.

E outro ainda.
"""
VERSE = "Satisfeita mirava o duro rosto;\nSúbito estaca; as ríspidas melenas\nImpetuosa sacode; e sufocando\n"


def test_wrapped_lines_are_joined_and_paragraphs_kept() -> None:
    paragraphs = join_wrapped_lines(PROSE)
    assert paragraphs[0] == "CAPÍTULO PRIMEIRO"
    assert paragraphs[1].startswith("Era conveniente")
    assert paragraphs[1].endswith("sem adiantar a ação.")
    assert "apresentação de Miss Dollar, seria" in paragraphs[1]
    assert paragraphs[2].endswith("com o chapéu na mão.")
    assert paragraphs[3:] == ["Outro parágrafo começa aqui.", "E outro ainda."]
    assert join_wrapped_lines(VERSE) == VERSE.splitlines()


def test_held_out_text_is_not_trained_on() -> None:
    documents = [[f"parágrafo {i} do documento {d}" for i in range(50)] for d in range(3)]
    train, validation = hold_out(documents, 0.1)
    for before, kept, held in zip(documents, train, validation, strict=True):
        assert kept + held == before
        assert 4 <= len(held) <= 6


def test_orthogonalise_makes_directions_equally_strong() -> None:
    g = (
        torch.randn(2, 6, 10, generator=torch.Generator().manual_seed(0))
        * torch.tensor([1.0, 50.0])[:, None, None]
    )
    strengths = torch.linalg.svdvals(orthogonalise(g))
    assert ((strengths > 0.6) & (strengths < 1.3)).all()


def train(monkeypatch: pytest.MonkeyPatch, texts: Path, out: Path, stop_at: int | None = None) -> None:
    script = importlib.import_module("lab.train_mini_gpt2")
    options = "--steps 6 --layers 1 --heads 3 --d-model 24 --context 32 --vocab 300 --batch 2 --every 0"
    monkeypatch.setattr(sys, "argv", ["train", str(texts), "--out", str(out), *options.split()])
    calls = 0
    honest = script.loss_of

    def interrupted(model: torch.nn.Module, batch: torch.Tensor) -> torch.Tensor:
        nonlocal calls
        calls += model.training
        if calls == stop_at:
            raise KeyboardInterrupt
        return honest(model, batch)

    with monkeypatch.context() as patch:
        patch.setattr(script, "loss_of", interrupted)
        script.main()


@pytest.mark.slow
def test_training_can_be_stopped_and_goes_on_to_the_same_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text(PROSE * 60, encoding="utf-8")
    train(monkeypatch, texts, tmp_path / "straight")
    with pytest.raises(KeyboardInterrupt):
        train(monkeypatch, texts, tmp_path / "stopped", stop_at=4)
    train(monkeypatch, texts, tmp_path / "stopped")

    one, two = (GPT2.from_pretrained(tmp_path / name / "model") for name in ("straight", "stopped"))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    last = json.loads((tmp_path / "straight" / "log.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert last["step"] == 6
    assert 0 < last["validation_bits_per_byte"] < 9
    assert last["arguments"]["seed"] == 4
    assert len(last["samples"]) == 2
    with pytest.raises(SystemExit, match=r"no \.txt files"):
        train(monkeypatch, tmp_path / "straight" / "model", tmp_path / "nothing")
