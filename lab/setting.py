"""What all demonstrations share: the model, its tokens, and the sentence they look at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor

from lab.gpt2 import GPT2
from lab.models import MINI, find_model
from lab.source import Source

SENTENCE = "o cachorro grande mordeu o carteiro ontem"
MOST_TOKENS = 16  # as many as two pictures side by side have room for


@dataclass(frozen=True)
class Setting:
    """A GPT-2 around the source's attention, and a sentence as its tokens."""

    model: GPT2
    folder: Path
    name: str  # as the user gave it
    source: Source
    tokenizer: Tokenizer
    borrowed_tokenizer: bool  # the model came without one, the mini model's stands in
    ids: Tensor  # (1, n)

    @property
    def is_mini(self) -> bool:
        return self.folder == MINI

    @property
    def tokens(self) -> list[str]:
        return [self.show(i) for i in self.ids[0].tolist()]

    @property
    def parameters(self) -> int:
        return sum(p.numel() for p in self.model.parameters())

    def show(self, token: int) -> str:
        """One token as a person can read it; half a character becomes "?"."""
        text = self.tokenizer.decode([token], skip_special_tokens=False)
        return text.replace("\n", "\\n").replace("\ufffd", "?").strip() or "_"


def load_tokenizer(folder: Path) -> Tokenizer | None:
    """The tokenizer of a Hugging Face folder, or None."""
    if (folder / "tokenizer.json").exists():
        return Tokenizer.from_file(str(folder / "tokenizer.json"))
    if (folder / "vocab.json").exists() and (folder / "merges.txt").exists():
        from tokenizers import ByteLevelBPETokenizer

        tokenizer = ByteLevelBPETokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))
        inner: Tokenizer = tokenizer._tokenizer
        return inner
    return None


def load_setting(name: str, source: Source, sentence: str = SENTENCE) -> Setting:
    """Raises lab.models.ModelNotFound, ValueError."""
    if source.attention is None:
        raise ValueError("no attention to build the model around")
    folder = find_model(name)
    model = GPT2.from_pretrained(folder, source.attention, source.attend_with_cache)
    own = load_tokenizer(folder)
    tokenizer = own or load_tokenizer(MINI)
    assert tokenizer is not None, "the mini model's tokenizer is part of the kit"
    if tokenizer.get_vocab_size() > model.config.vocab_size:
        raise ValueError(f"{folder}: the model knows {model.config.vocab_size} tokens, its tokenizer more")
    ids = torch.tensor([tokenizer.encode(sentence).ids[:MOST_TOKENS]])
    return Setting(model, folder, name, source, tokenizer, own is None, ids)


@contextmanager
def one_thread() -> Iterator[None]:
    """Times on several threads of a busy machine say nothing, and small models are no quicker on two."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def bidirectional(model: GPT2) -> Iterator[None]:
    """Inside, the model runs with causal=False: the same weights, one line different."""
    before = [block.attn.causal for block in model.blocks()]
    try:
        for block in model.blocks():
            block.attn.causal = False
        yield
    finally:
        for block, causal in zip(model.blocks(), before, strict=True):
            block.attn.causal = causal


@torch.no_grad()
def attention_inputs(model: GPT2, ids: Tensor, layers: int | None = None) -> list[Tensor]:
    """What the attention of each layer reads, ln_1 included: n_layer times (B, n, d)."""
    x = model.embed(ids)
    inputs = []
    for block in model.blocks()[:layers]:
        inputs.append(block.ln_1(x))
        x = x + block.attn(inputs[-1])
        x = x + block.mlp(block.ln_2(x))
    return inputs
