# ruff: noqa
import sys

for name in (
    "transformers",
    "huggingface_hub",
    "tokenizers",
    "lab.gpt2",
    "solutions.heads",
    "autograder.grading.judge",
    "nbgrader",
):
    try:
        __import__(name)
        real = sys.modules[name].__spec__.origin != "stand-in"  # one that has nothing to give
        print("CHEAT" if real else "no", name)
    except ImportError as e:
        print("no", e)
import sys

sys.path += ["@SITE@", "@REPO@"]
sys.meta_path = [f for f in sys.meta_path if f.__class__.__name__ != "Gate"]
from importlib.machinery import PathFinder

sys.meta_path.append(PathFinder)
for name in ("transformers", "lab", "solutions", "autograder"):
    try:
        module = __import__(name)
        if getattr(module, "__file__", None):
            print("CHEAT", name, module.__file__)
        __import__(name + ".gpt2")
        if sys.modules[name + ".gpt2"].__spec__.origin != "stand-in":
            print("CHEAT", name)
    except Exception as e:
        print("no", type(e).__name__)
