"""Lines that a person pastes before a public example, to have what is not among its inputs: layers, a model."""

from __future__ import annotations

from autograder.chapter04.diagnosis import public

NUMBERS = """\
def numbers(name, *shape):
    generator = torch.Generator().manual_seed(sum(name.encode()))
    return (torch.randn(*shape, generator=generator) * 10).round() / 10
"""
LINEAR = f"""\
{NUMBERS}c_proj = torch.nn.Linear(6, 6)
c_proj.weight.data, c_proj.bias.data = numbers("c_proj", 6, 6), numbers("c_proj.bias", 6) / 2
"""
ATTENTION = f"""\
{NUMBERS}attention = MultiHeadAttention(HOW)
attention.load_state_dict({{
    "c_attn.weight": numbers("c_attn", 18, 6), "c_attn.bias": numbers("c_attn.bias", 18) / 2,
    "c_proj.weight": numbers("c_proj", 6, 6), "c_proj.bias": numbers("c_proj.bias", 6) / 2,
}}, strict=False)
"""
MODEL = """\
class Model:  # counts on, and prints what goes in
    n_positions = 64
    def __call__(self, ids, cache=None, start=0):
        past = cache[0][0].shape[2] if cache else 0
        print(f"ids = {ids.tolist()}, start = {start}, cache: {past} tokens")
        kept = torch.zeros(ids.shape[0], 1, past + ids.shape[1], 1)
        return torch.nn.functional.one_hot((ids + 1) % 23, 23).float(), [(kept, kept)]

model = Model()
"""


def weight(name: str, shape: tuple[int, ...]) -> str:
    """Lines that make a weight for every number of a result of that shape."""
    return f"{name}.requires_grad_()\nweight = (torch.arange({name}.numel()) % 5 + 1.0).view{shape}\n"


def attention(heads: int = public.HEADS, more: str = "") -> str:
    """Lines that make the public module."""
    return ATTENTION.replace("HOW", f"{public.D}, {heads}{more}")
