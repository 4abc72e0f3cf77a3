"""Where it happened, as a notebook's author knows it: cell and line in the cell, beside file and line."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from autograder.extract.marks import HEADER, place, put_together
from autograder.results import SubmissionResult, TestResult

Params = dict[str, JsonValue]


def in_cells(result: SubmissionResult, files: Mapping[str, bytes]) -> SubmissionResult:
    """The result with the places that the student knows wherever it names a line of a file that was put
    together: `cell` and `cell_line` of a notebook, or another file's name and line."""
    texts = {name: data.decode("utf-8", "replace") for name, data in files.items()}
    texts = {name: text for name, text in texts.items() if put_together(text)}
    if not texts:
        return result
    return result.model_copy(
        update={
            "notebook": any(text.startswith(HEADER) for text in texts.values()),
            "tests": [_test(t, texts) for t in result.tests],
            "flags": [f.model_copy(update={"params": _placed(f.params, texts)}) for f in result.flags],
        }
    )


def _test(test: TestResult, texts: Mapping[str, str]) -> TestResult:
    shown, said = dict(test.shown), test.message
    line = shown.get("line")
    if isinstance(line, dict):
        shown["line"] = line = _placed(line, texts, "text")
        if not line.get("text"):
            del shown["line"]
    if said is not None:
        said = said.model_copy(update={"params": _placed(said.params, texts)})
    return test.model_copy(update={"shown": shown, "message": said})


def _placed(params: Params, texts: Mapping[str, str], line_text: str = "line_text") -> Params:
    """`line_text`: the parameter that holds the line; it is emptied where the line is ours."""
    file, line = params.get("file"), params.get("line")
    if not (isinstance(file, str) and file in texts and isinstance(line, int)):
        return params
    found = place(texts[file], line)
    if found is None:
        return params
    theirs = {k: "" if found.ours and k == line_text else v for k, v in params.items()}
    if found.file:
        return {**theirs, "file": found.file, "line": found.line}
    return {**theirs, "cell": found.cell, "cell_line": found.line}
