"""Files that cannot be read, code that does not end: a plain sentence, and everything else still runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from exercises.selfcheck.loading import compiled
from exercises.selfcheck.trouble import FileTrouble
from tests.exercises.run import NO_GPT2, ROOT, folder, run

pytestmark = pytest.mark.slow
HEADS = (ROOT / "solutions" / "heads.py").read_text(encoding="utf-8")

ENDLESS = {
    "heads.py": """
def split_heads(x, n_head):
    while True:
        pass


def merge_heads(y):
    while True:
        try:
            y = y + 1
        except:
            y = y * 1
            break
    while True:
        pass
""",
    "mask.py": """
def causal_mask(n_query, n_key=None, device=None):
    import time
    while True:
        time.sleep(0.2)


def causal_softmax(scores, causal=True):
    exit()
""",
    "attention.py": """
def concat_and_project(y, c_proj):
    return concat_and_project(y, c_proj)
""",
    "kv_cache.py": """
def generate(model, ids, max_new_tokens, use_cache=True):
    pass
""",
}


def test_code_that_does_not_end(tmp_path: Path) -> None:
    code = folder(tmp_path / "code", ENDLESS)
    r = run("exercises/", NO_GPT2, "-v", "--seconds", "2", "--code", str(code))
    assert r.code == 1
    assert "split_heads had not ended after 2 seconds of work and was stopped" in r.text
    assert "heads.py, line 41: pass" in r.out or "heads.py, line 40: while True:" in r.out
    assert "merge_heads had not ended" in r.out
    assert "causal_mask had not ended" in r.out
    assert "Your code ended the program (exit or quit)" in r.out
    assert "Your code called itself without end (RecursionError)." in r.out
    assert r.state("Generate token by token") == "○ not written yet: it returns nothing"
    assert "Traceback" not in r.out


def test_an_endless_generate_is_not_the_attention_inside_gpt2(tmp_path: Path) -> None:
    endless = "def generate(model, ids, max_new_tokens, use_cache=True):\n    while True:\n        pass\n"
    code = folder(tmp_path / "code", {"kv_cache.py": endless})
    sheets = ("exercises/test_kv_cache.py", "exercises/test_gpt2.py")
    r = run(*sheets, "-v", "--seconds", "1", "--code", str(code))
    assert r.code == 1
    assert "test_your_attention_gives_the_logits_of_gpt2 PASSED" in r.out
    assert "test_your_cache_gives_the_logits_of_gpt2 PASSED" in r.out
    assert r.state("Attention with a KV cache") == "✓ done"
    assert r.state("Your attention inside GPT-2") == "… waits for generate"


def test_code_that_cannot_be_stopped_ends_the_run_with_a_sentence(tmp_path: Path) -> None:
    stuck = (
        "def split_heads(x, n_head):\n    import threading\n    lock = threading.Lock()\n    lock.acquire()\n"
    )
    code = folder(tmp_path / "code", {"heads.py": stuck + "    lock.acquire()\n"})
    r = run("exercises/test_heads.py", "--seconds", "1", "--code", str(code))
    assert r.code == 2
    assert "split_heads did not end, and could not be stopped" in r.out


def test_a_file_that_does_not_end_or_raises_when_it_is_read(tmp_path: Path) -> None:
    code = folder(tmp_path / "code", {"heads.py": "while True:\n    pass\n", "mask.py": "import einopps\n"})
    r = run("exercises/", NO_GPT2, "-v", "--seconds", "2", "--code", str(code))
    assert "heads.py did not end while Python read it" in r.out
    assert "Your code imports einopps, which is not installed for this Python." in r.out
    assert r.state("The whole module").startswith("… waits for")


def test_a_syntax_error_stops_only_what_needs_the_file(tmp_path: Path) -> None:
    broken = (
        (ROOT / "solutions/mask.py")
        .read_text(encoding="utf-8")
        .replace("True) -> Tensor:", "True) -> Tensor")
    )
    with_bom = b"\xef\xbb\xbf" + HEADS.replace("\n", "\r\n").encode()  # that is no mistake
    code = folder(tmp_path / "code", {"mask.py": broken.encode(), "heads.py": with_bom})
    r = run("exercises/", NO_GPT2, "--code", str(code))
    assert r.state("Split into heads") == "✓ done"
    assert r.state("The triangular mask") == "✗ 0 of 5 tests pass"
    assert r.state("The whole module") == "… waits for mask.py"
    assert "Python cannot read mask.py: expected ':'." in r.out
    assert "mask.py, line 22: def causal_softmax(scores: Tensor, causal: bool = True) -> Tensor" in r.out
    assert r.out.count("Python cannot read") == 1


def test_a_renamed_function_and_a_lost_one(tmp_path: Path) -> None:
    renamed = HEADS.replace("def split_heads", "def splitt_heads").encode()
    no_class = (
        b"from exercises.heads import merge_heads as m\n\ndef concat_and_project(y, p):\n    return p(m(y))\n"
    )
    code = folder(tmp_path / "code", {"heads.py": renamed, "attention.py": no_class})
    r = run("exercises/", NO_GPT2, "-v", "--code", str(code))
    text = " ".join(r.out.split())
    assert "heads.py has no split_heads, but it has splitt_heads." in text
    assert "attention.py has no MultiHeadAttention. Was it renamed or deleted?" in text
    assert r.state("Merge the heads") == "✓ done"
    assert r.state("Concat and c_proj") == "✓ done"
    assert r.state("Attention with a KV cache").startswith("… waits for")


@pytest.mark.parametrize(
    ("data", "key", "line"),
    [
        (HEADS.encode("utf-16"), "file.utf16", None),
        (b"# ok\n# cora\xe7\xe3o\nx = 1\n", "file.not_utf8", 2),
        (b"# -*- coding: klingon -*-\nx = 1\n", "file.encoding_unknown", None),
        (b"def f():\n  x = 1\n   y = 2\n", "file.indentation", 3),
        (b"x = (1,\n\n", "file.syntax", 1),
        (None, "file.missing", None),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path: Path, data: bytes | None, key: str, line: int | None) -> None:
    path = tmp_path / "heads.py"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(FileTrouble) as caught:
        compiled(path)
    assert caught.value.key == key
    assert (caught.value.place.line if caught.value.place else None) == line


def test_files_that_can_be_read(tmp_path: Path) -> None:
    for data in (
        b"\xef\xbb\xbfx = 1\r\n",
        b"x = 1\r",
        b"# -*- coding: cp1252 -*-\n# cora\xe7\xe3o\nx = 1\n",
        b"",
    ):
        path = tmp_path / "heads.py"
        path.write_bytes(data)
        assert compiled(path) is not None
