# c_proj's weight is used turned round.
# ruff: noqa
# loses: concat_and_project
# in attention.py
def concat_and_project(y, c_proj):
    return merge_heads(y) @ c_proj.weight + c_proj.bias
