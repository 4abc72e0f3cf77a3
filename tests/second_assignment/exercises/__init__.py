"""Layer norm and GELU: norm.py, feed_forward.py, in this order."""
