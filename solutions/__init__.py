"""The exercises, solved: what a student may read after the deadline."""
