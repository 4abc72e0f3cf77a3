"""The machinery behind `pytest exercises/`. You need not read it to solve the exercises."""
