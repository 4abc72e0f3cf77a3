"""All figures as one self-contained page: no network, light and dark, readable on a phone."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from math import log10
from pathlib import Path
from typing import Any

from lab import figures
from lab.language import Texts
from lab.page_heads import paragraph, portrait

Data = dict[str, Any]
STYLE = Path(__file__).with_name("page.css")
SCRIPT = Path(__file__).with_name("page.js")


def page(data: Data, t: Texts) -> str:
    """The numbers of lab.run -> HTML."""
    body = [f"<h1>{escape(t('head.title'))}</h1>"]
    if "model" in data:
        millions = t.number(data["parameters"] / 1e6, 1 if data["parameters"] < 1e7 else 0)
        model = t(
            "head.model",
            model=data["model"],
            parameters=millions,
            layers=data["n_layer"],
            heads=data["n_head"],
        )
        body.append(paragraph(f"{model} {t('head.source.' + data['source'])}", "soft"))
    for number, draw in SECTIONS.items():
        if number in data["sections"]:
            body.append(f"<h2><span>{number}</span>{escape(t('section.' + number))}</h2>")
            body.append(draw(data["sections"][number], t))
        elif int(number) in data["failed"]:
            body.append(f"<h2><span>{number}</span>{escape(t('section.' + number))}</h2>")
            body.append(f'<p class="soft">{escape(t("page.failed"))}</p>')
    return (
        f'<!doctype html><html lang="{data["lang"]}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(t('head.title'))}</title><style>{STYLE.read_text(encoding='utf-8')}</style></head>"
        f"<body><main>{''.join(body)}</main><script>{SCRIPT.read_text(encoding='utf-8')}</script></body></html>\n"
    )


def figure(caption: str, drawing: str) -> str:
    """caption may hold <b>."""
    return f"<figure><figcaption>{caption}</figcaption>{drawing}</figure>"


def scale(t: Texts, steps: tuple[float, ...] = (0.03, 0.1, 0.25, 0.5, 1.0)) -> str:
    """What the shades mean, and red."""
    boxes = "".join(f'<i style="opacity:{figures.strength(s):g}"></i>{t.number(s)}' for s in steps)
    red = f'<i class="bad"></i>{escape(t("page.red"))}'
    words = f"{escape(t('page.weight'))} {boxes} · {escape(t('page.forbidden'))} · {red}"
    return f'<div class="scale">{words}</div>'


def _mask(data: Data, t: Texts) -> str:
    words, weights, future = data["words"], data["weights"], data["future"]
    allowed = figures.matrix(
        words,
        lambda i, j: None if future[i][j] else 0.85,
        lambda i, j: t("page.sees", query=words[i], key=words[j]),
        t("section.1"),
        cell=46,
    )
    measured = figures.matrix(
        words,
        lambda i, j: None if future[i][j] else figures.strength(weights[i][j]),
        lambda i, j: t("page.looks", query=words[i], key=words[j], weight=t.number(weights[i][j], 3)),
        t("page.mask_weights"),
        cell=46,
        numbers=lambda i, j: t.number(weights[i][j]),
        sums=(t("mask.sum"), [t.number(s) for s in data["sums"]]),
    )
    return (
        paragraph(t("page.mask"))
        + '<div class="pair">'
        + figure(f"<b>{escape(t('page.mask_allowed'))}</b>", allowed)
        + figure(f"<b>{escape(t('page.mask_weights'))}</b>", measured)
        + "</div>"
        + paragraph(t("mask.row0", first=t.number(weights[0][0])))
    )


def _modes(data: Data, t: Texts) -> str:
    tokens = data["tokens"]

    def draw(mode: str) -> str:
        weights = data[mode]
        return figures.matrix(
            tokens,
            lambda i, j: None if mode == "causal" and j > i else figures.strength(weights[i][j]),
            lambda i, j: t("page.looks", query=tokens[i], key=tokens[j], weight=t.number(weights[i][j], 3)),
            mode,
            lambda i, j: "bad" if j > i else "w",
        )

    shares = {
        mode: t("page.future", share=t.percent(data[f"future_{mode}"]))
        for mode in ("causal", "bidirectional")
    }
    return (
        paragraph(t("modes.intro", layer=data["layer"]))
        + '<div class="pair">'
        + figure(f"<b>causal=True</b> · {escape(shares['causal'])}", draw("causal"))
        + figure(f"<b>causal=False</b> · {escape(shares['bidirectional'])}", draw("bidirectional"))
        + "</div>"
        + scale(t)
    )


def _leak(data: Data, t: Texts) -> str:
    tokens, pairs = data["tokens"], data["pairs"]
    causal, both = data["causal"], data["bidirectional"]
    last = [(token, causal["relative"][-1][s], both["relative"][-1][s]) for s, token in enumerate(tokens)]
    experiment = figures.bars(
        last, lambda v: t.number(100 * v, 1) + " %" if v else "0", ("causal=True", "causal=False")
    )

    def draw(part: Data) -> str:
        def opacity(i: int, j: int) -> float | None:
            if part["largest"][i][j] == 0:
                return None
            return round(min(1.0, max(0.12, 1 + log10(max(part["relative"][i][j], 1e-9)) / 2)), 3)

        return figures.matrix(
            tokens,
            opacity,
            lambda i, j: t(
                "page.moved", changed=tokens[i], looked=tokens[j], by=t.percent(part["relative"][i][j])
            ),
            t("section.3"),
            lambda i, j: "bad" if j < i else "w",
        )

    def count(part: Data) -> str:
        return f'<p class="big"><b>{part["exact_zeros"]}</b> / {pairs} {escape(t("page.zeros"))}</p>'

    return (
        paragraph(t("leak.experiment", old=tokens[-1], new=data["instead"]))
        + figure(
            '<span class="scale"><i></i> causal=True <i class="bad"></i> causal=False</span>', experiment
        )
        + f"<h3>{escape(t('page.leak_map'))}</h3>"
        + paragraph(t("page.leak_read"))
        + '<div class="pair">'
        + figure("<b>causal=True</b>", draw(causal) + count(causal))
        + figure("<b>causal=False</b>", draw(both) + count(both))
        + "</div>"
        + paragraph(
            t("leak.gradient", causal=causal["gradient_zeros"], both=both["gradient_zeros"], pairs=pairs)
        )
    )


def _cache(data: Data, t: Texts) -> str:
    rows = []
    for run in data["runs"]:
        verdict = t.number(run["ratio"], 1) + " ×" if run["same_tokens"] else t("page.different")
        for which in ("without", "with"):
            cells = [
                f"{run['prompt']} + {run['new_tokens']}" if which == "without" else "",
                t(f"cache.{which}"),
                t.number(run["rows"][which], 0),
                t.number(run["seconds"][which], 3),
                verdict if which == "with" else "",
            ]
            rows.append("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in cells) + "</tr>")
    heads = [t("page.tokens"), "", t("cache.rows"), t("cache.seconds"), t("page.gain")]
    head_row = "".join(f"<th>{escape(h)}</th>" if h else "<td></td>" for h in heads)
    table = "<tr>" + head_row + "</tr>" + "".join(rows)
    points = data["costs"]
    measured = {w: [(p["position"] + 1, 1000 * p[w]) for p in points] for w in ("without", "with")}
    end, cost = measured["without"][-1]
    law_at = [1 + (end - 1) * k / 60 for k in range(61)]
    if len(points) > 1:
        law_at = [x for x in law_at if x >= points[0]["position"]]
    lines = [
        ("law", "n²", [(x, cost * (x / end) ** 2) for x in law_at]),
        ("law", "n", [(x, cost * x / end) for x in law_at]),
        ("bad", t("cache.without"), measured["without"]),
        ("w", t("cache.with"), measured["with"]),
    ]
    axes = (t("page.position"), t("page.milliseconds"))

    def show(value: float) -> str:
        return t.number(value, len(f"{value:g}".partition(".")[2]))  # 0.125, 2, as short as it is

    growth = {k: t.number(max(0.0, v), 1) for k, v in data["growth"].items()}
    drawn: list[Callable[[], str]] = [
        lambda: figure(f"<b>{escape(t('page.linear'))}</b>", figures.curves(lines, axes, False, show)),
        lambda: figure(f"<b>{escape(t('page.logarithmic'))}</b>", figures.curves(lines, axes, True, show)),
    ]
    return (
        f'<div class="table" tabindex="0"><table>{table}</table></div>'
        + f"<h3>{escape(t('page.costs'))}</h3>"
        + '<div class="pair">'
        + "".join(d() for d in drawn)
        + "</div>"
        + paragraph(t("cache.growth", without=growth["without"], cached=growth["with"]))
        + paragraph(
            t(
                "cache.scores",
                position=points[-1]["position"],
                without=t.number(points[-1]["scores_without"], 0),
                cached=t.number(points[-1]["scores_with"], 0),
            )
        )
    )


SECTIONS: dict[str, Callable[[Data, Texts], str]] = {
    "1": _mask, "2": _modes, "3": _leak, "4": portrait, "5": _cache,
}  # fmt: skip
