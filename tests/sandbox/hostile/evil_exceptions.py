# ruff: noqa
class Loud(Exception):
    def __str__(self):
        raise KeyboardInterrupt


class Meta(type):
    __name__ = property(lambda self: 1 / 0)


def causal_mask(n_query, n_key=None, device=None):
    raise Loud


def causal_softmax(scores, causal=True):
    raise ValueError("\ud800\x1b[2J\x00" + "y" * 10**7)


def split_heads(x, n_head):
    raise type("X" * 10**5, (BaseException,), {})("named at length")


def merge_heads(y):
    raise NotImplementedError("split_heads")
