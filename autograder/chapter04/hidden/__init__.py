"""The hidden tests: ordinary pytest files over the fixture `student`, and what they are written with."""
