"""Your attention writes: text from a GPT-2 that runs on your own attention, cache and generate.

python lab/write.py "O Brasil é"
python lab/write.py "O Brasil é" --tokens 100 --seed 7
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parent.parent)

import torch  # noqa: E402
from torch import Tensor, nn  # noqa: E402

from lab.console import Console, Flow, ended  # noqa: E402
from lab.language import LANGUAGES, Texts  # noqa: E402
from lab.models import on_this_machine  # noqa: E402
from lab.run import Wrong, model_of, tell_missing  # noqa: E402
from lab.setting import Setting, one_thread  # noqa: E402
from lab.source import CHOICES, describe, load_source  # noqa: E402

REAL = "openai-community/gpt2"
OWN = tuple(c for c in CHOICES if c in ("exercises", "solutions"))  # those with a generate


class Streaming(nn.Module):
    """Stands between `generate` and the model: shows every token at once, and makes greedy decoding a draw.

    Noise of the right kind (Gumbel) on the logits turns "the likeliest token" into a draw with the model's
    own probabilities; so a greedy `generate` writes a text that does not go round in circles.
    """

    def __init__(self, setting: Setting, out: Flow, temperature: float, top: int, seed: int) -> None:
        super().__init__()
        self.model, self.tokenizer, self.out = setting.model, setting.tokenizer, out
        self.n_positions, self.config = setting.model.n_positions, setting.model.config
        self.temperature, self.top = temperature, min(top, setting.model.config.vocab_size)
        self.generator = torch.Generator().manual_seed(seed)
        self.written: list[int] = []
        self.shown = ""
        self.rows = 0

    def forward(self, ids: Tensor, cache: Any = None, start: int = 0) -> tuple[Tensor, Any]:
        logits, cache = self.model(ids, cache=cache, start=start)
        self.rows += ids.shape[1]
        last = logits[0, -1]  # (V,)
        if self.temperature > 0:
            last = last / self.temperature
            least = last.topk(self.top).values[-1]
            noise = -torch.empty_like(last).exponential_(generator=self.generator).log()
            last = torch.where(last >= least, last + noise, float("-inf"))
            logits = torch.cat([logits[:, :-1], last[None, None]], dim=1)  # (1, m - 1, V) + (1, 1, V)
        self.written.append(int(last.argmax()))
        text = self.tokenizer.decode(self.written)
        if not text.endswith("\ufffd"):  # half a character: wait for the other half
            self.out.write(text[len(self.shown) :])
            self.shown = text
        return logits, cache


def arguments() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("prompt", nargs="?", default="O Brasil é")
    p.add_argument("--tokens", type=int, default=60)
    p.add_argument(
        "--model", help=f"mini, {REAL}, or a folder (default: GPT-2 if it is on this machine, or mini)"
    )
    p.add_argument("--attention", choices=OWN, default="exercises", help="whose code it is")
    p.add_argument("--temperature", type=float, default=0.8, help="0 = always the likeliest token")
    p.add_argument("--top", type=int, default=40, help="draw among so many likeliest tokens")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--lang", choices=LANGUAGES, default="en")
    return p.parse_args()


def main() -> int:
    args = arguments()
    out, err, t = Console(), Console(sys.stderr), Texts(args.lang)
    try:
        source = load_source(args.attention)
    except ModuleNotFoundError as e:
        err.prose(t("wrong.source", source=args.attention, reason=e))
        return 2
    if (
        source.attention is None
        or source.attend_with_cache is None
        or source.generate is None
        or source.missing
    ):
        # Helpers may be missing; the three that do the work may not.
        needed = [s for s in ("MultiHeadAttention", "attend_with_cache", "generate") if s in source.missing]
        if needed:
            tell_missing(source, err, t)
            if "" in source.missing.values() or len(set(source.missing.values())) > 1:
                err.prose(t("write.needs"))
            return 1
    try:
        name = args.model or (REAL if on_this_machine(REAL) else "mini")
        setting = model_of(name, source, err, t)
    except Wrong as e:
        err.prose(str(e))
        return 2
    ids = torch.tensor([setting.tokenizer.encode(args.prompt).ids], dtype=torch.int64)
    room = setting.model.n_positions - ids.shape[1]
    if ids.shape[1] == 0:
        err.prose(t("write.empty"))
        return 2
    if room < 1:
        err.prose(t("write.long", tokens=ids.shape[1], room=setting.model.n_positions - 1))
        return 2

    out.prose(t("write.source", model=setting.name, source=args.attention + "/"))
    out.line()
    flow = Flow(out)
    flow.write(args.prompt)
    model = Streaming(setting, flow, args.temperature, args.top, args.seed).eval()
    begun = time.perf_counter()
    try:
        assert source.generate is not None
        with torch.no_grad(), one_thread():
            got = source.generate(model, ids, max(1, min(args.tokens, room)))
        returned = got[0, ids.shape[1] :].tolist()
    except BrokenPipeError:  # of ours: who read what it writes has gone
        raise
    except Exception as e:  # the student's code can raise anything
        flow.end()
        err.prose(t("write.stopped", error=describe(e)))
        return 1
    seconds = time.perf_counter() - begun
    flow.end()
    out.line()
    n = len(model.written)
    out.line(t("write.speed", tokens=n, speed=t.number(n / seconds, 0), rows=model.rows))
    if returned != model.written:
        out.prose(t("write.differs"))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(ended(main))
