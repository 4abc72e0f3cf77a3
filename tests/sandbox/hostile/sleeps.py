# ruff: noqa
import time


def causal_softmax(scores, causal=True):
    time.sleep(10**6)
