"""GPT-2 in one short file. Its attention is a parameter: bring your own.

    model = GPT2.from_pretrained("mini", attention=MultiHeadAttention, attend_with_cache=attend_with_cache)
    logits = model.logits(ids)                               # through attention.forward
    logits, cache = model(ids, cache=None, start=0)          # through attend_with_cache

There is no attention code in this file. B batch, n or m tokens, d = n_embd, V = vocab_size.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn import functional as F

KV = tuple[Tensor, Tensor]
Cache = list[KV]  # one (K, V) per layer, each (B, n_head, tokens so far, d_k)
AttentionFactory = Callable[[int, int, bool], nn.Module]  # called with d_model, n_head, causal
AttendWithCache = Callable[[Any, Tensor, KV | None], tuple[Tensor, KV]]

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
    "gelu_pytorch_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "gelu": F.gelu,
    "relu": F.relu,
    "silu": F.silu,
    "swish": F.silu,
    "tanh": torch.tanh,
}


@dataclass(frozen=True)
class Config:
    """The part of Hugging Face's config.json that GPT-2's numbers depend on."""

    vocab_size: int = 50257
    n_positions: int = 1024
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    n_inner: int | None = None
    activation_function: str = "gelu_new"
    layer_norm_epsilon: float = 1e-5
    tie_word_embeddings: bool = True
    scale_attn_weights: bool = True
    scale_attn_by_inverse_layer_idx: bool = False

    @property
    def n_ctx(self) -> int:
        """An old name of n_positions."""
        return self.n_positions

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Takes what it knows out of a config.json. Raises ValueError where that is not a GPT-2."""
        if data.get("model_type", "gpt2") != "gpt2" or data.get("add_cross_attention"):
            raise ValueError(f"only plain GPT-2 can be loaded here; this is {data.get('model_type')!r}")
        config = cls(**{k: data[k] for k in cls.__dataclass_fields__ if k in data})
        if config.activation_function not in ACTIVATIONS:
            known = ", ".join(ACTIVATIONS)
            raise ValueError(f"activation_function is {config.activation_function!r}, must be one of {known}")
        return config


class MLP(nn.Module):
    def __init__(self, config: Config) -> None:
        super().__init__()
        inner = config.n_inner or 4 * config.n_embd
        self.c_fc = nn.Linear(config.n_embd, inner)
        self.c_proj = nn.Linear(inner, config.n_embd)
        self.act = ACTIVATIONS[config.activation_function]

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.c_proj(self.act(self.c_fc(x)))  # (B, n, d) -> (B, n, 4 d) -> (B, n, d)
        return y


class Block(nn.Module):
    def __init__(self, config: Config, attention: AttentionFactory, causal: bool) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        self.attn: Any = attention(config.n_embd, config.n_head, causal)
        self.ln_2 = nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        self.mlp = MLP(config)


class GPT2(nn.Module):
    """GPT-2 around any attention. `attend_with_cache=None`: only `logits` and `hidden` work."""

    def __init__(
        self,
        config: Config,
        attention: AttentionFactory,
        attend_with_cache: AttendWithCache | None = None,
        causal: bool = True,
    ) -> None:
        super().__init__()
        self.config = config
        self.n_positions = config.n_positions  # the longest sequence it can see
        self.attend_with_cache = attend_with_cache
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.wpe = nn.Embedding(config.n_positions, config.n_embd)
        self.h = nn.ModuleList(Block(config, attention, causal) for _ in range(config.n_layer))
        self.ln_f = nn.LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        if config.tie_word_embeddings:
            self.lm_head.weight = self.wte.weight

    @property
    def n_ctx(self) -> int:
        """An old name of n_positions."""
        return self.n_positions

    @property
    def device(self) -> torch.device:
        """Where the weights lie, and the ids must."""
        return self.wte.weight.device

    @property
    def dtype(self) -> torch.dtype:
        """Of the weights and the logits."""
        return self.wte.weight.dtype

    def blocks(self) -> list[Block]:
        """The layers, first to last."""
        return [block for block in self.h if isinstance(block, Block)]

    def embed(self, ids: Tensor, start: int = 0) -> Tensor:
        """Tokens plus positions. ids: (B, m) -> (B, m, d). Raises ValueError past n_positions."""
        start = int(start)  # also of a tensor or an array with one number
        end = start + ids.shape[1]
        if end > self.n_positions:
            raise ValueError(f"{end} tokens are more than the model's {self.n_positions} positions")
        x: Tensor = self.wte(ids) + self.wpe.weight[start:end]  # (B, m, d) + (m, d)
        return x

    def hidden(self, x: Tensor) -> Tensor:
        """Embeddings -> what the head reads, through attention.forward: (B, n, d) -> (B, n, d)."""
        for block in self.blocks():
            x = x + block.attn(block.ln_1(x))
            x = x + block.mlp(block.ln_2(x))
        y: Tensor = self.ln_f(x)
        return y

    def logits(self, ids: Tensor) -> Tensor:
        """All logits without a cache, through attention.forward: (B, n) -> (B, n, V)."""
        logits: Tensor = self.lm_head(self.hidden(self.embed(ids)))  # (B, n, d) -> (B, n, V)
        return logits

    def forward(self, ids: Tensor, cache: Cache | None = None, start: int = 0) -> tuple[Tensor, Cache]:
        """The m new tokens, the first of them at position `start`; everything older is in the cache.

        ids: (B, m) -> logits (B, m, V) and the new cache.
        """
        if self.attend_with_cache is None:
            raise ValueError("this GPT2 was built without attend_with_cache: call model.logits(ids) instead")
        x = self.embed(ids, start)  # (B, m) -> (B, m, d)
        new_cache: Cache = []
        for i, block in enumerate(self.blocks()):
            y, kv = self.attend_with_cache(block.attn, block.ln_1(x), cache[i] if cache else None)
            new_cache.append(kv)
            x = x + y
            x = x + block.mlp(block.ln_2(x))
        return self.lm_head(self.ln_f(x)), new_cache  # (B, m, d) -> (B, m, V)

    @classmethod
    def from_pretrained(
        cls,
        name: str | Path = "mini",
        attention: AttentionFactory | None = None,
        attend_with_cache: AttendWithCache | None = None,
        causal: bool = True,
        dtype: torch.dtype = torch.float32,
    ) -> Self:
        """Any Hugging Face GPT-2: "mini" (ships with the kit), a folder, or a name on the hub.

        With attention=None the solution's attention and cache are used, where they are at hand.
        Raises lab.models.ModelNotFound, ValueError (not a GPT-2, or weights that do not fit).
        """
        from lab.models import find_model

        if attention is None:
            attention, attend_with_cache = _solution()
        folder = find_model(name)
        config = Config.from_dict(json.loads((folder / "config.json").read_text(encoding="utf-8")))
        model = cls(config, attention, attend_with_cache, causal)
        model.load(read_weights(folder))
        return model.to(dtype).eval()

    @torch.no_grad()
    def load(self, weights: Mapping[str, Tensor]) -> None:
        """Takes over weights under Hugging Face's names. Raises ValueError where they do not fit."""
        mine = {}
        for name, w in weights.items():
            name = name.removeprefix("transformer.")
            if name.endswith((".attn.bias", ".attn.masked_bias")) or (
                name == "lm_head.weight" and self.config.tie_word_embeddings
            ):
                continue  # old checkpoints hold the mask as a buffer; a tied head is wte itself
            if name.endswith(("c_attn.weight", "c_proj.weight", "c_fc.weight")):
                w = w.T  # (in, out) -> nn.Linear's (out, in); the square c_proj would fit untransposed!
            mine[name] = w
        for i in range(self.config.n_layer):
            factor = self._unusual_scale(i)
            if factor != 1:  # scores are linear in Q: the rest of the scale goes into Q's rows of c_attn
                for name in (f"h.{i}.attn.c_attn.weight", f"h.{i}.attn.c_attn.bias"):
                    d = self.config.n_embd
                    mine[name] = torch.cat([mine[name][:d] * factor, mine[name][d:]])
        if self.config.tie_word_embeddings and "wte.weight" in mine:
            mine["lm_head.weight"] = mine["wte.weight"]
        own = self.state_dict()
        missing = sorted(k for k, _ in self.named_parameters() if k not in mine)
        strange = sorted(set(mine) - set(own))
        wrong = sorted(k for k in mine if k in own and own[k].shape != mine[k].shape)
        for what, names in (("missing", missing), ("no place for", strange), ("wrong shape", wrong)):
            if names:
                raise ValueError(f"the weights do not fit: {what} {', '.join(names[:4])}")
        for name, w in mine.items():
            own[name].copy_(w)

    def _unusual_scale(self, layer: int) -> float:
        """What GPT-2 variants multiply scores with besides the usual 1/sqrt(d_k)."""
        config = self.config
        factor = 1.0 if config.scale_attn_weights else math.sqrt(config.n_embd // config.n_head)
        return factor / (layer + 1) if config.scale_attn_by_inverse_layer_idx else factor


def read_weights(folder: Path) -> dict[str, Tensor]:
    """The tensors of a checkpoint folder, whole or in shards; nothing in it is ever executed."""
    from safetensors.torch import load_file

    for index in (folder / "model.safetensors.index.json", folder / "pytorch_model.bin.index.json"):
        if index.exists():
            files = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
            break
    else:
        files = [f for f in ("model.safetensors", "pytorch_model.bin") if (folder / f).exists()][:1]
    if not files:
        raise ValueError(f"{folder}: neither model.safetensors nor pytorch_model.bin is there")
    weights: dict[str, Tensor] = {}
    for file in files:
        path = folder / file
        if path.suffix == ".safetensors":
            weights |= load_file(path)
        else:
            weights |= torch.load(path, map_location="cpu", weights_only=True)
    return weights


def _solution() -> tuple[AttentionFactory, AttendWithCache]:
    try:
        from solutions.attention import MultiHeadAttention
        from solutions.kv_cache import attend_with_cache
    except ModuleNotFoundError:
        raise ValueError("no solutions/ here: give attention=..., your own MultiHeadAttention") from None
    return MultiHeadAttention, attend_with_cache
