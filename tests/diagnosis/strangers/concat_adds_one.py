# ruff: noqa
# loses: concat_and_project
# in attention.py
def concat_and_project(y, c_proj):
    return c_proj(merge_heads(y)) + c_proj.bias
