"""A reader that goes, and Ctrl-C, end a program of the lab without a fault."""

from __future__ import annotations

import io
import itertools
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.console import Console, Flow, ended
from tests.exercises.run import ROOT


@pytest.mark.parametrize("program", ["lab/04_multihead_mask.py", "lab/write.py"])
def test_who_reads_only_the_beginning_sees_no_error(program: str) -> None:
    run = subprocess.Popen(
        [sys.executable, program, "--attention", "solutions"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    assert run.stderr is not None
    run.stdout.readline()
    run.stdout.close()
    said = run.stderr.read()
    assert run.wait(timeout=120) == 0, said
    assert "Traceback" not in said
    assert "BrokenPipe" not in said


def test_ctrl_c_is_no_fault() -> None:
    def main() -> int:
        raise KeyboardInterrupt

    assert ended(main) == 130


def test_a_section_can_be_named_by_an_option(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--section N`, once or more, asks for the same as numbers alone; both together are all of them."""
    monkeypatch.setattr(sys, "path", ["", *sys.path])  # the script sets the first entry
    arguments = runpy.run_path(str(root / "lab" / "04_multihead_mask.py"))["arguments"]
    for line, sections in ((["--section", "3"], [3]), (["1", "--section", "4"], [1, 4]), ([], [])):
        monkeypatch.setattr(sys, "argv", ["lab", *line])
        assert arguments().sections == sections
    assert arguments().sections == [], "nothing stays from one call to the next"


@given(st.text("abc \n", max_size=60), st.lists(st.integers(0, 60), max_size=8))
def test_a_text_in_pieces_is_broken_between_words(text: str, cuts: list[int]) -> None:
    stream = io.StringIO()
    flow = Flow(Console(stream), width=12)
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    for start, end in itertools.pairwise(places):
        flow.write(text[start:end])
    flow.end()
    lines = stream.getvalue().split("\n")
    assert max(map(len, lines)) <= 12
    assert "".join(stream.getvalue().split()) == "".join(text.split())
    if all(len(word) < 12 for word in text.split()):
        assert stream.getvalue().split() == text.split()
        assert len(lines) >= len(text.split("\n"))
