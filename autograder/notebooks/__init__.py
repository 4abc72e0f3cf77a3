"""The nbgrader bridge: built from the exercises, read without being run, graded in the sandbox."""

from autograder.notebooks.reading import Notebook, read_notebook

__all__ = ["Notebook", "read_notebook"]
