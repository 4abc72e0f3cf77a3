"""nbgrader's own web page, in a real browser, on a course that was graded in the sandbox."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from autograder.nbgrader.command import environment
from tests.nbgrader.conftest import NAME, Graded

CHROMIUM = next(
    (found for n in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(n))), ""
)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not CHROMIUM, reason="no Chromium here")]
TOKEN = "only-for-this-test"


@pytest.fixture(scope="module")
def server(sandboxed: Graded, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Jupyter server in a copy of the course's folder."""
    root = tmp_path_factory.mktemp("served") / "course"
    shutil.copytree(sandboxed.root, root)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--no-browser", "--allow-root", f"--port={port}", "--ServerApp.port_retries=0"]
    options += [f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={root}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyter", "server", *options],
        cwd=root,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/api?token={TOKEN}")
                break
            except urllib.error.URLError:
                assert process.poll() is None
                time.sleep(0.5)
        yield address
    finally:
        process.terminate()
        process.wait(30)


def shown(address: str, page: str, profile: Path, picture: Path | None = None) -> str:
    """What the browser makes of a page, its scripts run."""
    url = f"{address}/login?token={TOKEN}&next={quote(page, safe='')}"
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000"]
    options += [f"--user-data-dir={profile}", "--window-size=1280,900"]
    what = ["--dump-dom"] if picture is None else [f"--screenshot={picture}"]
    done = subprocess.run([CHROMIUM, *options, *what, url], capture_output=True, timeout=240, check=True)
    return done.stdout.decode("utf-8", "replace")


def test_the_table_of_submissions(server: str, tmp_path: Path) -> None:
    page = shown(server, f"/formgrader/manage_submissions/{NAME}", tmp_path)
    for student, points in (("ana", 100), ("carla", 90), ("igor", 0)):
        assert student in page
        assert f"{points} / 100" in page
    assert page.count(">graded<") == 10


def test_one_submission(server: str, sandboxed: Graded, tmp_path: Path) -> None:
    from nbgrader.api import Gradebook

    with Gradebook(sandboxed.db_url, "course") as book:
        id = book.find_submission_notebook(NAME, NAME, "carla").id
    picture = tmp_path / "carla.png"
    page = shown(server, f"/formgrader/submissions/{id}/", tmp_path / "profile")
    shown(server, f"/formgrader/submissions/{id}/", tmp_path / "profile", picture)
    assert "[  ] each head reads its own slice of every token" in page
    assert "Split into heads: 0 of 12 points." in page
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
