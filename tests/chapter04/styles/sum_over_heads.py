# W^O cut into one piece per head, and the pieces' results added up.
# ruff: noqa
# in attention.py
def concat_and_project(y, c_proj):
    B, h, n, d_k = y.shape
    pieces = c_proj.weight.view(-1, h, d_k)
    return sum(y[:, i] @ pieces[:, i].t() for i in range(h)) + c_proj.bias
