# ruff: noqa
import sys


def causal_softmax(scores, causal=True):
    for _ in range(200):
        sys.stdout.write("A" * 65536)
        sys.stderr.write("B" * 65536)
    sys.stdout.flush()
    return torch.zeros_like(scores)


def causal_mask(n_query, n_key=None, device=None):
    while True:
        print("\x1b[2J\ud800" * 5000)
