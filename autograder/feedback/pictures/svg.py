"""A few shapes of inline SVG. Colours are CSS classes, so pages decide them (light, dark, print).

Lengths are CSS pixels at full size; a picture shrinks with its column but never grows. Text is escaped.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from markupsafe import Markup, escape

FONT = 12  # px; kept when a picture is at most 340 px wide on a phone


@dataclass
class Canvas:
    """Collects shapes; `done` makes the <svg>."""

    width: float
    height: float
    parts: list[Markup] = field(default_factory=list)

    def rect(self, x: float, y: float, w: float, h: float, css: str, opacity: float = 1.0) -> None:
        """A rectangle."""
        faded = Markup(' fill-opacity="{}"').format(f"{opacity:.2f}") if opacity < 1 else ""
        self._add(
            '<rect x="{}" y="{}" width="{}" height="{}" class="{}"{}/>',
            _n(x),
            _n(y),
            _n(w),
            _n(h),
            css,
            faded,
        )

    def circle(self, x: float, y: float, r: float, css: str) -> None:
        """A disc."""
        self._add('<circle cx="{}" cy="{}" r="{}" class="{}"/>', _n(x), _n(y), _n(r), css)

    def line(self, x1: float, y1: float, x2: float, y2: float, css: str) -> None:
        """A straight line."""
        self._add('<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"/>', _n(x1), _n(y1), _n(x2), _n(y2), css)

    def path(self, points: list[tuple[float, float]], css: str) -> None:
        """A line through points."""
        self._add('<polyline points="{}" class="{}"/>', " ".join(f"{_n(x)},{_n(y)}" for x, y in points), css)

    def cross(self, x: float, y: float, r: float, css: str) -> None:
        """An × around a point."""
        self.line(x - r, y - r, x + r, y + r, css)
        self.line(x - r, y + r, x + r, y - r, css)

    def text(self, x: float, y: float, text: str, css: str = "", anchor: str = "middle") -> None:
        """A line of text, centred on y."""
        self._add(
            '<text x="{}" y="{}" text-anchor="{}" class="{}">{}</text>',
            _n(x),
            _n(y + FONT * 0.36),
            anchor,
            css,
            text,
        )

    def done(self, label: str) -> Markup:
        """The <svg>, with what it says in words for those who do not see it."""
        return Markup(
            '<svg role="img" aria-label="{0}" viewBox="0 0 {1} {2}" width="{1}" height="{2}" class="picture">'
            "{3}</svg>"
        ).format(label, _n(self.width), _n(self.height), Markup("").join(self.parts))

    def _add(self, template: str, *values: object) -> None:
        self.parts.append(Markup(template).format(*(escape(v) for v in values)))


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


@dataclass(frozen=True)
class Figure:
    """One picture: the drawing and what stands under it."""

    svg: Markup
    caption: str
    wrong: bool = False  # the student's, not the expected one


@dataclass(frozen=True)
class Pictures:
    """Pictures that belong together, the same in words, and how to read them."""

    figures: tuple[Figure, ...]
    words: str
    legend: str
    about: str = ""  # what the picture is made on
