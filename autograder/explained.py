"""What is wrong with a course.toml, in words: the key, what it is, what to do."""

from __future__ import annotations

from datetime import date

_REMEDIES = {
    "missing": "add this key",
    "extra_forbidden": "no such key: remove it or correct its spelling",
    "greater_than": "use a larger number",
    "finite_number": "use a number that is not infinite",
}


def explained(err: object, data: object) -> str:
    """One pydantic error as `key: what is wrong; what to do`."""
    assert isinstance(err, dict)
    where = ".".join(_name(err["loc"], i, data) for i in range(len(err["loc"])))
    message = str(err["msg"]).removeprefix("Value error, ")
    if not where or message.startswith(f"{where}."):
        return message  # our own checks of whole tables name the key themselves
    remedy = _REMEDIES.get(str(err["type"]), "correct the value")
    given = err["input"]
    shown = str(given) if isinstance(given, date) else repr(given)
    got = "" if err["type"] == "missing" else f" (it is {shown})"
    return f"{where}: {message}{got}; {remedy}"


def _name(loc: tuple[str | int, ...], i: int, data: object) -> str:
    """A step of a key; an exercise is called by its id instead of its number."""
    step = loc[i]
    if isinstance(step, int) and loc[i - 1] == "exercise" and isinstance(data, dict):
        entry = data["exercise"][step]
        if isinstance(entry, dict) and "id" in entry:
            return f"[{entry['id']}]"
    return str(step)
