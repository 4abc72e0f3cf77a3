"""Trains the small GPT-2 that ships with the kit, on any folder of text files.

    python lab/train_mini_gpt2.py TEXTS --out RUN --minutes 90

The architecture is transformers' own GPT-2. The learning rate falls to zero over the minutes (or --steps)
given. Stop it whenever you like (Ctrl-C): the same command goes on from the last checkpoint in RUN.
RUN/model is the model in Hugging Face format, RUN/log.jsonl everything that was measured.
With --steps a run is repeatable (same seed, same numbers on the same machine); with --minutes the number of
steps depends on the machine.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from torch import Tensor

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from lab.training.muon import optimizers  # noqa: E402
from lab.training.text import END_OF_TEXT, Split, encode, hold_out, read_folder, train_tokenizer  # noqa: E402

PROMPTS = ("O Brasil é", "O cachorro grande mordeu o carteiro ontem")


def build(args: argparse.Namespace, vocab_size: int) -> torch.nn.Module:
    """A plain GPT-2; only its positions start as small sinusoids instead of noise.

    That is what lets the heads of the first layer tell themselves apart within an hour of training: they
    can read off from the start how far away a token is.
    """
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(args.seed)
    config = GPT2Config(
        vocab_size=vocab_size, n_positions=args.context, n_embd=args.d_model,
        n_layer=args.layers, n_head=args.heads,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0, eos_token_id=0,
        activation_function="gelu_pytorch_tanh",  # the same function as GPT-2's gelu_new, in one quick kernel
    )  # fmt: skip
    model = GPT2LMHeadModel(config)
    model.transformer.wpe.weight.data.copy_(args.waves * sinusoids(args.context, args.d_model))
    return model


def sinusoids(n: int, d: int) -> Tensor:
    """Slow and fast waves over the positions: (n, d)."""
    position = torch.arange(n)[:, None]  # (n, 1)
    rate = torch.exp(-math.log(10_000) * torch.arange(0, d, 2) / d)  # (d / 2,)
    return torch.cat([(position * rate).sin(), (position * rate).cos()], dim=1)  # (n, d)


def loss_of(model: torch.nn.Module, batch: Tensor) -> Tensor:
    """Mean nats per token. batch: (B, n + 1)"""
    logits = model(batch[:, :-1], use_cache=False).logits  # (B, n, vocab)
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())


@torch.no_grad()
def bits_per_byte(model: torch.nn.Module, data: Split, length: int, limit: int | None = None) -> float:
    """The loss over the whole stream (or its first `limit` windows), in bits per byte of text."""
    model.eval()
    n = (len(data.tokens) - 1) // length
    windows = data.tokens[: n * length + 1].unfold(0, length + 1, length)  # (windows, length + 1)
    windows = windows[:: max(1, n // limit)][:limit] if limit else windows
    losses = [loss_of(model, chunk).item() * len(chunk) for chunk in windows.split(16)]
    model.train()
    return sum(losses) / len(windows) / math.log(2) * len(data.tokens) / data.n_bytes


@torch.no_grad()
def sample(model: Any, tokenizer: Tokenizer, prompt: str, n: int, seed: int) -> str:
    """The prompt and n more tokens, at temperature 0.8 among the 40 likeliest."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.tensor([tokenizer.encode(prompt).ids])
    for _ in range(n):
        top, at = model(ids[:, -model.config.n_positions :], use_cache=False).logits[0, -1].topk(40)
        pick = torch.multinomial((top / 0.8).softmax(-1), 1, generator=generator)
        ids = torch.cat([ids, at[pick][None]], dim=1)
    return str(tokenizer.decode(ids[0].tolist()))


def save(model: torch.nn.Module, tokenizer: object, folder: Path) -> None:
    """Weights, config and tokenizer as Hugging Face keeps them."""
    from transformers import PreTrainedTokenizerFast

    model.config.activation_function = "gelu_new"  # type: ignore[union-attr]
    model.save_pretrained(folder)  # type: ignore[operator]
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token=END_OF_TEXT, eos_token=END_OF_TEXT, unk_token=END_OF_TEXT,
        model_max_length=model.config.n_positions,  # type: ignore[union-attr]
    )  # fmt: skip
    fast.save_pretrained(folder)


def length_at(done: float, context: int, generator: torch.Generator) -> int:
    """Tokens a window. Short ones are quicker and teach the words; later, all lengths up to the context."""
    if done < 0.5:
        return context // 4
    return context >> int(torch.randint(3, (1,), generator=generator))


def rate_at(done: float) -> float:
    """Share of the full learning rate when `done` (0 to 1) of the run is over: warm-up, plateau, to zero."""
    if done < 0.02:
        return done / 0.02 + 0.02
    return 0.5 * (1 + math.cos(math.pi * (done - 0.02) / 0.98))


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("texts", type=Path, help="folder with .txt files (UTF-8)")
    p.add_argument("--out", type=Path, required=True, help="folder for checkpoints, log and model")
    much = p.add_mutually_exclusive_group()
    much.add_argument("--minutes", type=float, default=90.0, help="how long to train (default 90)")
    much.add_argument("--steps", type=int, help="how many steps to train instead")
    p.add_argument("--layers", type=int, default=4)
    p.add_argument("--heads", type=int, default=12)
    p.add_argument("--d-model", type=int, default=192)
    p.add_argument("--context", type=int, default=512)
    p.add_argument("--vocab", type=int, default=2048)
    p.add_argument("--batch", type=int, default=6, help="windows a step (more while they are short)")
    p.add_argument("--muon-lr", type=float, default=0.02)
    p.add_argument("--adam-lr", type=float, default=3e-3)
    p.add_argument("--waves", type=float, default=0.05, help="size of the positions' sinusoids at the start")
    p.add_argument(
        "--more-waves", type=float, default=0.0, help="add so much of them when going on from a checkpoint"
    )
    p.add_argument("--seed", type=int, default=4)
    p.add_argument("--every", type=float, default=120.0, help="seconds between checkpoints")
    args = p.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)

    train_texts, validation_texts = hold_out(read_folder(args.texts), share=0.03)
    tokenizer = train_tokenizer(train_texts, args.vocab)
    train, validation = (encode(texts, tokenizer) for texts in (train_texts, validation_texts))
    model = build(args, tokenizer.get_vocab_size())
    model.train()
    print(
        f"{sum(q.numel() for q in model.parameters()):,} parameters; {len(train.tokens):,} tokens to train "
        f"on, {len(validation.tokens):,} to validate, {train.n_bytes / len(train.tokens):.2f} bytes a token",
        flush=True,
    )  # fmt: skip

    opts = optimizers(model, args.muon_lr, args.adam_lr)
    for opt in opts:
        for group in opt.param_groups:
            group["full"] = group["lr"]
    step, seen, used = 0, 0, 0.0  # steps done, tokens seen, seconds trained
    mean = math.log(tokenizer.get_vocab_size())  # the loss, averaged over the last hundred steps or so
    checkpoint = args.out / "checkpoint.pt"
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(state["model"])
        places = model.get_parameter("transformer.wpe.weight")
        places.data.add_(args.more_waves * sinusoids(args.context, args.d_model))
        for opt, saved in zip(opts, state["optimizers"], strict=True):
            opt.load_state_dict(saved)
        step, seen, used, mean = state["step"], state["seen"], state["used"], state["mean"]
        print(f"going on from {checkpoint}: step {step}, {used / 60:.1f} minutes trained", flush=True)

    def keep() -> None:
        state = {
            "model": model.state_dict(), "optimizers": [o.state_dict() for o in opts],
            "step": step, "seen": seen, "used": used, "mean": mean,
        }  # fmt: skip
        torch.save(state, checkpoint.with_suffix(".new"))
        checkpoint.with_suffix(".new").replace(checkpoint)  # a crash while writing keeps the old one

    def report(final: bool = False) -> None:
        length, limit = (args.context, None) if final else (args.context // 4, 100)
        entry: dict[str, Any] = {
            "step": step, "minutes": round(used / 60, 2), "tokens": seen, "loss": round(mean, 4),
            "validation_bits_per_byte": round(bits_per_byte(model, validation, length, limit), 4),
            "samples": [sample(model, tokenizer, prompt, 40, args.seed) for prompt in PROMPTS],
        }  # fmt: skip
        if final:
            entry["train_bits_per_byte"] = round(bits_per_byte(model, train, args.context, 200), 4)
            entry["arguments"] = {k: str(v) if isinstance(v, Path) else v for k, v in vars(args).items()}
            entry["train_tokens"], entry["validation_tokens"] = len(train.tokens), len(validation.tokens)
            entry["train_bytes"], entry["validation_bytes"] = train.n_bytes, validation.n_bytes
        with (args.out / "log.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(entry, ensure_ascii=False) + "\n")
        print(f"  validation {entry['validation_bits_per_byte']:.4f} bits per byte", flush=True)
        for text in entry["samples"]:
            print("  | " + text.replace("\n", " / "), flush=True)

    last_report = last_print = time.monotonic()
    while True:
        done = step / args.steps if args.steps else used / (60 * args.minutes)
        if done >= 1:
            break
        begun = time.monotonic()
        # The batch depends on seed and step only, so a run that was stopped goes on as if it had not been.
        generator = torch.Generator().manual_seed(args.seed * 1_000_003 + step)
        length = length_at(done, args.context, generator)
        size = args.batch * args.context // length
        loss = loss_of(model, train.batch(size, length, generator))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for opt in opts:
            for group in opt.param_groups:
                group["lr"] = group["full"] * rate_at(done)
            opt.step()
            opt.zero_grad(set_to_none=True)
        mean += (loss.item() - mean) * max(0.01, 1 / (step + 1))
        step, seen = step + 1, seen + size * length
        now = time.monotonic()
        used += now - begun
        if now - last_print > 10:
            speed = size * length / (now - begun)
            print(f"step {step}  {100 * done:5.1f} %  loss {mean:.3f}  {speed:,.0f} tokens/s", flush=True)
            last_print = now
        if now - last_report > args.every:
            keep()
            report()
            used += time.monotonic() - now
            last_report = last_print = time.monotonic()
    keep()
    save(model, tokenizer, args.out / "model")
    report(final=True)
    print(f"done: {args.out / 'model'}")


if __name__ == "__main__":
    main()
