"""Section 3: the proof of leakage. Change one token, see what moves."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from lab.console import Console, fit, shade
from lab.gpt2 import GPT2
from lab.language import Texts
from lab.setting import Setting, bidirectional

STEPS = (1e-30, 0.02, 0.08, 0.25)  # parts of a representation's length


@torch.no_grad()
def leak_map(model: GPT2, ids: Tensor, other: Tensor) -> tuple[Tensor, Tensor]:
    """How far position s moves when token t becomes other[t]; [t, s].

    ids: (1, n), other: (n,) -> relative movement (n, n) and the largest absolute movement (n, n).
    Every run has the same shape, so that "nothing moved" is exactly 0, not almost.
    """
    base = model.hidden(model.embed(ids))[0]  # (n, d)
    relative, largest = [], []
    for t in range(ids.shape[1]):
        changed = ids.clone()
        changed[0, t] = other[t]
        moved = model.hidden(model.embed(changed))[0] - base  # (n, d)
        relative.append(moved.norm(dim=-1) / base.norm(dim=-1))  # (n,)
        largest.append(moved.abs().amax(dim=-1))  # (n,)
    return torch.stack(relative), torch.stack(largest)


def gradient_map(model: GPT2, ids: Tensor) -> Tensor:
    """The largest gradient of position s's output by token t's embedding; [t, s], (n, n)."""
    with torch.no_grad():
        x = model.embed(ids)
    x.requires_grad_()
    output = model.hidden(x)[0]  # (n, d)
    # A plain sum over a layer norm's output has no gradient at all; a random mixture has.
    mixture = torch.randn(output.shape[1], generator=torch.Generator().manual_seed(0))
    rows = [
        torch.autograd.grad((output[s] * mixture).sum(), x, retain_graph=True)[0][0].abs().amax(-1)
        for s in range(output.shape[0])
    ]
    return torch.stack(rows, dim=1)  # [t, s]


def measure(setting: Setting) -> dict[str, Any]:
    """The chapter's experiment and the complete map, in both modes."""
    ids, n = setting.ids, setting.ids.shape[1]
    fill = setting.tokenizer.encode(" e").ids[0]
    instead = setting.tokenizer.encode(" a").ids[0]
    other = torch.tensor([instead if i == fill else fill for i in ids[0].tolist()])
    before = torch.ones(n, n).tril(-1).bool()  # pairs with s before t
    data: dict[str, Any] = {
        "tokens": setting.tokens,
        "instead": setting.show(int(other[-1])),
        "pairs": int(before.sum()),
    }
    for mode in ("causal", "bidirectional"):
        if mode == "causal":
            (relative, largest), gradient = (
                leak_map(setting.model, ids, other),
                gradient_map(setting.model, ids),
            )
        else:
            with bidirectional(setting.model):
                (relative, largest), gradient = (
                    leak_map(setting.model, ids, other),
                    gradient_map(setting.model, ids),
                )
        data[mode] = {
            "relative": relative.tolist(),
            "largest": largest.tolist(),
            "exact_zeros": int((largest[before] == 0).sum()),
            "gradient_zeros": int((gradient[before] == 0).sum()),
            "first_moved": relative[-1, 0].item(),  # the chapter's: change the last token, look at the first
        }
    return data


def show(data: dict[str, Any], out: Console, t: Texts) -> None:
    tokens, n, pairs = data["tokens"], len(data["tokens"]), data["pairs"]
    causal, both = data["causal"], data["bidirectional"]
    out.prose(t("leak.experiment", old=tokens[-1], new=data["instead"]))
    out.line()
    out.line("  " + fit(t("leak.moved"), 26) + fit("causal=True", 16) + "causal=False")
    for s in range(n):
        left, right = causal["relative"][-1][s], both["relative"][-1][s]
        zero = causal["largest"][-1][s] == 0
        cell = t("leak.zero") if zero else t.number(100 * left, 1) + " %"
        out.line(f"  {s:>3} {fit(tokens[s], 21)} " + fit(cell, 16) + t.number(100 * right, 1) + " %")
    out.line()
    out.prose(t("leak.map"))
    out.line()
    width = max(2 * n, 14)
    numbers = "".join(f"{j:<2}" for j in range(n))
    out.line(" " * 12 + fit("causal=True", width) + "   causal=False")
    out.line(" " * 12 + fit(numbers, width) + "   " + numbers)
    for i in range(n):
        row = []
        for part in (causal, both):
            cells = zip(part["relative"][i], part["largest"][i], strict=True)
            row.append("".join("· " if largest == 0 else shade(r, STEPS) for r, largest in cells))
        out.line(f"{i:>3} {fit(tokens[i], 7)} " + fit(row[0], width) + "   " + row[1])
    out.line()
    out.line(t("leak.legend", a=t.percent(STEPS[1]), b=t.percent(STEPS[2]), c=t.percent(STEPS[3])))
    out.line()
    for mode, part in (("causal=True ", causal), ("causal=False", both)):
        out.line("  " + t("leak.count", mode=mode, zeros=part["exact_zeros"], pairs=pairs))
    out.line()
    out.prose(t("leak.gradient", causal=causal["gradient_zeros"], both=both["gradient_zeros"], pairs=pairs))
