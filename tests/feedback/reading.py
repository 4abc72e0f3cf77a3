"""Reads a page as a browser would, strictly: tags must close in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img", "hr", "input"}
SVG_VOID = {"hr", "rect", "circle", "line", "polyline"}


@dataclass
class Element:
    """A start tag."""

    tag: str
    attributes: dict[str, str]
    text: str = ""
    inside: tuple[str, ...] = ()


@dataclass
class Page(HTMLParser):
    """All elements of a page, in order, with the text that is inside them."""

    source: str
    elements: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[Element] = []
        self.feed(self.source)
        self.close()
        assert not self._open, f"not closed: {[e.tag for e in self._open]}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes an element."""
        names = [k for k, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice"
        element = Element(tag, {k: v or "" for k, v in attrs}, inside=tuple(e.tag for e in self._open))
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """<rect/>"""
        assert tag in SVG_VOID, f"<{tag}/> is not allowed"
        self.elements.append(
            Element(tag, {k: v or "" for k, v in attrs}, inside=tuple(e.tag for e in self._open))
        )

    def handle_endtag(self, tag: str) -> None:
        """Closes the innermost element, which must be of this tag."""
        assert self._open, f"</{tag}> closes nothing"
        last = self._open.pop()
        assert last.tag == tag, f"</{tag}> closes <{last.tag}>"

    def handle_data(self, data: str) -> None:
        """Text belongs to everything that is open."""
        for element in self._open:
            element.text += data

    def all(self, *tags: str) -> list[Element]:
        """Elements of these tags."""
        return [e for e in self.elements if e.tag in tags]

    @property
    def text(self) -> str:
        """All text of the body."""
        return self.all("body")[0].text
