# ruff: noqa: E501 (whole sentences)
"""Results as a judge would write them, made by hand: what the pages are tried on."""

from __future__ import annotations

from typing import Any

from autograder.results import Flag, Kit, Message, Problem, SubmissionResult, TestResult, Verdict

# id, exercise, points, concept: a part of a real class's tests
TESTS = [
    ("heads/split_shape", "split_heads", 2, "every head gets n tokens of d_k numbers"),
    ("heads/each_head_reads_its_own_slice", "split_heads", 6, "each head reads its own slice of every token"),
    (
        "heads/split_smallest_sizes",
        "split_heads",
        2,
        "one token, one head or one number per head are cases too",
    ),
    ("heads/split_dtypes", "split_heads", 2, "splitting keeps the kind of number"),
    (
        "heads/split_refuses_unequal_slices",
        "split_heads",
        0,
        "a d_model that the heads cannot share is refused",
    ),
    ("heads/merge_shape", "merge_heads", 2, "every token gets its d_model numbers back"),
    (
        "heads/slices_stand_side_by_side",
        "merge_heads",
        6,
        "the heads' slices of one token stand side by side",
    ),
    ("mask/mask_is_bool", "causal_mask", 2, "the mask is true or false for each query and key"),
    ("mask/exactly_the_future_is_forbidden", "causal_mask", 5, "exactly the future is forbidden"),
    ("mask/queries_are_the_last_positions", "causal_mask", 3, "the queries are the last positions"),
    ("mask/rows_sum_to_one", "causal_softmax", 5, "each row of weights sums to 1"),
    ("mask/the_future_gets_exactly_zero", "causal_softmax", 5, "the future gets exactly 0"),
    ("mask/weights_of_the_past", "causal_softmax", 5, "the past shares the weight as the softmax says"),
    ("attention/concat_then_project", "concat_and_project", 8, "slices side by side, then mixed by c_proj"),
    ("attention/attention_values", "MultiHeadAttention", 9, "every step together gives the right numbers"),
    (
        "attention/no_token_is_moved_by_a_later_one",
        "MultiHeadAttention",
        8,
        "no token is moved by a later one",
    ),
    ("kv_cache/steps", "attend_with_cache", 10, "step by step gives what all at once gives"),
    ("kv_cache/cheaper", "attend_with_cache", 8, "with the cache a new token costs little"),
    ("kv_cache/generate", "generate", 7, "each step feeds only the new token"),
    ("gpt2/logits", "gpt2", 5, "GPT-2 with your attention gives GPT-2's logits"),
]
KIT = Kit(version="1.0.0", packages={"python": "3.11.9", "torch": "2.13.0"}, hashes={"submission": "0" * 12})


def result(student: str, changes: dict[str, dict[str, Any]] | None = None, **more: Any) -> SubmissionResult:
    """All tests pass but those in `changes`, whose keys are test ids, exercise ids or "" for all."""
    changes = changes or {}
    tests = []
    for n, (id, exercise, points, concept) in enumerate(TESTS):
        change = {**changes.get("", {}), **changes.get(exercise, {}), **changes.get(id, {})}
        verdict = Verdict(change.pop("verdict", "passed"))
        earns = verdict.earns
        tests.append(
            TestResult(
                id=id,
                exercise=exercise,
                concept=concept,
                verdict=verdict,
                points=points if earns else 0,
                max_points=points,
                seconds=round(0.01 + n / 1000, 4),
                cpu_seconds=round(0.008 + n / 1000, 4),
                **change,
            )
        )
    return SubmissionResult(
        student=student, score=sum(t.points for t in tests), isolation="strong", kit=KIT, tests=tests, **more
    )


def failed(id: str, verdict: str = "failed", **params: Any) -> dict[str, Any]:
    """A change: this message, this verdict."""
    return {"verdict": verdict, "message": Message(id=id, params=params)}


def unwritten(symbol: str) -> dict[str, Any]:
    """A change: not written."""
    return failed("not_written", symbol=symbol)


def tensor(values: Any, dtype: str = "float32") -> dict[str, Any]:
    """A TensorView out of nested lists."""
    shape, inner = [], values
    while isinstance(inner, list):
        shape.append(len(inner))
        inner = inner[0]
    return {"shape": shape, "dtype": dtype, "values": values}


def all_right() -> SubmissionResult:
    """Nothing to change."""
    return result("Ana Souza")


def split_no_transpose() -> SubmissionResult:
    """The commonest mistake, and follow-through credit after it."""
    x = [[[100 * t + d for d in range(6)] for t in range(3)]]
    flat = [n for row in x[0] for n in row]
    right = [[[[100 * t + 3 * h + d for d in range(3)] for t in range(3)] for h in range(2)]]
    wrong = [[[flat[9 * h + 3 * t : 9 * h + 3 * t + 3] for t in range(3)] for h in range(2)]]
    source = [[wrong[0][h][t][d] // 100 for h in range(2) for d in range(3)] for t in range(3)]
    shown = {
        "call": "split_heads(x, n_head=2)",
        "inputs": {"x": tensor(x)},
        "expected": tensor(right),
        "got": tensor(wrong),
        "first_difference": [0, 0, 1, 0],
        "line": {"file": "heads.py", "line": 14, "text": "return x.reshape(B, n_head, n, d_k)"},
        "code": {
            "file": "heads.py",
            "start": 12,
            "lines": [
                "def split_heads(x, n_head):",
                "    B, n, d_k = x.shape[0], x.shape[1], x.shape[2] // n_head",
                "    return x.reshape(B, n_head, n, d_k)",
            ],
        },
        "setup": "",
        "tried": "print(split_heads(x, n_head=2))",
        "picture": {
            "kind": "read_map",
            "n_head": 2,
            "expected": [[t] * 6 for t in range(3)],
            "got": source,
        },
    }
    named = {"mistakes": ["split-no-transpose"], "shown": shown}
    differ = failed(
        "values.differ", what="result", wrong=162, total=210, first=[0, 0, 1, 0], shape=[2, 3, 7, 5]
    )
    credit = {"follow_through": True, "follow_through_of": ["split_heads"]}
    return result(
        "Bruno Álvares",
        {
            "heads/each_head_reads_its_own_slice": {**differ, **named},
            "heads/split_smallest_sizes": {**differ, **named},
            "heads/split_dtypes": {**differ, **named},
            "heads/split_refuses_unequal_slices": {
                **failed("split.not_refused", d_model=10, n_head=3),
                **named,
            },
            "MultiHeadAttention": credit,
            "attend_with_cache": credit,
        },
    )


TOKENS = ["O", "Brasil", "é", "gigante", "pela"]


def several_wrong() -> SubmissionResult:
    """A named mistake, an unknown one with a leak map, an exception, and something not written."""
    scores = [[0.5, 1.0, -0.5, 0.2, 0.9], [1.2, 0.3, 0.8, -1.0, 0.1], [0.0, 0.4, 0.4, 1.5, -0.3]]
    scores += [[-0.2, 0.9, 0.1, 0.6, 0.7], [0.3, 0.2, 1.1, 0.5, -0.4]]
    right = [
        [1.0, 0.0, 0.0, 0.0, 0.0],
        [0.711, 0.289, 0.0, 0.0, 0.0],
        [0.251, 0.374, 0.374, 0.0, 0.0],
        [0.136, 0.407, 0.183, 0.275, 0.0],
        [0.172, 0.155, 0.382, 0.21, 0.085],
    ]
    wrong = [
        [0.182, 0.0, 0.0, 0.0, 0.0],
        [0.407, 0.166, 0.0, 0.0, 0.0],
        [0.108, 0.161, 0.161, 0.0, 0.0],
        [0.101, 0.303, 0.136, 0.205, 0.0],
        [0.172, 0.155, 0.382, 0.21, 0.085],
    ]
    softmax = {
        "mistakes": ["mask-after-softmax"],
        "shown": {
            "call": "causal_softmax(scores)",
            "inputs": {"scores": tensor(scores)},
            "expected": tensor(right),
            "got": tensor(wrong),
            "first_difference": [0, 0],
            "picture": {"kind": "attention", "tokens": TOKENS, "expected": right, "got": wrong},
        },
    }
    leak = [[0.0 if m < c else 0.7 for m in range(5)] for c in range(5)]
    leaked = [[0.3 if m < c and m > 0 else 0.0 if m < c else 0.7 for m in range(5)] for c in range(5)]
    module = {
        "shown": {
            "call": "MultiHeadAttention(d_model=6, n_head=2)(x)",
            "picture": {"kind": "leak_map", "tokens": TOKENS, "expected": leak, "got": leaked},
        },
        "fingerprint": "0123456789ab",
    }
    return result(
        "Carla Nunes",
        {
            "mask/rows_sum_to_one": {**failed("weights.sums", rows=[0, 1, 2, 3]), **softmax},
            "mask/weights_of_the_past": {
                **failed(
                    "values.differ",
                    what="weights",
                    wrong=90,
                    total=294,
                    first=[0, 0, 0, 0],
                    shape=[2, 3, 7, 7],
                ),
                **softmax,
            },
            "attention/attention_values": {
                **failed(
                    "values.differ", what="result", wrong=210, total=210, first=[0, 0, 0], shape=[2, 7, 15]
                ),
                **module,
            },
            "attention/no_token_is_moved_by_a_later_one": {
                **failed("leak.moved", what="output", changed=4, moved=[1, 2, 3]),
                **module,
            },
            "attend_with_cache": failed(
                "raised",
                "error",
                kind="RuntimeError",
                text="Sizes of tensors must match except in dimension 1. Expected size 3 but got size 1",
                file="kv_cache.py",
                line=31,
                line_text="k = torch.cat([k_past, k], dim=1)",
            ),
            "generate": unwritten("generate"),
            "gpt2": failed("needs_first", "skipped", exercise="attend_with_cache"),
        },
        flags=[
            Flag(
                id="not_allowed",
                params={"name": "scaled_dot_product_attention", "file": "mask.py", "line": 12},
            )
        ],
    )


def same_mistake_twice() -> SubmissionResult:
    """A mistake that a later exercise repeats in its own code: taken off once, to change twice."""
    named = {"mistakes": ["mask-after-softmax"]}
    differ = failed("weights.sums", rows=[0, 1, 2, 3])
    line = "weights = scores.softmax(dim=-1).masked_fill(future, 0.0)"
    credit = {"follow_through": True, "follow_through_of": ["causal_softmax"], **named}
    return result(
        "Gil Moreira",
        {
            "causal_softmax": {
                **differ,
                **named,
                "shown": {"line": {"file": "mask.py", "line": 22, "text": line}},
            },
            "MultiHeadAttention": {
                **credit,
                "shown": {"line": {"file": "attention.py", "line": 41, "text": line}},
            },
            "attend_with_cache": credit,
            "gpt2": {**credit, "follow_through_of": ["causal_softmax", "MultiHeadAttention"]},
        },
    )


def whole_text_again() -> SubmissionResult:
    """A notebook: what went into the model, call by call, and one call too few."""
    shown = {
        "call": "generate(model, ids, max_new_tokens=3)",
        "inputs": {"ids": tensor([[3, 1], [7, 2]], "int64")},
        "expected": tensor([[1, 2, 0, 0], [2, 1, 2, 2], [3, 1, 3, 3]], "int64"),
        "got": tensor([[1, 2, 0, 0], [2, 3, 0, 0]], "int64"),
        "trace": {"row": "trace.fed", "columns": ["token", "rows", "start", "past"]},
        "setup": "model = Model()",
        "tried": "print(generate(model, ids, max_new_tokens=3))",
        "line": {
            "file": "kv_cache.py",
            "line": 42,
            "text": "logits, cache = model(out)",
            "cell": 17,
            "cell_line": 5,
        },
        "code": {
            "file": "kv_cache.py",
            "start": 41,
            "lines": ["    for _ in range(max_new_tokens):", "        logits, cache = model(out)"],
        },
    }
    differ = failed("values.differ", what="calls", wrong=6, total=12, first=[1, 1], shape=[3, 4])
    return result("Helena Dias", {"kv_cache/generate": {**differ, "shown": shown}}, notebook=True)


def untouched() -> SubmissionResult:
    """The stubs as they were handed out."""
    symbols = {e: e for _, e, _, _ in TESTS if e != "gpt2"}
    changes = {e: unwritten(e) for e in symbols}
    return result(
        "Davi", {**changes, "gpt2": failed("needs_first", "skipped", exercise="MultiHeadAttention")}
    )


def empty_folder() -> SubmissionResult:
    """Nothing was handed in: unwritten work, a real 0."""
    return untouched().model_copy(
        update={"student": "Hugo Dias", "problems": [Problem(id="folder.empty", params={})]}
    )


def not_read() -> SubmissionResult:
    """What was handed in could not be read: no tests, no grade."""
    return SubmissionResult(
        student="Íris Prado",
        score=0.0,
        isolation="strong",
        kit=KIT,
        tests=[],
        problems=[Problem(id="zip.broken", params={"file": "work.zip"})],
    )


def not_judged() -> SubmissionResult:
    """The grader failed on all of it: no grade either."""
    fault = failed("grader_fault", "grader_fault", detail="the judge process ended")
    died = Problem(id="grader.died", params={"why": "the judge process ended"})
    return result("Jonas Melo", {"": fault}, problems=[died])


def syntax_error() -> SubmissionResult:
    """One file that Python cannot read, and a problem of intake."""
    broken = failed(
        "load.syntax",
        "error",
        kind="SyntaxError",
        text="'(' was never closed",
        file="heads.py",
        line=12,
        line_text="x = x.reshape(B, n, n_head, d_k",
    )
    waits = failed("needs_file", "skipped", file="heads.py", line=12)
    late = dict.fromkeys(("concat_and_project", "MultiHeadAttention", "attend_with_cache", "gpt2"), waits)
    return result(
        "Eva Lima",
        {"split_heads": broken, "merge_heads": broken, **late},
        problems=[Problem(id="problem.file.too_big", params={"file": "mask.py", "limit_kb": 256})],
        flags=[Flag(id="flag.read_as", params={"found": "heads (1).py", "file": "heads.py"})],
    )


def measured() -> SubmissionResult:
    """No gain from the cache, a timeout, something not measured, a fault of the grader."""
    return result(
        "Fábio Reis",
        {
            "kv_cache/steps": {
                "verdict": "not_measured",
                "message": Message(id="grader_fault", params={"detail": "x"}),
            },
            "kv_cache/cheaper": {
                **failed("values.differ", what="cost", wrong=1, total=1, first=[0], shape=[1]),
                "mistakes": ["recompute-all"],
                "shown": {
                    "picture": {
                        "kind": "cost",
                        "positions": [64, 128, 192, 256, 320, 384, 448, 512],
                        "cached": [1.0, 2.1, 3.2, 4.2, 5.4, 6.6, 7.9, 9.3],
                        "uncached": [1.1, 2.2, 3.2, 4.3, 5.5, 6.7, 8.1, 9.6],
                    }
                },
            },
            "generate": failed("timeout.cpu", "timeout", seconds=10.0),
            "gpt2": failed("grader_fault", "grader_fault", detail="the worker could not be started"),
        },
    )


EVIL = "<script>alert(1)</script>"


def hostile() -> SubmissionResult:
    """Text that would like to be markup: in names, exceptions, lines, tokens, tensors and messages."""
    text = f"{EVIL} ![x](http://evil.example) [y](javascript:alert(1)) \u202e gnp.exe \x1b[31m ``` `` </pre></svg>\n# H"
    raised = failed(
        "raised",
        "error",
        kind=EVIL,
        text=text,
        file="heads.py",
        line=3,
        line_text=f"raise X('{EVIL}')  # ``` {{x}} \u2066",
    )
    shown = {
        "call": EVIL,
        "inputs": {EVIL: EVIL, "x": {"shape": [1], "dtype": EVIL[:20], "values": [1.0]}},
        "expected": EVIL,
        "got": {"exception": EVIL, "text": text},
        "line": {"file": EVIL, "line": 1, "text": text},
        "picture": {
            "kind": "leak_map",
            "tokens": [EVIL, "</svg>"],
            "expected": [[1, 1], [0, 1]],
            "got": [[1, 1], [2, 1]],
        },
    }
    return result(
        f"{EVIL} *Eve* _x_ [l](http://evil.example) \u202e",
        {
            "split_heads": raised,
            "causal_mask": {**failed("kind.wrong", what=text, expected=EVIL, got=EVIL), "shown": shown},
        },
        problems=[Problem(id=EVIL, params={"x": text}), Problem(id="file.link", params={"file": text})],
        flags=[Flag(id="not_allowed", params={"name": EVIL, "file": text, "line": 1})],
    )


ALL = {
    "all_right": all_right,
    "split_no_transpose": split_no_transpose,
    "several_wrong": several_wrong,
    "same_mistake_twice": same_mistake_twice,
    "whole_text_again": whole_text_again,
    "untouched": untouched,
    "empty_folder": empty_folder,
    "not_read": not_read,
    "not_judged": not_judged,
    "syntax_error": syntax_error,
    "measured": measured,
    "hostile": hostile,
}
