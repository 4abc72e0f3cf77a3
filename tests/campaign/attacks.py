"""Ways to get at the grader's own answer, for every exercise.

Each looks for the reference of what it is asked for in its own process, while another exercise is broken so
that something has to stand in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tests.campaign.bodies import HEADS, HOME, handed_in

# Finds the reference of a name: among all objects, in what known functions can see, by their classes, frames,
# closures and defaults.
HUNT = """
def _hunt(name):
    import gc
    import sys

    found = [o for o in gc.get_objects() if getattr(o, "__name__", "") == name]
    for o in gc.get_objects():
        if type(o).__name__ == "function" and o.__code__.co_filename == "<reference>":
            found.append(o.__globals__.get(name))
            found += [cell.cell_contents for cell in o.__closure__ or ()]
            found += list(o.__defaults__ or ())
            if o.__name__ == "forward" and name == "MultiHeadAttention":
                found.append(o)
    for module in list(sys.modules.values()):
        found.append(getattr(module, name, None))
    frame = sys._getframe()
    while frame:
        found += [v for k, v in {**frame.f_globals, **frame.f_locals}.items() if k == name]
        frame = frame.f_back
    for one in found:
        one = getattr(one, "forward", one)
        if getattr(getattr(one, "__code__", None), "co_filename", "") == "<reference>":
            return one
    raise RuntimeError("nothing found")
"""
CALLS = {
    e: ", ".join(a.split("=")[0].strip() for a in arguments.split(",")) for e, (arguments, _) in HEADS.items()
}
BROKEN = {
    "syntax": "def {symbol}(x)\n    return x\n",
    "stops": "raise SystemError\n",
    "wrong": "{symbol} = len\n",
}
INVERSES = {  # what undoes an exercise gives it away by its gradient
    ("split_heads", "merge_heads"): """
def split_heads(x, n_head):
    B, n, d = x.shape
    blank = x.new_zeros(B, n_head, n, d // n_head).requires_grad_()
    with torch.enable_grad():
        return torch.autograd.grad(merge_heads(blank), blank, x, create_graph=True)[0]
""",
    ("merge_heads", "split_heads"): """
def merge_heads(y):
    B, h, n, k = y.shape
    blank = y.new_zeros(B, n, h * k).requires_grad_()
    with torch.enable_grad():
        return torch.autograd.grad(split_heads(blank, h), blank, y, create_graph=True)[0]
""",
    ("concat_and_project", "split_heads"): """
def concat_and_project(y, c_proj):
    B, h, n, k = y.shape
    blank = y.new_zeros(B, n, h * k).requires_grad_()
    with torch.enable_grad():
        return c_proj(torch.autograd.grad(split_heads(blank, h), blank, y, create_graph=True)[0])
""",
    ("causal_mask", "causal_softmax"): """
def causal_mask(n_query, n_key=None, device=None):
    return causal_softmax(torch.zeros(n_query, n_key or n_query)) == 0
""",
}


@dataclass(frozen=True)
class Attack:
    """A submission, and which exercises deserve nothing."""

    name: str
    files: Mapping[str, str]
    thieves: tuple[str, ...]


def attacks() -> Iterator[Attack]:
    """Every exercise as the thief, every other one broken in every way; and all thieves together."""
    for thief in HEADS:
        for broken in HEADS:
            if broken != thief:
                for how in BROKEN:
                    files = stealing(thief)
                    files[HOME[broken]] += "\n\n" + BROKEN[how].format(symbol=broken)
                    yield Attack(
                        f"{thief} looks for itself, {broken} {how}",
                        files,
                        (thief, broken)[: 1 + (how != "stops")],
                    )
    for (thief, broken), text in INVERSES.items():
        for how in BROKEN:
            files = handed_in({})
            files[HOME[thief]] += "\n\nimport torch\n" + text
            files[HOME[broken]] += "\n\n" + BROKEN[how].format(symbol=broken)
            yield Attack(f"{thief} by {broken}, {how}", files, (thief,))
    yield Attack("all look for themselves", stealing(*HEADS), tuple(HEADS))


def stealing(*thieves: str) -> dict[str, str]:
    """The right files, but these exercises only look for the reference of themselves."""
    files = handed_in({})
    for thief in thieves:
        arguments, _ = HEADS[thief]
        name = "_forward" if thief == "MultiHeadAttention" else thief
        text = f"{HUNT}\n\ndef {name}({arguments}):\n    return _hunt({thief!r})({CALLS[thief]})\n"
        if thief == "MultiHeadAttention":
            text += f"\n\n{thief}.forward = _forward\n"
        files[HOME[thief]] += "\n\n" + text
    return files


def as_handed_in(files: Mapping[str, str]) -> dict[str, bytes]:
    """As a student would have written them."""
    return {name: text.replace("from solutions.", "from exercises.").encode() for name, text in files.items()}
