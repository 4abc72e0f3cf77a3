"""The nbgrader bridge: built from the exercises, read without being run, graded in the sandbox."""

import sys

from autograder.notebooks.reading import Notebook, mended, read_notebook

# jsonschema, which nbformat imports, spends a second and a half on a grammar for IRIs where that package is
# installed. No notebook's schema asks for it.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

__all__ = ["Notebook", "mended", "read_notebook"]
