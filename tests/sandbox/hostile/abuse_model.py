# ruff: noqa
import os
import sys


def generate(model, ids, max_new_tokens, use_cache=True):
    for question in ((10**6, ()), (-1, (1, 2)), ("x", (1, 2, 3))):
        model._number = question[0]
        model._worker.ask(question[0], question[1])
