"""Runs the sections one after the other; one that cannot run does not stop the rest."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from lab import cache_gain, cache_text, leakage, mask_picture, portrait, portrait_text
from lab.console import Console
from lab.language import Texts
from lab.models import ModelNotFound
from lab.setting import Setting, load_setting, one_thread
from lab.source import FILES, Source, describe, load_source

# What has to be written before a section can run with the student's own code.
ATTENTION = (
    "split_heads",
    "merge_heads",
    "causal_mask",
    "causal_softmax",
    "concat_and_project",
    "MultiHeadAttention",
)
NEEDS = {
    1: ATTENTION,
    2: ATTENTION,
    3: ATTENTION,
    4: ATTENTION,
    5: (*ATTENTION, "attend_with_cache", "generate"),
}


class Wrong(Exception):
    """The command cannot be carried out; the text says why, in the reader's language."""


def run(args: argparse.Namespace, out: Console, t: Texts) -> dict[str, Any]:
    """Prints the sections and returns their numbers. Raises Wrong."""
    sections = sorted(set(args.sections)) or [1, 2, 3, 4, 5]
    if not set(sections) <= {1, 2, 3, 4, 5}:
        raise Wrong(t("wrong.sections", sections=" ".join(map(str, args.sections))))
    if args.tokens < 1:
        raise Wrong(t("wrong.tokens"))
    try:
        source = load_source(args.attention)
    except ModuleNotFoundError as e:
        raise Wrong(t("wrong.source", source=args.attention, reason=e)) from None
    out.line(t("head.title"))
    setting = model_of(args.model, source, out, t) if source.attention else None
    if setting:
        _introduce(setting, out, t)
    tell_missing(source, out, t)
    layers = _layers(args.layer, setting.model.config.n_layer if setting else 1, t)
    data: dict[str, Any] = {
        "lang": args.lang, "source": source.name, "missing": source.missing, "failed": [], "sections": {},
    }  # fmt: skip
    if setting:
        data |= {
            "model": setting.name, "mini": setting.is_mini, "parameters": setting.parameters,
            "n_layer": setting.model.config.n_layer, "n_head": setting.model.config.n_head,
        }  # fmt: skip
    for number in sections:
        out.title(number, t(f"section.{number}"))
        out.line()
        # A function the student solved in another way is not missed: what counts is whether the whole works.
        whole: tuple[str, ...] = ("MultiHeadAttention",)
        if number == 5:
            whole += ("attend_with_cache", "generate")
        if setting is None or any(symbol in source.missing for symbol in whole):
            needs = [symbol for symbol in NEEDS[number] if symbol in source.missing]
            whole = tuple(symbol for symbol in whole if symbol in source.missing)
            out.prose(
                t("section.needs", symbols=", ".join(whole), first=needs[0], file=FILES[needs[0]] + ".py")
            )
            data["failed"].append(number)
            continue
        try:
            with one_thread() if setting.parameters < cache_gain.SMALL else nullcontext():
                data["sections"][str(number)] = _SECTIONS[number](setting, layers, args.tokens, out, t)
        except Exception as e:  # the student's code can raise anything, and the other sections go on
            if source.name != "exercises":
                raise
            out.prose(t("section.raised", error=describe(e)))
            data["failed"].append(number)
    out.line()
    return data


def model_of(name: str, source: Source, out: Console, t: Texts) -> Setting:
    """The model around the source's attention; mini, said loudly, where the hub is out of reach.

    Raises Wrong.
    """
    try:
        return load_setting(name, source)
    except ModelNotFound as e:
        if e.id != "model.unreachable":
            raise Wrong(t(e.id, **e.params)) from None
        out.line()
        out.prose(t(e.id, **e.params))
        out.prose(t("model.instead"))
        out.line()
        return load_setting("mini", source)
    except (ValueError, OSError) as e:
        raise Wrong(t("model.unfit", name=name, reason=e)) from None


def tell_missing(source: Source, out: Console, t: Texts) -> None:
    """Names what the student has not written, and what does not work."""
    unwritten = [symbol for symbol, why in source.missing.items() if not why]
    if unwritten:
        out.line(t("head.missing"))
        for symbol in unwritten:
            out.line(f"  {symbol}  ({FILES[symbol]}.py)")
    broken = [(symbol, why) for symbol, why in source.missing.items() if why]
    if broken:
        out.line(t("head.broken"))
        for reason in dict.fromkeys(why for _, why in broken):  # one syntax error takes many symbols
            symbols = ", ".join(symbol for symbol, why in broken if why == reason)
            out.prose(f"{symbols}: {reason}", indent="  ")


def files_of(symbols: list[str]) -> str:
    return ", ".join(dict.fromkeys(f"{FILES[symbol]}.py" for symbol in symbols))


def _introduce(setting: Setting, out: Console, t: Texts) -> None:
    config = setting.model.config
    millions = t.number(setting.parameters / 1e6, 1 if setting.parameters < 1e7 else 0)
    out.prose(
        t("head.model", model=setting.name, parameters=millions, layers=config.n_layer, heads=config.n_head)
    )
    out.prose(t(f"head.source.{setting.source.name}"))
    if setting.borrowed_tokenizer:
        out.prose(t("head.borrowed"))


def _layers(text: str, n_layer: int, t: Texts) -> list[int]:
    if text == "all":
        return list(range(n_layer))
    if not text.isdigit() or int(text) >= n_layer:
        raise Wrong(t("wrong.layer", layer=text, last=n_layer - 1))
    return [int(text)]


def _mask(setting: Setting, layers: list[int], tokens: int, out: Console, t: Texts) -> dict[str, Any]:
    data = mask_picture.measure_mask(setting.source)
    mask_picture.show_mask(data, out, t)
    return data


def _modes(setting: Setting, layers: list[int], tokens: int, out: Console, t: Texts) -> dict[str, Any]:
    data = mask_picture.measure_modes(setting, layers[0])
    mask_picture.show_modes(data, out, t)
    return data


def _leak(setting: Setting, layers: list[int], tokens: int, out: Console, t: Texts) -> dict[str, Any]:
    data = leakage.measure(setting)
    leakage.show(data, out, t)
    return data


def _portrait(setting: Setting, layers: list[int], tokens: int, out: Console, t: Texts) -> dict[str, Any]:
    data = portrait.measure(setting, layers)
    portrait_text.show(data, out, t)
    return data


def _cache(setting: Setting, layers: list[int], tokens: int, out: Console, t: Texts) -> dict[str, Any]:
    data = cache_gain.measure(setting, tokens)
    cache_text.show(data, out, t)
    return data


_SECTIONS: dict[int, Callable[[Setting, list[int], int, Console, Texts], dict[str, Any]]] = {
    1: _mask, 2: _modes, 3: _leak, 4: _portrait, 5: _cache,
}  # fmt: skip
