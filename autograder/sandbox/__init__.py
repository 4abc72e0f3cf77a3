"""Calls code that nobody trusts, and gives back plain values.

    with Sandbox(assignment) as sandbox:
        with sandbox.student({"norm.py": source}) as student:
            student.layer_norm(x)

`Sandbox` runs submissions in locked-down processes; `LocalStudent` gives trusted code the same API in this
process; `reference_for` makes the replacements that follow-through needs; `doctor` says what isolation this
machine gives.
"""

from . import doctor
from .api import KeptRef, ModuleRef, Student
from .calls import BaseStudent
from .errors import (
    CallFailed,
    GraderFault,
    NotWritten,
    Place,
    StudentBadReply,
    StudentDied,
    StudentFault,
    StudentRaised,
    StudentTimeout,
)
from .host import Host
from .local import LocalStudent
from .reference import reference_files, reference_for, stubs_for
from .remote import RemoteStudent
from .sandbox import Attempt, Isolation, NoIsolation, Sandbox

__all__ = [
    "Attempt",
    "CallFailed",
    "BaseStudent",
    "GraderFault",
    "Host",
    "Isolation",
    "KeptRef",
    "LocalStudent",
    "ModuleRef",
    "NoIsolation",
    "NotWritten",
    "Place",
    "RemoteStudent",
    "Sandbox",
    "Student",
    "StudentBadReply",
    "StudentDied",
    "StudentFault",
    "StudentRaised",
    "StudentTimeout",
    "doctor",
    "reference_files",
    "reference_for",
    "stubs_for",
]
