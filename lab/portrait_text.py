"""Section 4 on the terminal: a table per layer, or all layers side by side."""

from __future__ import annotations

from typing import Any

from lab.console import Console, fit
from lab.language import Texts
from lab.portrait import RULES

COLUMNS = ("distance", "entropy", "on_first", "on_itself", "on_previous", "on_same")


def label_of(head: dict[str, Any], t: Texts) -> str:
    """The head's label in words."""
    return t(f"label.{head['label'] or 'none'}")


def evidence_of(head: dict[str, Any], t: Texts) -> str:
    """The numbers that the label rests on; empty for an unlabelled head."""
    if head["label"] is None:
        return ""
    rule = next(r for r in RULES if r.label == head["label"])
    values = [t.number(e) if rule.of_uniform else t.percent(e) for e in head["evidence"]]
    if len(values) == 1:
        return t("evidence.random", random=values[0])
    return t("evidence.both", sentence=values[0], random=values[1])


def cell(measure: str, value: float | None, flat: float | None, t: Texts) -> str:
    """The measure, and how many times uniform attention's it is."""
    if value is None or not flat:
        return "–"
    text = t.number(value, 1) if measure in ("distance", "entropy") else t.percent(value)
    return f"{text:>5} {'×' + t.number(value / flat, 1)}"


def show(data: dict[str, Any], out: Console, t: Texts) -> None:
    if data["mini"]:
        out.prose(t("portrait.mini"))
    out.prose(t("portrait.intro", model=data["model"], random=data["random_tokens"]))
    if len(data["layers"]) > 1:
        _side_by_side(data, out, t)
    else:
        out.prose(t("portrait.columns"))
    for layer in data["layers"] if len(data["layers"]) == 1 else ():
        for where in ("sentence", "random"):
            out.line()
            out.line(t(f"portrait.on_{where}", layer=layer["layer"]))
            out.line("    " + "".join(fit(t(f"measure.{c}"), 12) for c in COLUMNS))
            for head in layer["heads"]:
                flat = data["uniform"][where]
                cells = [fit(cell(c, head[where][c], flat[c], t), 12) for c in COLUMNS]
                out.line(f"{head['head']:>2}  " + "".join(cells))
        out.line()
        out.line(t("portrait.labels"))
        for head in layer["heads"]:
            out.line(f"{head['head']:>2}  {fit(label_of(head, t), 22)} {evidence_of(head, t)}")
    out.line()
    out.line(t("portrait.rules"))
    for rule in RULES:
        bound = t.number(rule.bound) if rule.of_uniform else t.percent(rule.bound)
        out.prose(f"{t('label.' + rule.label)}: {t('rule.' + rule.label, bound=bound)}", indent="  ")
    if data["layers"][0]["layer"] == 0:
        out.line()
        out.prose(t("portrait.sinks", **most_on_first(data["layers"][0], t)))


def most_on_first(layer: dict[str, Any], t: Texts) -> dict[str, str]:
    """The head that looks most at token 0: what the chapter calls a sink."""
    best = max(layer["heads"], key=lambda head: head["sentence"]["on_first"])
    return {
        "head": str(best["head"]),
        "share": t.percent(best["sentence"]["on_first"]),
    }


def _side_by_side(data: dict[str, Any], out: Console, t: Texts) -> None:
    """Heads down, layers across: label, then distance and entropy in parts of uniform attention's."""
    layers = data["layers"]
    heads = range(len(layers[0]["heads"]))
    width = max(5, min(8, 74 // len(layers)))
    for what in ("label", "distance", "entropy"):
        out.line()
        out.line(t(f"portrait.all_{what}"))
        out.line("    " + "".join(fit(f"L{layer['layer']}", width) for layer in layers))
        for i in heads:
            row = []
            for layer in layers:
                head = layer["heads"][i]
                if what == "label":
                    row.append(t(f"short.{head['label']}") if head["label"] else "·")
                else:
                    row.append(t.number(head["sentence"][what] / data["uniform"]["sentence"][what]))
            out.line(f"{i:>2}  " + "".join(fit(text, width) for text in row))
    out.line()
    short = [f"{t('short.' + rule.label)} = {t('label.' + rule.label)}" for rule in RULES]
    out.prose(t("portrait.short") + " " + ", ".join(short))
