"""Times as platforms write them in their tables, in the language of whoever downloaded them."""

from __future__ import annotations

import re
from datetime import datetime, tzinfo
from functools import cache

from babel import Locale

from autograder.gradebook.names import without_accents
from autograder.gradebook.students import when

LANGUAGES = ("en", "pt", "es", "de", "fr", "it", "nl", "ca", "gl", "pl", "sv", "nb", "da")
FORMATS = ("%Y-%m-%d %H:%M:%S %z", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%d/%m/%Y, %H:%M", "%d/%m/%Y %H:%M")
LONGEST = 80  # characters
# "Monday, 1 March 2027, 8:41 PM", "sábado, 21 de nov. de 2026 às 15h04", "1. März 2027, 20:41"
WORDY = re.compile(
    r"(?P<day>\d{1,2})\.?\s(?:de\s)?(?P<month>[^\W\d_]{3,12})\.?,?\s(?:de\s)?(?P<year>\d{4}),?\s(?:[^\W\d_]{1,3}\s)?"
    r"(?P<hour>\d{1,2})[:.h](?P<minute>\d\d)(?::\d\d)?(?:\s?(?P<half>[AP])\.?M\.?)?",
    re.I,
)


def time_in(text: str, zone: tzinfo) -> str:
    """The time that a cell says, as ISO 8601 with offset; "" where it says none that is understood. zone: of one
    without."""
    at = _parsed(text.strip()) if len(text) <= LONGEST else None
    return "" if at is None else (at if at.tzinfo else at.replace(tzinfo=zone)).isoformat()


def _parsed(text: str) -> datetime | None:
    if (at := when(text)) is not None:
        return at
    for form in FORMATS:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    found = WORDY.search(text)
    month = _months().get(_plain(found["month"])) if found else None
    if found is None or month is None:
        return None
    hour = int(found["hour"])
    if found["half"]:
        hour = hour % 12 + 12 * (found["half"].upper() == "P")
    try:
        return datetime(int(found["year"]), month, int(found["day"]), hour, int(found["minute"]))
    except ValueError:
        return None


@cache
def _months() -> dict[str, int]:
    """Names of months and their short forms -> number, as far as no two languages disagree."""
    found: dict[str, set[int]] = {}
    for language in LANGUAGES:
        for widths in Locale(language).months.values():
            for width in ("wide", "abbreviated"):
                for number, name in widths[width].items():
                    found.setdefault(_plain(name), set()).add(number)
    return {name: numbers.pop() for name, numbers in found.items() if len(numbers) == 1}


def _plain(name: str) -> str:
    return without_accents(name.casefold()).rstrip(".")
