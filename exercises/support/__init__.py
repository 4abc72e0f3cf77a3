"""What only these tests need: weights that a person can follow, a toy model, GPT-2."""
