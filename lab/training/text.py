"""A folder of text files -> paragraphs -> tokens."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from torch import Tensor

END_OF_TEXT = "<|endoftext|>"
NEIGHBOURHOOD = 15  # lines up and down that tell how wide the text is set here
RAGGED = 10  # characters by which a full line may fall short: the books were not set in a fixed-width font
VERSE = 60  # where even the widest line is narrower than this, lines are verses and stay as they are


def join_wrapped_lines(text: str) -> list[str]:
    """Undoes the line wrapping inside paragraphs; one string per paragraph, verse or title.

    A line goes on when the next one starts in lower case, or when the next word would not have fitted
    any more. A dash opens a new speech, an empty line always ends the paragraph.
    """
    lines = [" ".join(line.split()) for line in text.lstrip("\ufeff").splitlines()]
    paragraphs: list[str] = []
    goes_on = False
    for i, line in enumerate(lines):
        if not line:
            goes_on = False
            continue
        if goes_on:
            paragraphs[-1] += " " + line
        else:
            paragraphs.append(line)
        following = lines[i + 1] if i + 1 < len(lines) else ""
        width = max(len(near) for near in lines[max(0, i - NEIGHBOURHOOD) : i + NEIGHBOURHOOD + 1])
        goes_on = _goes_on(line, following, width)
    return paragraphs


def _goes_on(line: str, following: str, width: int) -> bool:
    if not following or following[0] in "—–-*" or line.isupper():
        return False
    if following[0].islower():
        return True
    next_word = following.split(" ", 1)[0]
    return width >= VERSE and len(line) + 1 + len(next_word) > width - RAGGED


def read_folder(folder: Path) -> list[list[str]]:
    """The paragraphs of every .txt file below `folder`, in the order of their names. Raises SystemExit."""
    files = sorted(folder.rglob("*.txt"))
    if not files:
        raise SystemExit(f"{folder}: no .txt files there; give the folder that holds the texts to train on")
    return [join_wrapped_lines(f.read_text(encoding="utf-8", errors="replace")) for f in files]


def train_tokenizer(documents: list[list[str]], vocab_size: int) -> Tokenizer:
    """GPT-2's kind of tokenizer (byte-level BPE), learned from these texts."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[END_OF_TEXT],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(("\n".join(document) for document in documents), trainer)
    return tokenizer


@dataclass(frozen=True)
class Split:
    """One part of the data: the stream of tokens and the places where a paragraph starts."""

    tokens: Tensor  # (N,) int64
    starts: Tensor  # (P,) int64
    n_bytes: int  # UTF-8 bytes of the text: losses are compared in bits per byte

    def batch(self, size: int, length: int, generator: torch.Generator) -> Tensor:
        """Windows of length + 1 tokens, half of them from a paragraph's start: (size, length + 1)."""
        last = len(self.tokens) - length - 1
        anywhere = torch.randint(last, (size,), generator=generator)
        paragraph = self.starts[torch.randint(len(self.starts), (size,), generator=generator)].clamp(max=last)
        start = torch.where(torch.rand(size, generator=generator) < 0.5, paragraph, anywhere)
        return self.tokens[start[:, None] + torch.arange(length + 1)]  # (size, 1) + (length + 1,)


def encode(documents: list[list[str]], tokenizer: Tokenizer) -> Split:
    """Texts -> one stream; every document ends with the end-of-text token."""
    end = tokenizer.token_to_id(END_OF_TEXT)
    assert end is not None
    tokens: list[int] = []
    starts: list[int] = []
    n_bytes = 0
    for document in documents:
        pieces = [paragraph + "\n" for paragraph in document]
        for piece, encoding in zip(pieces, tokenizer.encode_batch(pieces), strict=True):
            starts.append(len(tokens))
            tokens += encoding.ids
            n_bytes += len(piece.encode())
        tokens.append(end)
    return Split(torch.tensor(tokens), torch.tensor(starts), n_bytes)


def hold_out(documents: list[list[str]], share: float) -> tuple[list[list[str]], list[list[str]]]:
    """(training, validation): the last `share` of each document is kept for validation."""
    train, validation = [], []
    for document in documents:
        kept, budget = len(document), share * sum(map(len, document))
        while kept > 1 and budget > 0:
            kept -= 1
            budget -= len(document[kept])
        train.append(document[:kept])
        validation.append(document[kept:])
    return train, validation
