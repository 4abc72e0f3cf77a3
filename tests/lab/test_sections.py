"""The five demonstrations on the mini model."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import torch

from lab import cache_gain, run
from lab.console import Console
from lab.figures import _ticks
from lab.language import LANGUAGES, Texts
from lab.leakage import gradient_map, leak_map
from lab.models import ModelNotFound
from lab.page import page
from lab.setting import bidirectional, load_setting
from lab.source import load_source
from tests.lab.conftest import lab

Everything = tuple[str, dict[str, Any]]


def test_mask_is_a_triangle_and_rows_sum_to_one(everything: Everything) -> None:
    text, data = everything
    mask = data["sections"]["1"]
    assert mask["future"] == [[j > i for j in range(5)] for i in range(5)]
    assert mask["weights"][0] == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert mask["sums"] == pytest.approx([1.0] * 5, abs=1e-6)
    assert "gigante  ████████·\n" in text
    assert re.search(r"O +1\.00 +· +· +· +· +1\.00", text)


def test_right_code_shows_the_same_numbers_whoever_wrote_it() -> None:
    ours, mine = lab(sections=[1, 2, 3, 4], attention="solutions")
    theirs, other = lab(sections=[1, 2, 3, 4], attention="transformers")
    assert ours.split("The triangular mask")[1] == theirs.split("The triangular mask")[1]
    for where in ("weights", "sums"):
        a, b = (torch.tensor(data["sections"]["1"][where]) for data in (mine, other))
        assert torch.allclose(a, b, atol=1e-6)


def test_modes_differ_only_in_the_future(everything: Everything) -> None:
    modes = everything[1]["sections"]["2"]
    n = len(modes["tokens"])
    assert all(modes["causal"][i][j] == 0 for i in range(n) for j in range(i + 1, n))
    assert all(modes["bidirectional"][i][j] > 0 for i in range(n) for j in range(n))
    assert modes["future_causal"] == 0
    assert modes["future_bidirectional"] > 0.1
    # Same scores: what the future took away is all that differs, so ratios inside a row are equal.
    causal, both = torch.tensor(modes["causal"]), torch.tensor(modes["bidirectional"])
    assert causal.shape == both.shape == (n, n)
    assert torch.allclose(both.sum(-1), torch.ones(n), atol=1e-5)


def test_leak_is_exactly_zero_with_the_mask_and_never_without(everything: Everything) -> None:
    leak = everything[1]["sections"]["3"]
    n, pairs = len(leak["tokens"]), leak["pairs"]
    assert pairs == n * (n - 1) // 2
    assert leak["causal"]["exact_zeros"] == leak["causal"]["gradient_zeros"] == pairs
    assert leak["bidirectional"]["exact_zeros"] == leak["bidirectional"]["gradient_zeros"] == 0
    for changed, moved in itertools.product(range(n), range(n)):
        assert (leak["causal"]["largest"][changed][moved] == 0) == (moved < changed)
        assert leak["bidirectional"]["largest"][changed][moved] > 0
    assert leak["causal"]["first_moved"] == 0
    assert leak["bidirectional"]["first_moved"] > 1e-4


def test_leak_map_sees_a_leak_of_one_number(everything: Everything) -> None:
    """A model whose first layer peeks one token ahead is caught, in the map and by gradient."""
    setting = load_setting("mini", load_source("solutions"))

    class Peeks(torch.nn.Module):
        def __init__(self, honest: torch.nn.Module) -> None:
            super().__init__()
            self.honest = honest

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = self.honest(x).clone()
            y[:, :-1, 0] += 1e-3 * x[:, 1:, 0]
            return y

    block = setting.model.h[0]
    block.attn = Peeks(block.attn)
    other = (setting.ids[0] + 1) % 2048
    _, largest = leak_map(setting.model, setting.ids, other)
    assert (largest.diagonal(-1) > 0).all()
    assert (gradient_map(setting.model, setting.ids).diagonal(-1) > 0).all()


def test_bidirectional_puts_the_mask_back() -> None:
    setting = load_setting("mini", load_source("solutions"))
    with torch.no_grad():
        before = setting.model.logits(setting.ids)
        with bidirectional(setting.model):
            assert not torch.equal(setting.model.logits(setting.ids), before)
        with contextlib.suppress(RuntimeError), bidirectional(setting.model):
            raise RuntimeError("even when something goes wrong inside")
        assert torch.equal(setting.model.logits(setting.ids), before)


def test_portrait_shouts_that_the_mini_model_is_not_gpt2(everything: Everything) -> None:
    text, data = everything
    assert "THIS IS NOT GPT-2" in text
    assert data["mini"]
    heads = data["sections"]["4"]["layers"][0]["heads"]
    assert [head["head"] for head in heads] == list(range(12))
    assert all((head["label"] is None) == (head["evidence"] == []) for head in heads)
    assert "NOT GPT-2" in page(data, Texts())


def test_all_layers_side_by_side() -> None:
    text, data = lab(sections=[4], layer="all")
    assert [layer["layer"] for layer in data["sections"]["4"]["layers"]] == [0, 1, 2, 3]
    assert re.search(r"L0 +L1 +L2 +L3", text)
    assert page(data, Texts()).count('class="layer"') == 4


def test_cache_section_counts_rows_and_asserts_the_same_tokens(everything: Everything) -> None:
    first, second = everything[1]["sections"]["5"]["runs"]
    n, new = first["prompt"], first["new_tokens"]
    assert new == 8
    assert first["same_tokens"]
    assert first["rows"]["without"] == sum(n + k for k in range(new))
    assert first["rows"]["with"] == n + new - 1
    assert (second["prompt"], second["new_tokens"]) == (256, 32)
    assert second["rows"] == {"without": 8688, "with": 287}


def test_cache_gains_at_least_six_times() -> None:
    setting = load_setting("mini", load_source("solutions"))
    engine = cache_gain.engine_of(setting)
    ids = torch.randint(2048, (1, 256), generator=torch.Generator().manual_seed(1))
    ratio = 0.0
    for _ in range(3):  # pairs on a busy machine: the best of each is what counts
        measured = cache_gain.measure_pairs(engine, ids, 32, pairs=2)
        assert measured["same_tokens"]
        ratio = max(ratio, measured["ratio"])
        if ratio >= 6:
            break
    assert ratio >= 6


def test_a_wrong_cache_is_said_and_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_gain, "PATIENCE", 0.0)

    def forgetful(attention: Any, x_new: torch.Tensor, cache: Any = None) -> Any:
        from solutions.kv_cache import attend_with_cache

        return attend_with_cache(attention, x_new, None)

    source = load_source("solutions")
    changed = type(source)("solutions", source.attention, forgetful, source.generate, source.causal_mask)
    monkeypatch.setattr(run, "load_source", lambda choice: changed)
    text, data = lab(sections=[5])
    assert "THE TOKENS DIFFER" in text
    assert not data["sections"]["5"]["runs"][0]["same_tokens"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_console_gets_plain_lines_of_80_columns(language: str, everything: Everything) -> None:
    text = everything[0] if language == "en" else lab(sections=[1, 2, 3, 4], lang=language)[0]
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80
    if language == "pt-BR":
        assert "exatamente 0" in text
        assert "1,00" in text
    for encoding in ("cp1252", "ascii"):
        raw = io.BytesIO()
        stream = io.TextIOWrapper(raw, encoding=encoding)  # strict: what it does not have would raise
        console = Console(stream)
        for line in text.splitlines():
            console.line(line)
        stream.flush()
        plain = raw.getvalue().decode(encoding).splitlines()
        for was, now in zip(text.splitlines(), plain, strict=True):
            assert len(now) == len(was)  # one character for one: tables stay straight
        assert any("@@" in line for line in plain)
        assert encoding == "ascii" or "".join(plain).count("?") == text.count("?")  # nothing was lost
        assert ("é" in "".join(plain)) == (encoding == "cp1252")


def test_runs_as_the_chapter_says_in_a_pipe(root: Path, tmp_path: Path) -> None:
    command = [sys.executable, "lab/04_multihead_mask.py", "1", "2", "--html", str(tmp_path / "page.html")]
    env = {"PYTHONIOENCODING": "cp1252", "PATH": "/usr/bin:/bin", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, cwd=root, capture_output=True, env=env, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    assert "The triangular mask" in done.stdout.decode("cp1252")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    wrong = subprocess.run(
        [*command[:2], "7"], cwd=root, capture_output=True, text=True, env=env, timeout=120
    )
    assert wrong.returncode == 2
    assert "1 to 5" in wrong.stderr
    assert "Traceback" not in wrong.stderr


class Balanced(HTMLParser):
    """Fails where a tag is not closed."""

    VOID = ("meta", "br", "input", "circle", "rect", "path", "polyline")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_is_whole_and_self_contained(everything: Everything, language: str) -> None:
    html = page(everything[1] | {"lang": language}, Texts(language))
    parser = Balanced()
    parser.feed(html)
    assert parser.open == []
    assert parser.links == []
    assert "http" not in html
    assert html.count("<h2>") == 5
    assert html.count('class="enlarged"') == 12
    assert html.count('class="enlarged" hidden') == 11
    assert f'<html lang="{language}">' in html
    assert Texts(language)("page.red") in html
    assert "<code>--model openai-community/gpt2</code>" in html
    assert re.search(r"n<sup>\d[.,]\d</sup>", html)
    assert "n^" not in html


def test_ticks_of_a_logarithmic_axis_are_doublings() -> None:
    assert _ticks(0.4, 20, True) == [0.5, 1, 2, 4, 8, 16]
    assert _ticks(17, 501, True) == [32, 64, 128, 256]
    assert len(_ticks(0.001, 5000, True)) < 12


def test_no_progress_bar_lands_in_the_section(capfd: pytest.CaptureFixture[str]) -> None:
    cache_gain.engine_of(load_setting("mini", load_source("transformers")))
    assert capfd.readouterr().err == ""


def test_model_out_of_reach_is_said_and_mini_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(name: str) -> Path:
        raise ModelNotFound("model.unreachable", name=name, reason="ConnectError")

    monkeypatch.setattr("lab.models._from_hub", nowhere)
    text, data = lab(sections=[4], model="openai-community/gpt2")
    flat = " ".join(text.split())
    assert "the Hugging Face hub cannot be reached (ConnectError)" in flat
    assert "The mini model is used instead." in flat
    assert "Model: mini" in flat
    assert "THIS IS NOT GPT-2" in flat
    assert data["model"] == "mini"


def test_wrong_use_is_a_sentence(tmp_path: Path) -> None:
    for changes, words in (
        ({"layer": "9"}, "layers 0 to 3"),
        ({"sections": [6]}, "numbers from 1 to 5"),
        ({"tokens": 0}, "at least 1"),
        ({"model": str(tmp_path)}, "no config.json"),
    ):
        with pytest.raises(run.Wrong, match=words):
            lab(**changes)


@pytest.mark.endurance
def test_a_checkpoint_of_gpt2_size_goes_through_every_section(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import GPT2Config, GPT2LMHeadModel

    monkeypatch.setattr(cache_gain, "PATIENCE", 0.0)
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config())
    assert 124_000_000 < sum(p.numel() for p in model.parameters()) < 125_000_000
    model.save_pretrained(tmp_path)
    del model
    text, data = lab(model=str(tmp_path), tokens=4, layer="11")
    assert data["failed"] == []
    assert sorted(data["sections"]) == ["1", "2", "3", "4", "5"]
    assert "NOT GPT-2" not in text
    assert "the mini model's is used" in " ".join(text.split())
    leak = data["sections"]["3"]
    assert leak["causal"]["exact_zeros"] == leak["causal"]["gradient_zeros"] == leak["pairs"]
    assert leak["bidirectional"]["exact_zeros"] == 0
    assert data["sections"]["5"]["runs"][0]["same_tokens"]
    assert page(data, Texts()).count("<h2>") == 5
