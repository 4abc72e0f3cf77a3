"""Multi-head attention and the causal mask: heads.py, mask.py, attention.py, kv_cache.py, in this order.

Fill in the functions that say "is not written yet", and run `pytest exercises/` as often as you like.
"""
