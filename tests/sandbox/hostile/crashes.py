# ruff: noqa
import ctypes
import sys


def causal_softmax(scores, causal=True):
    ctypes.string_at(0)


def causal_mask(n_query, n_key=None, device=None):
    sys.setrecursionlimit(10**9)

    def f():
        return f()

    return f()


def split_heads(x, n_head):
    ctypes.CDLL(None).abort()


def merge_heads(y):
    deep = []
    for _ in range(10**5):
        deep = [deep]
    return repr(deep)
