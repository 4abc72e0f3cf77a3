"""The model card of a trained mini GPT-2, from what was measured.

    python -m lab.training.card RUN --data "what the texts are"

Writes RUN/model/README.md; RUN is the folder that lab/train_mini_gpt2.py wrote.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from lab.language import Texts
from lab.portrait import measure
from lab.portrait_text import COLUMNS, cell, evidence_of, label_of
from lab.setting import load_setting
from lab.source import load_source

CARD = """---
language: pt
license: mit
tags: [gpt2, teaching]
---
# mini GPT-2

The small GPT-2 that comes with the kit: transformers' own architecture, {parameters:,} parameters,
{layers} layers, {heads} heads, d_model {d_model}, {context} positions, a byte-level BPE of {vocab:,} tokens,
float32.
It is here so that every demonstration and every test runs without a download. It is **not** OpenAI's GPT-2,
knows one author's Portuguese and nothing else, and says nothing that should be believed.

*O pequeno GPT-2 que vem com o kit, para que tudo rode sem download. **Não** é o GPT-2 da OpenAI: conhece o
português de um só autor e nada mais, e nada do que diz merece fé.*

## Data

{data}
Wrapped lines were joined inside paragraphs. {train_bytes:,} bytes ({train_tokens:,} tokens) to train on; the
last 3 % of every file, {validation_bytes:,} bytes ({validation_tokens:,} tokens), were held out.

## Training

`{command}`
Seed {seed}; {steps:,} steps, {tokens:,} tokens seen ({epochs:.1f} times the texts), in {minutes:.0f} minutes
on two CPU cores. Muon for the matrices in the blocks, AdamW for the rest, cosine decay to zero;
windows of a quarter of the context for the first half of the run, then at random of a quarter, half or
all of it. {note}

| | bits per byte |
| --- | --- |
| training texts (200 windows of {context}) | {train:.3f} |
| held out (all of it, windows of {context}) | {validation:.3f} |

Held out, during the run (windows of {quarter}): {curve}.

## Samples

Temperature 0.8 among the 40 likeliest, seed {seed}.

{samples}

## Portrait of the heads

Measured by `python lab/04_multihead_mask.py 4 --layer all`, which also prints the rules behind the labels.

{labels}

Layer 0 on the chapter's sentence; × is how many times uniform attention's value.

{layer0}
"""


def card(run: Path, data: str, note: str) -> str:
    """The text of the card."""
    lines = (run / "log.jsonl").read_text(encoding="utf-8").splitlines()
    log: list[dict[str, Any]] = [json.loads(line) for line in lines]
    final = log[-1]
    options = final["arguments"]
    setting = load_setting(str(run / "model"), load_source("auto"))
    config = setting.model.config
    portrait = measure(setting, list(range(config.n_layer)))
    usual = {"texts", "out", "every", "minutes", "steps", "more_waves"}
    shape = " ".join(f"--{k.replace('_', '-')} {v}" for k, v in options.items() if k not in usual)
    progress = log[:-1][:: max(1, len(log) // 10)]
    return CARD.format(
        parameters=setting.parameters,
        layers=config.n_layer,
        heads=config.n_head,
        d_model=config.n_embd,
        context=config.n_positions,
        quarter=config.n_positions // 4,
        vocab=config.vocab_size,
        data=data,
        command=f"python lab/train_mini_gpt2.py TEXTS --out RUN {shape}",
        steps=final["step"],
        minutes=final["minutes"],
        tokens=final["tokens"],
        epochs=final["tokens"] / final["train_tokens"],
        train=final["train_bits_per_byte"],
        validation=final["validation_bits_per_byte"],
        curve=", ".join(f"{e['validation_bits_per_byte']:.3f} at step {e['step']:,}" for e in progress),
        samples="\n\n".join("> " + text.replace("\n", "  \n> ") for text in final["samples"]),
        note=note,
        labels=_labels(portrait),
        layer0=_layer0(portrait),
        **{k: final[k] for k in ("train_bytes", "validation_bytes", "train_tokens", "validation_tokens")},
        seed=options["seed"],
    )


def _labels(portrait: dict[str, Any]) -> str:
    t = Texts("en")
    rows = ["| head | " + " | ".join(f"layer {layer['layer']}" for layer in portrait["layers"]) + " |"]
    rows.append("| --- " * (1 + len(portrait["layers"])) + "|")
    for i in range(len(portrait["layers"][0]["heads"])):
        rows.append(
            f"| {i} | " + " | ".join(label_of(layer["heads"][i], t) for layer in portrait["layers"]) + " |"
        )
    return "\n".join(rows)


def _layer0(portrait: dict[str, Any]) -> str:
    t = Texts("en")
    flat = portrait["uniform"]["sentence"]
    rows = ["| head | " + " | ".join(t(f"measure.{c}") for c in COLUMNS) + " | label | evidence |"]
    rows.append("| --- " * (3 + len(COLUMNS)) + "|")
    for head in portrait["layers"][0]["heads"]:
        cells = [" ".join(cell(c, head["sentence"][c], flat[c], t).split()) for c in COLUMNS]
        cells += [label_of(head, t), evidence_of(head, t)]
        rows.append(f"| {head['head']} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("run", type=Path)
    p.add_argument("--data", default="", help="one sentence about the texts")
    p.add_argument("--note", default="", help="what else happened during the run")
    args = p.parse_args()
    (args.run / "model" / "README.md").write_text(card(args.run, args.data, args.note), encoding="utf-8")


if __name__ == "__main__":
    main()
