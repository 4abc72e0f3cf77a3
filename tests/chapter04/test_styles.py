"""Right code in many styles gets full marks: one small file in styles/ each."""

from __future__ import annotations

import pytest

from tests.chapter04.grading import lost, outcomes
from tests.chapter04.pieces import Written, all_in

STYLES = all_in("styles")


@pytest.mark.parametrize("style", STYLES, ids=lambda s: s.name)
def test_right_code_gets_full_marks(style: Written):
    found = outcomes(style.files, timing=style.timing)
    for _ in range(3 if style.timing else 0):
        # Here all share one process and its clock, which the judge's workers do not: noise is measured again.
        if lost(found) == {} and {o.id for o in found if o.verdict != "passed"} == style.told_by:
            break
        found = outcomes(style.files, timing=True)
    assert lost(found) == {}
    assert {o.id for o in found if o.verdict != "passed"} == style.told_by
