"""The student's page: right, complete, readable by everybody, and safe whatever a student wrote."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autograder.assignment import KIT as ROOT
from autograder.assignment import Assignment, AssignmentError, load_assignment
from autograder.course import Language
from autograder.feedback.class_page import class_html
from autograder.feedback.student_page import student_html, student_markdown
from autograder.results import Message, SubmissionResult, Verdict
from tests.feedback import results
from tests.feedback.known import mistakes
from tests.feedback.languages import LANGUAGES
from tests.feedback.reading import Page

CASES = [(name, lang) for name in results.ALL for lang in LANGUAGES]


def page(result: SubmissionResult, lang: Language = "en", assignment: Assignment | None = None) -> Page:
    return Page(student_html(result, assignment or load_assignment(), lang, mistakes))


@pytest.mark.parametrize(("name", "lang"), CASES)
def test_golden(
    name: str, lang: Language, assignment: Assignment, golden: Callable[[str, str], None]
) -> None:
    result = results.ALL[name]()
    golden(f"{name}.json", result.model_dump_json(indent=1) + "\n")
    golden(f"{name}.{lang}.html", student_html(result, assignment, lang, mistakes))
    golden(f"{name}.{lang}.md", student_markdown(result, assignment, lang, mistakes))


@pytest.mark.parametrize("name", results.ALL)
def test_a_result_read_from_its_file_gives_the_same_page(name: str, assignment: Assignment) -> None:
    result = results.ALL[name]()
    again = SubmissionResult.model_validate_json(result.model_dump_json())
    assert student_html(again, assignment, "en", mistakes) == student_html(result, assignment, "en", mistakes)


@pytest.mark.parametrize(("name", "lang"), CASES)
def test_made_for_everybody(name: str, lang: Language) -> None:
    p = page(results.ALL[name](), lang)
    assert p.all("html")[0].attributes["lang"] == lang
    assert [e.text for e in p.all("title")] != [""]
    for landmark in ("header", "main", "footer", "h1"):
        assert len(p.all(landmark)) == 1
    levels = [int(e.tag[1]) for e in p.all("h1", "h2", "h3", "h4", "h5", "h6")]
    assert all(b <= a + 1 for a, b in zip(levels, levels[1:], strict=False)), f"a level is left out: {levels}"
    ids = [e.attributes["id"] for e in p.elements if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    for element in p.elements:
        named = element.attributes.get("aria-labelledby", "").split()
        target = element.attributes.get("href", "")
        assert set(named) <= set(ids)
        assert not target.startswith("#") or target[1:] in ids
    assert all(e.attributes.get("scope") in ("col", "row") for e in p.all("th"))
    for svg in p.all("svg"):
        assert svg.attributes["role"] == "img"
        assert len(svg.attributes["aria-label"]) > 20
    said = [svg.attributes["aria-label"] in p.text for svg in p.all("svg")]
    assert not said or any(said)  # of each pair the student's: the same words for those who see
    assert all(e.text.strip() for e in p.all("summary", "h1", "h2", "h3", "h4", "h5", "a", "th"))


@pytest.mark.parametrize(("name", "lang"), CASES)
def test_nothing_runs_and_nothing_is_fetched(name: str, lang: Language) -> None:
    p = page(results.ALL[name](), lang)
    tags = {e.tag for e in p.elements}
    assert not tags & {"script", "iframe", "object", "embed", "img", "link", "form", "base", "foreignobject"}
    for element in p.elements:
        assert not [k for k in element.attributes if k.startswith("on") or k in ("src", "xlink:href")]
        assert element.attributes.get("href", "#").startswith("#")
    style = p.all("style")[0].text
    assert "url(" not in style
    assert "@import" not in style
    assert "@font-face" not in style


def test_hostile_text_is_shown_as_text() -> None:
    p = page(results.hostile())
    assert results.EVIL in p.all("h1")[0].text
    assert "\\u202e" in p.all("h1")[0].text
    assert "\u202e" not in p.source
    assert "\u2066" not in p.source
    assert "\x1b" not in p.source


def test_hostile_text_in_markdown(assignment: Assignment) -> None:
    from markdown_it import MarkdownIt

    text = student_markdown(results.hostile(), assignment, "en", mistakes)
    html = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    tags = {e.tag for e in Page(f"<body>{html}</body>").elements}
    assert tags <= {
        *("body", "h1", "h2", "h3", "h4", "h5", "p", "ul", "li", "code", "pre", "strong", "hr", "details"),
        *("summary", "table", "thead", "tbody", "tr", "th", "td"),
    }
    assert "\u202e" not in text


def test_the_order_of_the_page() -> None:
    p = page(results.several_wrong())
    order = [e.text for e in p.all("h2")]
    assert order == [
        "What you have",
        "Look at this first",
        "Then change this",
        "Waiting for something else",
        "Not written yet",
        "A note",
        "What is already right",
    ]


@pytest.mark.parametrize(("name", "lang"), CASES)
def test_nothing_is_said_twice(name: str, lang: Language) -> None:
    """No paragraph and no line of a list, whatever the page is about."""
    for text in (p := page(results.ALL[name](), lang)).all("p", "li"):
        said = " ".join(text.text.split())
        assert len(said) < 45 or sum(" ".join(e.text.split()) == said for e in p.all("p", "li")) == 1, said


def test_several_unknown_causes_are_explained_once() -> None:
    odd = results.failed("values.differ", what="result", wrong=1, total=2, first=[0], shape=[2])
    p = page(results.result("A", dict.fromkeys(("split_heads", "merge_heads", "causal_mask"), odd)))
    assert p.text.count("we will not guess at the cause") == 1
    assert len(p.all("article")) == 3


def test_every_exercise_has_a_bar_with_its_points_in_words() -> None:
    p = page(results.several_wrong())
    rows = [" ".join(e.text.split()) for e in p.all("tr")]
    assert "Softmax over the past5 / 15●to change" in rows
    assert "The triangular mask10 / 10✓complete" in rows
    widths = [e.attributes["style"] for e in p.all("i") if "style" in e.attributes]
    assert widths[:4] == ["width: 100.0%"] * 3 + ["width: 33.3%"]


def test_many_tests_with_one_cause_are_one_block() -> None:
    p = page(results.split_no_transpose())
    blocks = p.all("article")
    assert len(blocks) == 1
    assert "Tokens dealt out to the heads like cards" in blocks[0].text
    assert "4 checks fail for this reason" in blocks[0].text


def test_one_error_in_one_line_is_one_block_across_exercises() -> None:
    raised = results.failed(
        "raised", "error", kind="IndexError", text="x", file="heads.py", line=3, line_text="y[9]"
    )
    p = page(results.result("A", {"split_heads": raised, "MultiHeadAttention": raised}))
    assert len(p.all("article")) == 1
    assert "it also affects: The whole module" in p.all("article")[0].text


def test_the_students_own_function_is_shown_with_the_line_marked(assignment: Assignment) -> None:
    p = page(results.split_no_transpose())
    own = next(e for e in p.all("pre") if e.attributes.get("class") == "own")
    assert [line.split() for line in own.text.splitlines() if "→" in line] == [
        ["→", "14", "return", "x.reshape(B,", "n_head,", "n,", "d_k)"]
    ]
    assert "12  def split_heads" in own.text
    text = student_markdown(results.split_no_transpose(), assignment, "en", mistakes)
    assert "-->  14      return x.reshape(B, n_head, n, d_k)" in text
    own = next(e for e in page(results.whole_text_again()).all("pre") if e.attributes.get("class") == "own")
    assert "→  5  " in own.text  # in a notebook: the line of the cell
    for odd in ({"file": "heads.py"}, {"file": "heads.py", "start": 20, "lines": ["x"]}, [], "x", 3):
        result = results.split_no_transpose()
        tests = [
            t.model_copy(update={"shown": {**t.shown, "code": odd} if t.shown else {}}) for t in result.tests
        ]
        p = page(result.model_copy(update={"tests": tests}))
        assert not [e for e in p.all("pre") if e.attributes.get("class") == "own"]
        assert "return x.reshape(B, n_head, n, d_k)" in p.text  # the line alone


def test_an_example_can_be_pasted(assignment: Assignment) -> None:
    p = page(results.split_no_transpose())
    tried = next(e for e in p.all("details") if e.attributes.get("class") == "try")
    assert "from exercises.heads import split_heads" in tried.text
    assert "x = torch.tensor([[[0., 1., 2.," in tried.text
    assert "print(split_heads(x, n_head=2))" in tried.text
    p = page(results.whole_text_again())
    tried = next(e for e in p.all("details") if e.attributes.get("class") == "try")
    assert "Run this in a new cell" in tried.text
    assert "from exercises" not in tried.text


def test_what_went_into_the_model_is_told_call_by_call(assignment: Assignment) -> None:
    p = page(results.whole_text_again())
    rows = [" ".join(e.text.split()) for e in p.all("tr")]
    assert (
        "12 tokens (the last: 1), start = 0, cache: none2 tokens (the last: 1), start = 0, cache: none"
        in rows
    )
    assert any(row.startswith("21 token (2), start = 2, cache: 2 tokens✗ 3 tokens") for row in rows)
    assert "no further call" in rows[-1]
    text = student_markdown(results.whole_text_again(), assignment, "en", mistakes)
    assert "| 2 | 1 token (2), `start = 2`, cache: 2 tokens | **3 tokens" in text


def test_follow_through_is_told() -> None:
    text = page(results.split_no_transpose()).text
    assert "Not taken off twice" in text
    assert "The whole module and Attention with a KV cache, because of “Split into heads”: 35 points" in text


def test_the_same_mistake_again_is_still_to_change() -> None:
    p = page(results.same_mistake_twice())
    again = next(e for e in p.all("section") if e.attributes.get("aria-labelledby") == "again")
    assert "Also to change here, no points lost" in again.text
    module, cache = (
        " ".join(e.text.split()) for e in p.all("li") if "as in “Softmax over the past”" in e.text
    )
    assert "The whole module MultiHeadAttention" in module
    assert "The future is removed after the softmax, as in “Softmax over the past”. 17 points" in module
    assert "Your line 41 in attention.py" in module
    assert "18 points" in cache
    assert "Your line" not in cache
    assert "6 of 9 exercises are complete" in p.text  # neither the first, nor the two that repeat it
    rows = [e.text for e in p.all("tr")]
    assert any("The whole module" in r and "also to change here, no points lost" in r for r in rows)
    assert any("Softmax over the past" in r and "0 / 15" in r for r in rows)
    assert "Token by token gives what the whole sentence gives" not in p.text
    inside = "Your attention inside GPT-2, because of “Softmax over the past and The whole module”"
    assert inside in p.text  # it has no code of its own: nothing is to change there


def test_a_repeated_mistake_is_told_in_portuguese() -> None:
    text = " ".join(page(results.same_mistake_twice(), "pt-BR").text.split())
    assert "também a corrigir aqui, sem perder pontos" in text
    assert "O futuro é retirado depois do softmax, como em “Softmax sobre o passado”" in text


def test_an_error_does_not_carry_hidden_numbers_to_the_page() -> None:
    def told(text: str, **more: object) -> str:
        raised = results.failed(
            "raised", "error", kind="ValueError", text=text, file="heads.py", line=3, line_text="f"
        )
        return page(results.result("A", {"split_heads": {**raised, **more}})).text

    assert "0.7315" not in told("tensor([[0.7315, -1.2]])")
    assert "shape '[2, 7]' is invalid" in told("shape '[2, 7]' is invalid for input of size 15")
    public = {"shown": {"got": {"exception": "ValueError", "text": "x is 0.5"}}}
    assert "0.7315" not in told("x is 0.7315", **public)
    assert "x is 0.5" in told("x is 0.7315", **public)


def test_unwritten_is_not_an_error() -> None:
    p = page(results.untouched())
    assert not p.all("article")
    assert "to change" not in p.text
    assert "Write split_heads next" in p.text
    assert "Nothing is wrong with these" in p.text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_without_a_grade_no_points_are_told(lang: Language, assignment: Assignment) -> None:
    for result in (results.not_read(), results.not_judged()):
        for text in (page(result, lang).text, student_markdown(result, assignment, lang, mistakes)):
            assert {"en": "No grade yet", "pt-BR": "Ainda sem nota"}[lang] in text
            for word in ("100", "not written", "não escrito", "could be read\n", "has the points", " / 12"):
                assert word not in text.split("Kit 1.0.0")[0]
    said = page(results.not_read()).text
    assert "Hand your work in again" in said
    assert "work.zip is damaged" in said
    said = page(results.not_judged()).text
    assert "The grader itself failed on your work" in said
    assert "Let your own attention write" not in said


def test_an_empty_folder_is_work_that_is_not_written() -> None:
    text = page(results.empty_folder()).text
    assert "Nothing was handed in" in text
    assert "could be read" not in text
    assert "of 100 points" in text
    assert "Write split_heads next" in text


def test_a_fault_of_ours_is_told_apart() -> None:
    p = page(results.measured())
    ours = next(e for e in p.all("section") if e.attributes.get("aria-labelledby") == "ours")
    assert "That is our fault" in ours.text
    assert "could not be measured reliably" in ours.text
    changes = next(e for e in p.all("section") if e.attributes.get("aria-labelledby") == "change")
    assert "grader" not in changes.text


def test_what_costs_nothing_is_a_tip() -> None:
    id = "heads/split_refuses_unequal_slices"
    p = page(results.result("A", {id: results.failed("split.not_refused", d_model=10, n_head=3)}))
    assert "All exercises are complete" in p.text
    assert "Nothing is left to change" in p.text
    assert "Worth knowing, costs no points" in p.text
    levels = [int(e.tag[1]) for e in p.all("h1", "h2", "h3", "h4", "h5", "h6")]
    assert all(b <= a + 1 for a, b in zip(levels, levels[1:], strict=False)), levels
    assert "to change" not in p.all("main")[0].text.replace("Nothing is left to change", "")


def test_a_file_that_does_not_load_comes_first() -> None:
    raised = results.failed(
        "raised", "error", kind="IndexError", text="", file="mask.py", line=1, line_text=""
    )
    broken = results.failed(
        "load.syntax", "error", kind="SyntaxError", text="bad", file="kv_cache.py", line=7, line_text="def f("
    )
    p = page(results.result("A", {"causal_mask": raised, "generate": broken}))
    card = next(e for e in p.elements if e.attributes.get("class") == "card first")
    assert "kv_cache.py cannot be loaded" in card.text
    assert "def f(" in card.text


def test_what_others_stand_on_comes_first() -> None:
    p = page(results.several_wrong())
    card = next(e for e in p.elements if e.attributes.get("class") == "card first")
    assert "The future is removed after the softmax" in card.text


def test_nothing_that_could_be_read() -> None:
    said = {"found": "essay.docx", "expected": "heads.py"}
    result = results.result("A", problems=[results.Problem(id="folder.unknown", params=said)]).model_copy(
        update={"tests": [], "score": 0.0}
    )
    p = page(result)
    assert "Hand your work in again" in p.text
    assert "None of the files is an exercise. Found: essay.docx" in p.text
    assert not p.all("article")


def test_hints_are_folded_in_three_steps() -> None:
    p = page(results.split_no_transpose())
    hints = [e for e in p.all("details") if "Hint" in e.text]
    assert [e.text[:6] for e in hints] == ["Hint 1", "Hint 2", "Hint 3"]
    assert not any("open" in e.attributes for e in hints)


def test_the_courses_title_is_in_the_pages_language(assignment: Assignment) -> None:
    for lang, title in (
        ("en", "Multi-head attention and the causal mask"),
        ("pt-BR", "Atenção multi-cabeça e a máscara causal"),
    ):
        p = page(results.all_right(), lang)  # type: ignore[arg-type]
        assert p.all("title")[0].text.endswith(title)
        assert title in p.all("header")[0].text
        assert title in class_html([], assignment, lang)  # type: ignore[arg-type]
    about = assignment.course.model_copy(update={"title": "One for all"})
    one = assignment.model_copy(update={"course": about})
    assert "One for all" in page(results.all_right(), "pt-BR", one).all("header")[0].text


def test_a_title_that_cannot_be_used_is_explained(tmp_path: Path) -> None:
    text = (ROOT / "course.toml").read_text(encoding="utf-8")
    path = tmp_path / "course.toml"
    for title in ('{ en = "Attention" }', '""', "3", '{ en = "A", "pt-BR" = "B", de = "C" }'):
        path.write_text(re.sub(r"(?m)^title = .*\n", f"title = {title}\n", text, count=1), encoding="utf-8")
        with pytest.raises(AssignmentError, match=r"course\.title: give one text, or one for each language"):
            load_assignment(path)
    path.write_text(re.sub(r"(?m)^title = .*\n", 'title = "One"\n', text, count=1), encoding="utf-8")
    assert load_assignment(path).course.title_in("pt-BR") == "One"


def test_without_a_known_mistake_the_exercise_has_its_own_hints() -> None:
    odd = results.failed("values.differ", what="result", wrong=1, total=2, first=[0], shape=[2])
    p = page(results.result("A", {"causal_softmax": odd, "gpt2": odd}))
    hints = ("What must a score be so that e^score is exactly 0?", "Do all earlier tests pass?")
    for card, hint in zip(p.all("article"), hints, strict=True):
        assert hint in card.text
        assert "costs" in card.text
        assert "section " in card.text
    folded = [e for e in p.all("details") if "Hint" in e.text]
    assert len(folded) == 6
    assert not any("open" in e.attributes for e in folded)
    broken = results.failed("load.syntax", "error", kind="SyntaxError", text="bad", file="mask.py", line=7)
    assert "Hint" not in page(results.result("A", {"causal_softmax": broken})).text


def test_what_to_write_next_is_tried_with_its_own_tests(assignment: Assignment) -> None:
    for exercise in assignment.exercises:
        text = page(results.result("A", {exercise.id: results.unwritten(exercise.symbols[0])})).text
        assert f"pytest exercises/test_{exercise.sheet}.py" in text
        assert (ROOT / "exercises" / f"test_{exercise.sheet}.py").exists()


@pytest.mark.parametrize(("lang", "words"), [("en", "is a return missing?"), ("pt-BR", "falta um return?")])
def test_who_returns_nothing_is_asked_for_the_return(
    lang: Language, words: str, assignment: Assignment
) -> None:
    change = results.failed("not_written", symbol="split_heads", returned="None")
    nothing = results.result("A", {"split_heads": change})
    assert words in page(nothing, lang).text
    assert words in student_markdown(nothing, assignment, lang, mistakes).replace("`", "")
    assert words not in page(results.untouched(), lang).text


def test_what_is_certain_is_said_when_no_mistake_is_known() -> None:
    odd = {**results.failed("values.differ", what="result", wrong=1, total=2, first=[0], shape=[2])}
    odd["shown"] = {"certain": {"id": "certain.scale", "params": {"scale": 1.0, "expected": 0.2582}}}
    card = page(results.result("A", {"causal_softmax": odd})).all("article")[0]
    assert "not one of the mistakes we know" in card.text
    assert "softmax of the scores times 1; they should be multiplied by 0.2582" in card.text


def test_the_same_symbol_inside_gpt2_is_the_same_cause() -> None:
    odd = results.failed("values.differ", what="result", wrong=1, total=2, first=[0], shape=[2])
    p = page(results.result("A", {"MultiHeadAttention": odd, "gpt2": odd}))
    assert len(p.all("article")) == 1
    assert "it also affects: Your attention inside GPT-2" in p.text
    assert len(page(results.result("A", {"causal_mask": odd, "gpt2": odd})).all("article")) == 2


def test_several_indistinguishable_mistakes_are_all_named() -> None:
    both = {**results.failed("values.differ", what="result", wrong=1, total=2, first=[0], shape=[2])}
    both["mistakes"] = ["split-no-transpose", "mask-after-softmax"]
    p = page(results.result("A", {"split_heads": both}))
    assert "nothing that can be measured tells them apart" in p.text
    assert "Tokens dealt out" in p.text
    assert "removed after the softmax" in p.text
    assert len([e for e in p.all("details") if "Hint" in e.text]) == 6


def test_a_mistake_that_this_kit_does_not_know_is_still_a_page() -> None:
    odd = {**results.failed("values.differ", what="result", wrong=1, total=2, first=[0], shape=[2])}
    p = page(results.result("A", {"split_heads": {**odd, "mistakes": ["from-a-newer-kit"]}}))
    assert len(p.all("article")) == 1


def test_attack_flags_are_not_put_to_the_student() -> None:
    p = page(results.result("A", flags=[results.Flag(id="attack", params={"what": "a system call"})]))
    assert "forbids" not in p.text
    assert "system call" not in p.text


def test_the_seed_and_hashes_are_not_on_the_page(assignment: Assignment) -> None:
    for make in results.ALL.values():
        html = student_html(make(), assignment, "en", mistakes)
        assert assignment.course.seed not in html
        assert "0" * 12 not in html


def test_numbers_in_portuguese() -> None:
    half = results.result("A", {"kv_cache/generate": {"verdict": Verdict.FAILED}})
    half = half.model_copy(update={"score": 92.5})
    assert "92,5" in page(half, "pt-BR").text
    assert "92.5" in page(half, "en").text
    shown = page(results.several_wrong(), "pt-BR")
    assert all("," not in e.text for e in shown.all("pre") if "0.711" in e.text)
    assert any("0.711" in e.text for e in shown.all("pre"))


json = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=12,
)
keys = st.sampled_from(
    ["call", "inputs", "expected", "got", "first_difference", "line", "picture", "message", "params", "x"]
)
kinds = st.sampled_from(["leak_map", "read_map", "attention", "cost", "other"])
pictures = st.dictionaries(
    st.sampled_from(["tokens", "expected", "got", "n_head", "positions", "cached", "uncached"]), json
).flatmap(lambda d: kinds.map(lambda k: {**d, "kind": k}))
tensors = st.fixed_dictionaries({"shape": json, "dtype": json, "values": json})


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    shown=st.dictionaries(keys, json | pictures | tensors, max_size=6),
    message=st.dictionaries(st.sampled_from(["what", "rows", "kind", "line", "text", "exercise"]), json),
    id=st.sampled_from(["raised", "values.differ", "needs_first", "values.not_finite", "x"]),
)
def test_whatever_a_result_holds_there_is_a_page(
    shown: dict[str, object], message: dict[str, object], id: str
) -> None:
    change = {
        "verdict": "failed",
        "shown": shown,
        "message": Message.model_validate({"id": id, "params": message}),
    }
    result = results.result("A", {"split_heads": change})
    result = SubmissionResult.model_validate_json(result.model_dump_json())
    p = page(result)
    assert "split_heads" in p.text
    assert student_markdown(result, load_assignment(), "pt-BR", mistakes)


def test_colours_can_be_read() -> None:
    css = page(results.all_right()).all("style")[0].text
    schemes = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    assert len(schemes) == 3  # light, dark, print
    for scheme in schemes:
        colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6})", scheme))
        for text in ("ink", "muted", "good", "bad"):
            for ground in ("paper", "card", "quiet"):
                assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground, colours)
        assert contrast(colours["bad"], colours["bad-soft"]) >= 4.5
        assert contrast(colours["good"], colours["good-soft"]) >= 4.5


def contrast(a: str, b: str) -> float:
    """WCAG's contrast of two colours."""

    def light(colour: str) -> float:
        digits = colour[1:] if len(colour) == 7 else "".join(c * 2 for c in colour[1:])
        parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(a), light(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)
