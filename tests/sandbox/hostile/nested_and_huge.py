# ruff: noqa
import os
import struct
import sys


def raw(text):
    f = sys._getframe()
    while not hasattr(f.f_locals.get("self"), "nonce"):
        f = f.f_back
    h = text.replace(b"NONCE", f.f_locals["self"].nonce.encode())
    view = memoryview(struct.pack("<4sIQ", b"AGK1", len(h), 0) + h)
    while view:
        view = view[os.write(3, view) :]
    os._exit(0)


CASES = [
    b'{"n":"NONCE","ok":true,"v":' + b"[" * 100000 + b"]" * 100000 + b"}",
    b'{"n":"NONCE","ok":true,"v":1' + b"0" * 200000 + b"}",
    b'{"n":"NONCE","ok":true,"v":NaN,"n":"NONCE"}',
    b'{"n":"NONCE","ok":true,"v":1e999}',
    b'{"n":"NONCE","ok":true,"v":{"$h":1}}',
    b'{"n":"NONCE","ok":true,"v":{"$m":["F32",[-1]]}}',
    b'{"n":"NONCE","ok":true,"v":[' + b"[]," * 60000 + b"[]]}",
    b'{"n":"NONCE","ok":true}',
    b'{"n":"NONCE","ok":false,"fault":"raised","kind":7,"text":"x"}',
    b'{"n":"NONCE","ok":false,"fault":"grader","kind":"x","text":"x"}',
    b'{"n":"NONCE","ask":0,"v":{"$u":[null,null,null]}}',
    b'{"n":"NONCE","ok":1,"v":null}',
    b'{"n":["NONCE"],"ok":true,"v":null}',
    b"[]",
    b"\xff\xfe",
    b"",
    b'{"n":"NONCE","ok":true,"v":{"$f":"0x1p99999999999"}}',
    b'{"n":"NONCE","ok":true,"v":{"$d":[[{"a":1},2]]}}',
    b'{"n":"NONCE","ok":true,"v":{"$s":1}}',
    b'{"n":"NONCE","ok":true,"v":{"$j":[0,1]}}',
    b'{"n":"NONCE","ok":true,"v":{"$l":[null,null]}}',
    b'{"n":"NONCE","ok":true,"v":{"$m":["F64",[0,1099511627776,1099511627776]]}}',
    b'{"n":"NONCE","ok":true,"v":{"$m":["F64",[1099511627776,1099511627776]]}}',
]


def causal_mask(n_query, n_key=None, device=None):
    raw(CASES[n_query % len(CASES)])


def causal_softmax(scores, causal=True):
    h = b"x" * 10
    os.write(3, struct.pack("<4sIQ", b"AGK1", 1 << 31, 1 << 62) + h)
    os._exit(0)
