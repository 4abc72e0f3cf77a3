"""Figures as inline SVG: matrices, scatter, curves. Colours come from the page's style sheet."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from math import log10, pow

Matrix = list[list[float]]
LEVELS = 20  # shades that small pictures are drawn in: one path per shade keeps the page small


def strength(weight: float) -> float:
    """Opacity of a weight: small weights stay visible, equal weights look equal."""
    return round(pow(min(1.0, max(0.0, weight)), 0.6), 3)


def text(x: float, y: float, words: str, css: str = "", anchor: str = "start", extra: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" class="{css}"{extra}>{escape(words)}</text>'


def svg(width: float, height: float, body: str, label: str, css: str = "") -> str:
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{escape(label)}" class="{css}" '
        f'style="max-width:{width:g}px">{body}</svg>'
    )


def matrix(
    tokens: list[str],
    opacity: Callable[[int, int], float | None],
    hint: Callable[[int, int], str],
    label: str,
    css: Callable[[int, int], str] = lambda i, j: "w",
    cell: float = 24,
    numbers: Callable[[int, int], str] | None = None,
    sums: tuple[str, list[str]] | None = None,
) -> str:
    """Rows look at columns. opacity None: a forbidden (or exactly zero) cell, drawn as a dot.

    numbers are written into the cells, sums (title, one a row) to their right.
    """
    n = len(tokens)
    left = 12 + 7.2 * max(len(token) for token in tokens)
    top = 16 + 5.4 * max(len(token) for token in tokens)
    inner = cell - 1.5  # a little air between the cells
    body = []
    for i, token in enumerate(tokens):
        body.append(text(left - 8, top + cell * (i + 0.5) + 4, token, "t", "end"))
        x, y = left + cell * (i + 0.5) + 4, top - 8
        body.append(text(x, y, token, "t", "start", f' transform="rotate(-50 {x:g} {y:g})"'))
    for i in range(n):
        for j in range(n):
            x, y, o = left + cell * j, top + cell * i, opacity(i, j)
            if o is None:
                body.append(f'<circle cx="{x + cell / 2:g}" cy="{y + cell / 2:g}" r="1.3" class="dot"/>')
                continue
            body.append(
                f'<rect x="{x + 0.75:g}" y="{y + 0.75:g}" width="{inner:g}" height="{inner:g}" rx="2" '
                f'class="{css(i, j)}" fill-opacity="{o:g}"><title>{escape(hint(i, j))}</title></rect>'
            )
            if numbers:
                mark = "n strong" if o > 0.62 else "n"
                body.append(text(x + cell / 2, y + cell / 2 + 4, numbers(i, j), mark, "middle"))
    if sums:
        x = left + cell * (n + 0.75)
        body.append(text(x, top - 8, sums[0], "s", "middle"))
        body += [text(x, top + cell * (i + 0.5) + 4, words, "n", "middle") for i, words in enumerate(sums[1])]
    return svg(left + cell * (n + (1.3 if sums else 0)) + 30, top + cell * n + 4, "".join(body), label)


def thumbnail(weights: Matrix, label: str, size: float = 120) -> str:
    """A small causal matrix without words."""
    n = len(weights)
    cell = size / n
    shades: dict[int, list[str]] = {}
    for i in range(n):
        for j in range(i + 1):
            level = round(LEVELS * strength(weights[i][j]))
            if level:
                shades.setdefault(level, []).append(
                    f"M{cell * j:.1f} {cell * i:.1f}h{cell:.1f}v{cell:.1f}h-{cell:.1f}z"
                )
    body = f'<path d="M0 0L{size:g} {size:g}H0z" class="field"/>'
    for level, squares in sorted(shades.items()):
        body += f'<path d="{"".join(squares)}" class="w" fill-opacity="{level / LEVELS:g}"/>'
    return svg(size, size, body, label)


def bars(rows: list[tuple[str, float, float]], show: Callable[[float], str], names: tuple[str, str]) -> str:
    """Two values a row, as bars to the right; a value of exactly 0 says so by having none."""
    left, wide, step = 92.0, 420.0, 32.0
    top = max(max(a, b) for _, a, b in rows) or 1.0
    body = []
    for k, (word, a, b) in enumerate(rows):
        y = step * k + 6
        body.append(text(left - 10, y + 15, word, "t", "end"))
        for value, dy, css in ((a, 0.0, "w"), (b, 12.0, "bad")):
            length = wide * value / top
            body.append(
                f'<rect x="{left:g}" y="{y + dy:g}" width="{max(length, 1):.1f}" height="9" rx="2" '
                f'class="{css}"/>'
            )
            body.append(text(left + length + 6, y + dy + 8.5, show(value), "s"))
    height = step * len(rows) + 10
    return svg(left + wide + 60, height, "".join(body), " / ".join(names))


def scatter(
    points: list[tuple[float, float, str, str]], flat: tuple[float, float], names: tuple[str, str, str],
    show: Callable[[float], str],
) -> str:  # fmt: skip
    """Heads by distance (x) and entropy (y); points are (x, y, mark, hint); `flat` is uniform attention."""
    wide, high, left, top = 330.0, 250.0, 46.0, 14.0
    right_end = 1.12 * max([flat[0], *(p[0] for p in points)])
    upper_end = 1.12 * max([flat[1], *(p[1] for p in points)])

    def at(x: float, y: float) -> tuple[float, float]:
        return left + wide * x / right_end, top + high * (1 - y / upper_end)

    body = [f'<path d="M{left:g} {top:g}V{top + high:g}H{left + wide:g}" class="axis"/>']
    for part in (0.25, 0.5, 0.75, 1.0):
        x, y = at(part * right_end / 1.12, part * upper_end / 1.12)
        body.append(
            f'<path d="M{left:g} {y:.1f}H{left + wide:g}M{x:.1f} {top:g}V{top + high:g}" class="grid"/>'
        )
        body.append(text(x, top + high + 16, show(part * right_end / 1.12), "s", "middle"))
        body.append(text(left - 6, y + 4, show(part * upper_end / 1.12), "s", "end"))
    fx, fy = at(*flat)
    body.append(f'<path d="M{fx - 5:.1f} {fy:.1f}h10M{fx:.1f} {fy - 5:.1f}v10" class="cross"/>')
    body.append(text(fx, fy - 9, names[2], "s", "middle"))
    for px, py, mark, hint in points:
        x, y = at(px, py)
        body.append(
            f"<g><title>{escape(hint)}</title>"
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{9 if mark else 4}" class="head"/>'
        )
        body.append((text(x, y + 3.5, mark, "n strong", "middle") if mark else "") + "</g>")
    body.append(text(left + wide, top + high + 32, names[0], "s", "end"))
    body.append(text(left + 6, top + 8, names[1], "s"))
    return svg(left + wide + 14, top + high + 40, "".join(body), f"{names[0]} × {names[1]}")


def curves(
    lines: list[tuple[str, str, list[tuple[float, float]]]], axes: tuple[str, str], logarithmic: bool,
    show: Callable[[float], str],
) -> str:  # fmt: skip
    """Lines (css, name, points); linear, or both axes logarithmic so that powers become straight lines."""
    wide, high, left, top = 330.0, 250.0, 52.0, 14.0
    measured = [p for css, _, points in lines if css != "law" for p in points]
    xs, ys = [p[0] for p in measured], [p[1] for p in measured]

    def scale(value: float, low: float, up: float) -> float:
        if logarithmic:
            return (log10(value) - log10(low)) / (log10(up) - log10(low))
        return value / up

    x_low, x_up = min(xs) if len(set(xs)) > 1 else xs[0] / 2, max(xs)
    y_low, y_up = min(ys) * 0.8, max(ys) * 1.05
    body = [f'<path d="M{left:g} {top:g}V{top + high:g}H{left + wide:g}" class="axis"/>']
    for value in _ticks(x_low, x_up, logarithmic):
        x = left + wide * scale(value, x_low, x_up)
        body.append(
            f'<path d="M{x:.1f} {top + high:g}v4" class="axis"/>'
            + text(x, top + high + 17, f"{value:g}", "s", "middle")
        )
    for value in _ticks(y_low, y_up, logarithmic):
        y = top + high * (1 - scale(value, y_low, y_up))
        body.append(
            f'<path d="M{left:g} {y:.1f}H{left + wide:g}" class="grid"/>'
            + text(left - 7, y + 4, show(value), "s", "end")
        )
    for css, name, points in lines:
        inside = [(x, y) for x, y in points if (y >= y_low or not logarithmic) and y <= y_up * 1.001]
        drawn = [
            (left + wide * scale(x, x_low, x_up), top + high * (1 - scale(y, y_low, y_up))) for x, y in inside
        ]
        if not drawn:
            continue
        body.append(
            f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in drawn)}" class="line {css}"/>'
        )
        if css != "law":
            body += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" class="{css}"/>' for x, y in drawn]
        x, y = drawn[-1] if css != "law" else drawn[len(drawn) // 3 if logarithmic else len(drawn) // 2]
        body.append(
            text(x - 8, y - 12, name, f"s {css}-name", "end")
            if css != "law"
            else text(x + 9, y + 4, name, "s")
        )
    body.append(
        text(left + wide, top + high + 34, axes[0], "s", "end") + text(left + 6, top + 4, axes[1], "s")
    )
    return svg(left + wide + 14, top + high + 42, "".join(body), f"{axes[1]} / {axes[0]}")


def _ticks(low: float, up: float, logarithmic: bool) -> list[float]:
    """A few round numbers between low and up."""
    if logarithmic:  # … 0.5, 1, 2, 4, 8 …; every second or third of them where that is many
        inside = [m for m in (2.0**e for e in range(-12, 21)) if low <= m <= up]
        if len(inside) > 1:
            return inside[:: 1 + len(inside) // 9]
        return [low, up]
    step = 10.0 ** int(log10(up) // 1)
    step = step / 5 if up / step < 2 else step / 2 if up / step < 5 else step
    return [k * step for k in range(1, int(up / step) + 1)]
