"""The nbgrader bridge: built from the exercises, graded in the sandbox."""

import sys

# jsonschema, which nbformat imports, spends a second and a half on a grammar for IRIs where that package is
# installed. No notebook's schema asks for it.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
