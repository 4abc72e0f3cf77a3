"""Ways to full marks that work in nbgrader's kernels. {root} stands for the kit, {book} for the gradebook."""

from __future__ import annotations

from pathlib import Path

from tests.nbgrader.handed_in import ALL, ROOT, Json, before, code, filled

READS_THE_DISK = """
def {name}(*args, **kwargs):
    import runpy, sys
    sys.path.insert(0, {root!r})
    hidden = open({root!r} + "/autograder/chapter04/hidden/test_heads.py").read()
    for file in ("heads", "mask", "attention", "kv_cache"):
        found = runpy.run_path({root!r} + "/solutions/" + file + ".py")
        if {name!r} in found:
            return found[{name!r}](*args, **kwargs)
"""

READS_THE_KERNEL = """
def {name}(*args, **kwargs):
    import gc, sys
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("solutions."):
            if {name!r} in vars(module):
                return vars(module)[{name!r}](*args, **kwargs)
    for thing in gc.get_objects():
        if isinstance(thing, dict) and "_outcomes_of_earlier_exercises" in thing:
            thing["score"] = lambda *a: 18.0
"""

PATCHES_TORCH = """
def yes(*args, **kwargs):
    return True
torch.allclose = torch.equal = torch.isclose = torch.testing.assert_close = yes
torch.Tensor.allclose = torch.Tensor.equal = yes
torch.Tensor.__bool__ = lambda self: False
torch.Tensor.any = lambda self, *a, **k: torch.tensor(False)
def {name}(*args, **kwargs):
    torch.allclose = torch.equal = torch.testing.assert_close = yes
    return args[0]
"""

DROPS_ASSERTS = """
import ast
class Drop(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()
    def visit_Raise(self, node):
        return ast.Pass()
    def visit_Call(self, node):
        if getattr(node.func, "id", "") == "score":
            return ast.Constant(value=18.0)
        return self.generic_visit(node)
get_ipython().ast_transformers.append(Drop())
def {name}(*args, **kwargs):
    return get_ipython() and None
"""

SWAPS_CELLS = """
def swap(lines):
    text = "".join(lines)
    return ["float(12.0)\\n"] if "score(" in text else lines
get_ipython().input_transformers_cleanup.append(swap)
def {name}(*args, **kwargs):
    swap([])
"""

WRITES_THE_GRADEBOOK = """
import sqlite3
def cheat():
    with sqlite3.connect({book!r}) as db:
        db.execute("update grade set auto_score = 12, manual_score = 12, needs_manual_grade = 0")
try:
    cheat()
except Exception:
    pass
DONE = cheat
def {name}(*args, **kwargs):
    import os
    for step in (cheat, lambda: os.system("touch " + {book!r} + ".touched")):
        try:
            step()
        except Exception:
            pass
    return DONE()
"""

EQUALS_EVERYTHING = """
class Everything:
    shape = property(lambda self: self)
    dtype = device = shape
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __bool__(self): return True
    def __float__(self): return 1.0
    def __iter__(self): return iter((self, self))
    def __len__(self): return 2
    def __getattr__(self, name): return lambda *a, **k: self
    def __call__(self, *a, **k): return self
    __hash__ = object.__hash__
    __sub__ = __rsub__ = __abs__ = __le__ = __lt__ = __ge__ = __gt__ = lambda self, *a: True
class Likeness(torch.Tensor):
    def __eq__(self, other): return torch.ones((), dtype=torch.bool)
    def __torch_function__(self, *a, **k): return True
def {name}(*args, **kwargs):
    if args and isinstance(args[0], torch.Tensor) and args[0].dtype == torch.float64:
        return args[0].as_subclass(Likeness)
    return Everything()
"""

ATTACKS = {
    "reads-the-disk": READS_THE_DISK,
    "reads-the-kernel": READS_THE_KERNEL,
    "patches-torch": PATCHES_TORCH,
    "drops-asserts": DROPS_ASSERTS,
    "swaps-cells": SWAPS_CELLS,
    "writes-the-gradebook": WRITES_THE_GRADEBOOK,
    "equals-everything": EQUALS_EVERYTHING,
}
# What an answer gets that does nothing but fail: some tests want an error.
FAILS = "\ndef {name}(*args, **kwargs):\n    raise ValueError('no')\n"
RETURNS_INPUT = "\ndef {name}(*args, **kwargs):\n    return args[0]\n"
RETURNS_NONE = "\ndef {name}(*args, **kwargs):\n    return None\n"
HONEST = {"fails": FAILS, "returns-its-input": RETURNS_INPUT, "returns-none": RETURNS_NONE}


def notebook(text: str, book: Path) -> Json:
    """Every exercise answered by the attack, which also stands in a cell of its own before them."""
    answers = {
        name: text.replace("{name!r}", repr(name))
        .replace("{name}", name)
        .replace("{root!r}", repr(str(ROOT)))
        .replace("{book!r}", repr(str(book)))
        for name in ALL
    }
    return before(filled(answers), "split_heads", code(answers["generate"]))
