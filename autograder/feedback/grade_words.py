"""What a student reads of a grade beside the points: late work, extensions, what a person has decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from babel.dates import format_datetime
from pydantic import JsonValue

from autograder.feedback.rich import Rich
from autograder.feedback.texts import Texts
from autograder.feedback.wording import title
from autograder.gradebook.overrides import Override
from autograder.gradebook.policy import Grade

# (of one exercise, private)
DECIDED = {
    (True, False): "grade.override",
    (True, True): "grade.override_private",
    (False, False): "grade.override_whole",
    (False, True): "grade.override_whole_private",
}


@dataclass(frozen=True)
class GradeWords:
    """final: what counts, in points; reasons: why it is that, one sentence each; decided: whether a person has
    decided something of it."""

    final: float
    reasons: tuple[Rich, ...]
    decided: bool = False


def grade_words(grade: Grade | None, say: Texts) -> GradeWords | None:
    """None where what was earned is what counts, and nobody has decided anything."""
    if grade is None or not (grade.why or grade.overrides):
        return None
    reasons = [say.rich(m.id, dict(_params(m.params, say))) for m in grade.why]
    reasons += [words for one in grade.overrides for words in _decided(one, grade, say)]
    return GradeWords(float(grade.final), tuple(reasons), bool(grade.overrides))


def _params(params: dict[str, JsonValue], say: Texts) -> Iterator[tuple[str, JsonValue]]:
    """Times as people of that language write them."""
    for name, value in params.items():
        if name in ("until", "at") and isinstance(value, str):
            yield name, format_datetime(datetime.fromisoformat(value), "long", locale=say.locale)
        elif name in ("points", "share") and isinstance(value, int | float):
            yield name, say.points(value * 100 if name == "share" else value)
        else:
            yield name, value


def _decided(one: Override, grade: Grade, say: Texts) -> Iterator[Rich]:
    """What was decided, and instead of what: all numbers of a page add up to what counts.

    The reason of an override is between the person who decided it and others where it is private.
    """
    what = title(one.exercise, say) if one.exercise else ""
    params = {"exercise": what, "points": say.points(float(one.points)), "reason": one.reason}
    params["before"] = say.points(float(grade.before.get(one.exercise, 0)))
    yield say.rich(DECIDED[bool(one.exercise), one.private], {**params})
    if one.comment:
        yield say.rich("grade.comment", {"text": one.comment})
