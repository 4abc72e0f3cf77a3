"""Section 4 of the page: small pictures of all heads, one of them enlarged, and distance × entropy."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from lab import figures
from lab.language import Texts
from lab.portrait import RULES
from lab.portrait_text import COLUMNS, evidence_of, label_of, most_on_first

Data = dict[str, Any]


def paragraph(words: str, css: str = "") -> str:
    """Options with their value as code (never broken between the dashes), n^1.5 as a power."""
    html = re.sub(r"--[a-z]+( [\w-]+/[\w-]+| exercises\b)?", r"<code>\g<0></code>", escape(words))
    html = re.sub(r"\bn\^(\d+(?:[.,]\d+)?)", r"n<sup>\1</sup>", html)
    return f'<p class="{css}">{html}</p>'


def portrait(data: Data, t: Texts) -> str:
    parts = []
    if data["mini"]:
        parts.append(paragraph(t("portrait.mini"), "loud"))
    parts.append(paragraph(t("portrait.intro", model=data["model"], random=data["random_tokens"])))
    parts.append(paragraph(t("portrait.columns")))
    for layer in data["layers"]:
        parts.append(_layer(layer, data, t))
    parts.append(f"<h3>{escape(t('page.map_of_heads'))}</h3>" + _map(data, t))
    if data["layers"][0]["layer"] == 0:
        parts.append(paragraph(t("portrait.sinks", **most_on_first(data["layers"][0], t))))
    parts.append(f"<h3>{escape(t('portrait.rules'))}</h3><ul>")
    for rule in RULES:
        bound = t.number(rule.bound) if rule.of_uniform else t.percent(rule.bound)
        words = escape(t("rule." + rule.label, bound=bound))
        parts.append(f"<li><b>{escape(t('label.' + rule.label))}</b>: {words}</li>")
    parts.append("</ul>")
    return "".join(parts)


def most_telling(heads: list[Data]) -> int:
    """The head to enlarge first: a labelled one, and of these the least spread out."""
    return int(min(heads, key=lambda head: (head["label"] is None, head["sentence"]["entropy"]))["head"])


def _layer(layer: Data, data: Data, t: Texts) -> str:
    heads, tokens = layer["heads"], data["tokens"]
    first, flat = most_telling(heads), data["uniform"]["sentence"]
    buttons, large = [], []
    for head in heads:
        i = head["head"]
        weights = layer["weights"][i]
        name = t("page.head", head=i)
        buttons.append(
            f'<button type="button" aria-pressed="{str(i == first).lower()}">'
            f"{figures.thumbnail(weights, name)}"
            f"<b>{i}</b> <span>{escape(label_of(head, t))}</span></button>"
        )
        picture = figures.matrix(
            tokens,
            lambda q, k, w=weights: None if k > q else figures.strength(w[q][k]),  # type: ignore[misc]
            lambda q, k, w=weights: t(  # type: ignore[misc]
                "page.looks", query=tokens[q], key=tokens[k], weight=t.number(w[q][k], 3)
            ),
            name,
        )
        facts = "".join(
            f"<div><dt>{escape(t('measure.' + c))}</dt><dd>{escape(_value(head['sentence'][c], c, t))} "
            f'<span class="soft">{escape(_times(head["sentence"][c], flat[c], t))}</span>'
            "</dd></div>"
            for c in COLUMNS
        )
        why = evidence_of(head, t)
        hidden = "" if i == first else " hidden"
        large.append(
            f'<div class="enlarged"{hidden}><figure>{picture}</figure><div><h3>{escape(name)}: '
            f'{escape(label_of(head, t))}</h3><p class="soft">{escape(why)}</p><dl>{facts}</dl></div></div>'
        )
    table = _table(layer, data, t)
    return (
        f'<div class="layer"><h3>{escape(t("page.layer", layer=layer["layer"]))}</h3>'
        f'<div class="heads">{"".join(buttons)}</div>{"".join(large)}'
        f"<details><summary>{escape(t('page.all_numbers'))}</summary>{table}</details></div>"
    )


def _value(value: float | None, measure: str, t: Texts) -> str:
    if value is None:
        return "–"
    return t.number(value, 1) if measure in ("distance", "entropy") else t.percent(value)


def _times(value: float | None, flat: float | None, t: Texts) -> str:
    return "" if value is None or not flat else "×" + t.number(value / flat, 1)


def _table(layer: Data, data: Data, t: Texts) -> str:
    out = []
    for where in ("sentence", "random"):
        head_row = "".join(f"<th>{escape(t('measure.' + c))}</th>" for c in COLUMNS)
        rows = [f"<tr><td></td>{head_row}<td></td></tr>"]
        for head in layer["heads"]:
            cells = "".join(
                f"<td>{escape(_value(head[where][c], c, t))}"
                f"<small>{escape(_times(head[where][c], data['uniform'][where][c], t))}</small></td>"
                for c in COLUMNS
            )
            rows.append(f"<tr><td>{head['head']}</td>{cells}<td>{escape(label_of(head, t))}</td></tr>")
        caption = escape(t(f"portrait.on_{where}", layer=layer["layer"]))
        out.append(f'<h3>{caption}</h3><div class="table" tabindex="0"><table>{"".join(rows)}</table></div>')
    return "".join(out)


def _map(data: Data, t: Texts) -> str:
    single = len(data["layers"]) == 1
    panels = []
    for where in ("sentence", "random"):
        points = [
            (
                head[where]["distance"],
                head[where]["entropy"],
                str(head["head"]) if single else "",
                f"{layer['layer']}.{head['head']}: {label_of(head, t)}",
            )
            for layer in data["layers"]
            for head in layer["heads"]
        ]
        flat = data["uniform"][where]
        names = (t("page.distance"), t("page.entropy"), t("page.uniform"))
        drawing = figures.scatter(
            points, (flat["distance"], flat["entropy"]), names, lambda v: t.number(v, 1)
        )
        caption = escape(t(f"page.on_{where}"))
        panels.append(f"<figure><figcaption><b>{caption}</b></figcaption>{drawing}</figure>")
    return f'<div class="pair">{"".join(panels)}</div>'
