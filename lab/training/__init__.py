"""What `lab/train_mini_gpt2.py` is made of: the text, the optimizer, the progress."""
