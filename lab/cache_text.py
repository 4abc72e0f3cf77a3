"""Section 5 on the terminal: the runs, and cost per token against position."""

from __future__ import annotations

from typing import Any

from lab.console import Console, fit
from lab.language import Texts

HEIGHT, ACROSS = 14, 62


def show(data: dict[str, Any], out: Console, t: Texts) -> None:
    if data["engine"] == "transformers":
        out.prose(t("cache.transformers"))
    for run in data["runs"]:
        if run is data["runs"][0] and run["new_tokens"] < data["asked"]:
            out.prose(t("cache.shorter", asked=data["asked"], tokens=run["new_tokens"]))
        out.line(t("cache.run", prompt=run["prompt"], tokens=run["new_tokens"], pairs=run["pairs"]))
        out.line()
        out.line("  " + " " * 16 + fit(t("cache.rows"), 22) + t("cache.seconds"))
        for which in ("without", "with"):
            rows = t.number(run["rows"][which], 0)
            out.line("  " + fit(t(f"cache.{which}"), 16) + fit(rows, 22) + t.number(run["seconds"][which], 3))
        out.line()
        if run["same_tokens"]:
            out.line("  " + t("cache.same", ratio=t.number(run["ratio"], 1)))
        else:
            out.prose(t("cache.different", position=run["first_difference"]), indent="  ")
        out.line()
    out.prose(t("cache.costs"))
    out.line()
    _chart(data["costs"], out, t)
    out.line()
    growth = {k: t.number(max(0.0, v), 1) for k, v in data["growth"].items()}
    out.prose(t("cache.growth", without=growth["without"], cached=growth["with"]))
    last = data["costs"][-1]
    out.prose(
        t(
            "cache.scores",
            position=last["position"],
            without=t.number(last["scores_without"], 0),
            cached=t.number(last["scores_with"], 0),
        )
    )


def _chart(points: list[dict[str, float]], out: Console, t: Texts) -> None:
    """Measured points over the two laws, both drawn through the last point without the cache."""
    last = points[-1]
    top, right = max(p["without"] for p in points), last["position"]
    grid = [[" "] * ACROSS for _ in range(HEIGHT)]

    def put(position: float, seconds: float, mark: str) -> None:
        column = round((ACROSS - 1) * position / right)
        row = HEIGHT - 1 - round((HEIGHT - 1) * min(1.0, seconds / top))
        grid[row][column] = mark

    for column in range(0, ACROSS, 2):
        part = column / (ACROSS - 1)
        put(part * right, last["without"] * part**2, "2")
        put(part * right, last["without"] * part, "1")
    for p in points:
        put(p["position"], p["with"], "●")
        put(p["position"], p["without"], "█")
    for i, row in enumerate(grid):
        scale = (
            t.number(1000 * top * (HEIGHT - 1 - i) / (HEIGHT - 1), 1) if i % 4 == 1 or i == HEIGHT - 1 else ""
        )
        out.line(f"{scale:>8} ms │" if scale else " " * 12 + "│", end="")
        out.line("".join(row))
    out.line(" " * 12 + "└" + "─" * ACROSS)
    out.line(" " * 13 + "0" + f"{right:>{ACROSS - 1}}")
    out.line(" " * 8 + t("cache.legend"))
