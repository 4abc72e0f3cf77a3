"""Whose work an entry is: what a download says of people, matched with the roster. Nothing is guessed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from autograder.collect.platforms.platform import Who
from autograder.collect.roster import folder_name
from autograder.gradebook.names import by_order, group_name, listed_groups, same_name, without_accents, words
from autograder.gradebook.students import Student

Keys = Callable[[Student], Iterable[str]]


def run_together(name: str) -> list[str]:
    """ "Doe, Jane" in all orders without anything between: "doejane", "janedoe"."""
    parts = words(name)
    return ["".join(parts[i:] + parts[:i]) for i in range(len(parts))]


def _names(one: Student) -> list[str]:
    return [n for n in (one.name, *one.aliases.split(";")) if n.strip()]


# The surest first: what of a student is compared, and what of the person that a download names.
CRITERIA: tuple[tuple[str, Keys, Callable[[Who], str]], ...] = (
    ("lms_id", lambda s: [s.lms_id], lambda w: w.lms_id),
    ("username", lambda s: [s.username.casefold()], lambda w: w.username.casefold()),
    ("email", lambda s: [s.email.casefold()], lambda w: w.email.casefold()),
    ("student_number", lambda s: [s.student_number], lambda w: w.student_number),
    # Who has a user name is called by that one.
    ("student", lambda s: [] if s.username else [s.student.casefold()], lambda w: w.username.casefold()),
    ("email", lambda s: [] if s.username else [s.email.casefold().partition("@")[0]],
     lambda w: w.username.casefold()),
    ("name", lambda s: [same_name(n) for n in _names(s)], lambda w: same_name(w.name)),
    ("name", lambda s: [by_order(n) for n in _names(s)], lambda w: by_order(w.name)),
    # Some sites put the user name before the name.
    ("name", lambda s: [by_order(f"{s.username} {n}") for n in _names(s) if s.username],
     lambda w: by_order(w.name)),
    ("name", lambda s: [by_order(without_accents(n)) for n in _names(s)],
     lambda w: by_order(without_accents(w.name))),
    ("name", lambda s: [k for n in _names(s) for k in run_together(n)], lambda w: "".join(words(w.name))),
    ("name", lambda s: [k for n in _names(s) for k in run_together(without_accents(n))],
     lambda w: "".join(words(without_accents(w.name)))),
    ("name", lambda s: [folder_name(k).casefold() for k in (s.student, s.username, s.email.partition("@")[0])],
     lambda w: folder_name(w.name).casefold()),
)  # fmt: skip


class People:
    """The students of a class, and who of them a download names. With `roster`, the others are strangers."""

    def __init__(self, students: Iterable[Student], *, roster: bool) -> None:
        self.roster = roster
        self._found: dict[Who, Student] = {}
        self._expected: set[Who] = set()
        self._now = {one.student: one for one in students}
        # Of each criterion: what is compared -> keys of the students for whom it is that.
        self._index: list[dict[str, list[str]]] = [defaultdict(list) for _ in CRITERIA]
        for one in self._now.values():
            self._add(one)

    @property
    def students(self) -> list[Student]:
        """All of them, as they are known now."""
        return list(self._now.values())

    def _add(self, one: Student) -> None:
        for (_, keys, _), index in zip(CRITERIA, self._index, strict=True):
            for key in {k for k in keys(one) if k}:
                index[key].append(one.student)

    def of(self, who: Who) -> list[Student]:
        """The students that stand behind one name: one, the members of a group, or a new one with a question."""
        if who.group and (members := self._members(who.group)):
            return members
        if who not in self._found:
            self._found[who] = self._one(who)
        return [self._found[who]]

    def _members(self, group: str) -> list[Student]:
        wanted = group_name(group)
        return [s for s in self._now.values() if wanted in map(group_name, listed_groups(s.group))]

    def expect(self, whos: Iterable[Who]) -> None:
        """All that one download names, before any is asked for. Who is known by an id is settled first: whose
        entry comes first decides nothing."""
        self._expected = {who for who in whos if not who.group}
        for who in sorted(self._expected, key=lambda w: (w.lms_id, w.username, w.email, w.name)):
            one = None if who in self._found else self._match(who, names=False)
            if one is not None:
                self._found[who] = self._learned(one, who)

    def _one(self, who: Who) -> Student:
        one = self._match(who, names=True)
        if one is not None:
            return self._learned(one, who)
        hits = next((found for _, found in self._hits(who, listed=True) if found), [])
        named = next((f for what, f in self._hits(who, listed=True) if what == "name" and f), [])
        hits = [*hits, *(one for one in named if one not in hits)]
        question = "not in the roster: who is it?"
        if hits:
            names = ", ".join(sorted(s.student for s in hits))
            question = f"may be {names}: write the right id into students.csv, collect again"
        return self._stranger(who, question if self.roster else "")

    def _match(self, who: Who, *, names: bool) -> Student | None:
        """The one whom all that is known points to. Who is in the roster, also by name, comes before strangers
        of before."""
        for listed in (True, False) if names else (True,):
            for what, hits in self._hits(who, listed=listed):
                if not hits or (what == "name" and not names):
                    continue
                if what == "lms_id" and self._contradicted(hits, who):
                    return None
                if len(hits) == 1 and not (what == "name" and self._another(hits[0], who)):
                    return hits[0]
                break  # what is less sure does not decide between them
        return None

    def _contradicted(self, hits: Sequence[Student], who: Who) -> bool:
        """Whether a number points to one person and the name to another, or to nobody: numbers may be those of
        another assignment, and a group's number a person's. (Of anonymous students many have one name.)"""
        if who.sure or len(hits) != 1 or not who.name or not hits[0].name or hits[0].in_roster != "yes":
            return False
        named = {s.student for what, found in self._hits(who, listed=True) if what == "name" for s in found}
        if named:
            return hits[0].student not in named
        anonymous = sum(w.name == who.name for w in self._expected) > 1
        return not anonymous and not {*words(who.name)} & {*words(hits[0].name)}

    def _hits(self, who: Who, *, listed: bool) -> Iterator[tuple[str, list[Student]]]:
        """Who fits by each criterion, the surest first."""
        for (what, _, asked), index in zip(CRITERIA, self._index, strict=True):
            key = asked(who)
            found = [self._now[student] for student in index.get(key, [])] if key else []
            yield what, [s for s in found if (s.in_roster == "yes") == listed]

    def _another(self, student: Student, who: Who) -> bool:
        """Whether that student, who has the same name, may be somebody else: by what else is known of them, or as
        the platform knows another one of that name."""
        for field_ in ("email", "username", "student_number"):
            mine, theirs = getattr(who, field_).casefold(), getattr(student, field_).casefold()
            if mine and theirs and mine != theirs:
                return True
        if not who.lms_id:
            return False
        if student.in_roster != "yes" and student.lms_id not in ("", who.lms_id):
            return True  # that one is known from a download, too
        exact = same_name(who.name) == same_name(student.name)
        key = same_name if exact else by_order
        name = key(who.name)
        same = [w for w in self._expected if key(w.name) == name and w.lms_id not in ("", who.lms_id)]
        known = [s for s in self._now.values() if key(s.name) == name and s.lms_id not in ("", who.lms_id)]
        told = {w: self._found[w].student for w in self._found if w.lms_id not in ("", who.lms_id)}
        return (
            student.student in told.values()
            or any(w not in self._found for w in same)
            or any(s.student != student.student for s in known)
        )

    def _learned(self, student: Student, who: Who) -> Student:
        """What the download knows of them and the roster does not. A number of this assignment replaces that
        of an earlier one."""
        new = {name: getattr(who, name) for name in ("name", "username", "email", "student_number")}
        empty = {name: value for name, value in new.items() if value and not getattr(student, name)}
        learned = replace(student, **empty, lms_id=who.lms_id or student.lms_id)
        self._now[student.student] = learned
        return learned

    def _stranger(self, who: Who, question: str) -> Student:
        base = folder_name(who.name or who.group or who.username or who.email.partition("@")[0] or who.lms_id)
        taken = {student.casefold() for student in self._now}
        tried = [base, folder_name(f"{base}-{who.lms_id or who.username}")] + [
            f"{base}-{n}" for n in range(2, 9999)
        ]
        key = next(k for k in tried if k and k.casefold() not in taken)
        one = Student(
            key or "student", who.name or who.group, who.email, who.lms_id, who.username, who.student_number,
            group=who.group, in_roster="no" if self.roster else "", question=question,
        )  # fmt: skip
        self._now[one.student] = one
        if not self.roster:  # found again in the next download of the same run
            self._add(one)
        return one
