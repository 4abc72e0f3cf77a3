"""A real browser that opens pages as people do: Debian's chromium, driven by playwright. Skipped without one."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:  # playwright may be missing
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
Opened = Callable[..., AbstractContextManager[Any]]  # of a playwright page


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed (pip install -e .[dev])"
    )
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("there is no browser to open the pages with (Debian: apt-get install chromium)")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])  # also runs as root
        yield started
        started.close()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Opened:
    """opened(html, dark=False, width=1280): a page on which nothing may fail or come from elsewhere."""

    @contextmanager
    def open_(html: str, dark: bool = False, width: int = 1280) -> Iterator[Page]:
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        scheme: Literal["dark", "light"] = "dark" if dark else "light"
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text))
        page.on("request", lambda asked: wrong.extend({asked.url} - {path.as_uri()}))
        page.goto(path.as_uri())
        yield page
        context.close()
        assert not wrong

    return open_
