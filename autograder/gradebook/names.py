"""Names of people and groups as they are compared, the exact form first."""

from __future__ import annotations

import re
import unicodedata


def same_name(name: str) -> str:
    """A name without case and further blanks; an é is the same as one character or as two."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def words(name: str) -> list[str]:
    """Its words; O'Neil is ONeil."""
    return re.findall(r"\w+", re.sub(r"['’`´]", "", same_name(name)))


def by_order(name: str) -> str:
    """The same for "Doe, Jane" and "Jane Doe"."""
    return " ".join(sorted(words(name)))


def without_accents(name: str) -> str:
    """Letters without their marks."""
    spread = unicodedata.normalize("NFD", name)
    return unicodedata.normalize("NFC", "".join(c for c in spread if not unicodedata.combining(c)))


def group_name(group: str) -> str:
    """A group without case; platforms write a blank for "_" in a folder's name."""
    return same_name(group.replace("_", " "))


def listed_groups(cell: str) -> list[str]:
    """The groups in a cell: with ";" or "," between them, or all of it as one."""
    parts = (part.strip() for part in (cell, *re.split("[;,]", cell)))
    return list(dict.fromkeys(part for part in parts if part))
