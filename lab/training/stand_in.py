"""A seeded checkpoint with the shape of the mini GPT-2 and random weights: no training needed.

    python -m lab.training.stand_in FOLDER [--tokenizer FOLDER]

Weights and biases are drawn much larger than GPT-2's own init (0.02 and zero biases), so that a bias or a
scale that is left out shows in the logits.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import torch

TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")


def redraw(model: torch.nn.Module, seed: int, std: float = 0.12, bias: float = 0.1) -> None:
    """Draws every weight anew with `std`, every bias with `bias`; layer norms around 1. In place."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            noise = torch.randn(p.shape, generator=generator)
            if name.endswith("bias"):
                p.copy_(bias * noise)
            elif ".ln_" in name:
                p.copy_(1 + bias * noise)
            else:
                p.copy_(std * noise)


def main() -> None:
    from transformers import GPT2Config, GPT2LMHeadModel

    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("folder", type=Path)
    p.add_argument("--tokenizer", type=Path, help="folder whose tokenizer files come along")
    p.add_argument("--seed", type=int, default=4)
    args = p.parse_args()
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=2048, n_positions=512, n_embd=192, n_layer=4, n_head=12,
            resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0, eos_token_id=0,
        )
    )  # fmt: skip
    redraw(model, args.seed)
    for p_ in model.parameters():
        p_.data.mul_(32).round_().div_(32)  # few distinct values, so that the file packs well
    model.save_pretrained(args.folder)
    for name in TOKENIZER_FILES if args.tokenizer else ():
        if (args.tokenizer / name).exists():
            shutil.copy(args.tokenizer / name, args.folder / name)


if __name__ == "__main__":
    main()
