"""Makes exercises/numbers.json: attention by plain Python loops in double precision.

Run from the repo's root: python -m tests.exercises.make_numbers
"""

from __future__ import annotations

import json
import math
from pathlib import Path

from exercises.selfcheck.inputs import wave

FILE = Path(__file__).resolve().parents[2] / "exercises" / "numbers.json"
Matrix = list[list[float]]


def attention(
    x: Matrix, w: Matrix, b: list[float], w_out: Matrix, b_out: list[float], h: int, causal: bool
) -> Matrix:
    """One sentence, (n, d) -> (n, d); w (3d, d) and w_out (d, d) as nn.Linear has them."""
    n, d = len(x), len(x[0])
    d_k = d // h
    qkv = [[sum(w[o][i] * token[i] for i in range(d)) + b[o] for o in range(3 * d)] for token in x]
    out = []
    for t in range(n):
        joined: list[float] = []
        for head in range(h):
            lo = head * d_k
            keys = range(t + 1 if causal else n)
            dots = [sum(qkv[t][lo + i] * qkv[s][d + lo + i] for i in range(d_k)) for s in keys]
            scores = [dot / math.sqrt(d_k) for dot in dots]
            exps = [math.exp(s) for s in scores]
            joined += [sum(e * qkv[s][2 * d + lo + i] for s, e in zip(keys, exps, strict=True)) / sum(exps)
                       for i in range(d_k)]  # fmt: skip
        out.append([sum(w_out[o][i] * joined[i] for i in range(d)) + b_out[o] for o in range(d)])
    return out


def make() -> dict[str, list[Matrix]]:
    """The weights of support.weights.waves for d_model = 6, three heads, on two sentences of four tokens."""
    d = 6
    w, b = wave(3 * d, d, start=1, size=0.6).tolist(), wave(3 * d, start=251, size=0.4).tolist()
    w_out, b_out = wave(d, d, start=500, size=0.6).tolist(), wave(d, start=750, size=0.4).tolist()
    x = wave(2, 4, d, start=900).tolist()
    return {
        f"attention, {name}": [
            [[round(v, 9) for v in row] for row in attention(sentence, w, b, w_out, b_out, 3, causal)]
            for sentence in x
        ]
        for name, causal in (("causal", True), ("not causal", False))
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(make(), indent=1) + "\n", encoding="utf-8")
