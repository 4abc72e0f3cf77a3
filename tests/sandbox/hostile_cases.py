"""Submissions that attack the grader, as data: hostile/<name>.py is an attack, this says what must hold.

`submission(name)` gives a whole submission: every exercise's symbol answers zeros of the right shape (which
earns nothing), and the attack comes on top. Tests of other rooms may use it.
"""

from __future__ import annotations

import sysconfig
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPO = HERE.parent.parent
FILES = ("heads.py", "mask.py", "attention.py", "kv_cache.py")
# What an attack prints when it gets somewhere.
GOT_THROUGH = ("LEAK", "HARM", "REACHED", "CHEAT", "EXFIL")


@dataclass(frozen=True)
class Hostile:
    """One attack. `outcome`: symbol -> names of the errors (or "value") that calling it may end in.

    A symbol that is not named may give a value or any StudentFault; GraderFault or another exception, never.
    """

    what: str
    outcome: dict[str, set[str]] = field(default_factory=dict)


V = {"value"}
RAISED = {"StudentRaised"}
BAD = {"StudentBadReply"}
DIED = {"StudentDied"}
SLOW = {"StudentTimeout"}
EVERY = ("split_heads", "merge_heads", "causal_mask", "causal_softmax")

CASES: dict[str, Hostile] = {
    "read_files": Hostile("looks for hidden tests and solutions on the disk", dict.fromkeys(EVERY, V | SLOW)),
    "parent_memory": Hostile("reads the memory of other processes through /proc", dict.fromkeys(EVERY, V)),
    "inherited_fds": Hostile("uses file descriptors that were left open", dict.fromkeys(EVERY, V)),
    "monkeypatch": Hostile("patches torch, time, json and the worker's own modules"),
    "os_exit": Hostile("ends the process", {"causal_softmax": DIED, "causal_mask": DIED, "merge_heads": V}),
    "sys_exit": Hostile("raises what is not an Exception", dict.fromkeys(EVERY, RAISED) | {"merge_heads": V}),
    "exit_at_import": Hostile("SystemExit when the file is loaded", dict.fromkeys(EVERY, RAISED)),
    "kill": Hostile("signals the zygote, the judge, everyone", dict.fromkeys(EVERY, V)),
    "kill_by_owner": Hostile("has a file descriptor signal the zygote", dict.fromkeys(EVERY, V)),
    "fork_bomb": Hostile("forks and starts threads without end", dict.fromkeys(EVERY, V)),
    "endless_loop": Hostile(
        "never returns, catches everything", {"causal_softmax": SLOW, "causal_mask": SLOW, "split_heads": V}
    ),
    "endless_import": Hostile("loading the file never ends", dict.fromkeys(EVERY, SLOW)),
    "sleeps": Hostile("sleeps instead of working", {"causal_softmax": SLOW, "causal_mask": V}),
    "disk_bomb": Hostile("writes, makes folders, deletes", dict.fromkeys(EVERY, V)),
    "stdout_flood": Hostile("prints without end", {"causal_softmax": V | SLOW, "causal_mask": SLOW}),
    "close_fds": Hostile("closes the socket and stdout", dict.fromkeys(EVERY, DIED)),
    "pickle_reply": Hostile("sends pickles", {"causal_softmax": BAD, "causal_mask": BAD, "split_heads": BAD}),
    "lying_header": Hostile("tensor headers that lie", {"causal_mask": BAD}),
    "nan_inf": Hostile("NaN and infinity everywhere", dict.fromkeys(EVERY, V)),
    "lazy_values": Hostile(
        "values that stand for terabytes or have no end",
        {"causal_mask": BAD, "causal_softmax": BAD, "split_heads": BAD, "merge_heads": BAD},
    ),
    "network": Hostile("opens sockets of every kind", dict.fromkeys(EVERY, V)),
    "other_students": Hostile("reads and defaces other submissions", dict.fromkeys(EVERY, V)),
    "detects_grading": Hostile("behaves differently when graded", dict.fromkeys(EVERY, RAISED)),
    "use_transformers": Hostile("imports ready-made answers", dict.fromkeys(EVERY, V)),
    "many_threads": Hostile("asks for 64 threads", dict.fromkeys(EVERY, V)),
    "ignore_signals": Hostile("ignores all signals and loops", {"causal_softmax": SLOW, "causal_mask": V}),
    "exec": Hostile("runs programs", dict.fromkeys(EVERY, V)),
    "raw_syscalls": Hostile("system calls by number", dict.fromkeys(EVERY, V)),
    "int80": Hostile("system calls by the 32-bit entry", dict.fromkeys(EVERY, DIED | RAISED)),
    "slow_reply": Hostile("one byte of the reply every half second", {"causal_softmax": SLOW}),
    "nested_and_huge": Hostile(
        "JSON that is deep, long, double or not JSON", {"causal_mask": BAD, "causal_softmax": BAD}
    ),
    "fake_replies": Hostile(
        "replies before and after the true one", {"causal_mask": BAD, "causal_softmax": BAD}
    ),
    "raise_limits": Hostile("raises its own limits", dict.fromkeys(EVERY, V)),
    "torch_globals": Hostile("changes torch's global state"),
    "crashes": Hostile(
        "segmentation fault, endless recursion, abort",
        {
            "causal_softmax": DIED,
            "causal_mask": RAISED | DIED | SLOW,
            "split_heads": DIED,
            "merge_heads": RAISED | DIED,
        },
    ),
    "memory_bomb": Hostile(
        "takes all memory",
        {"causal_softmax": RAISED | DIED, "causal_mask": RAISED | DIED | SLOW, "split_heads": BAD},
    ),
    "lying_objects": Hostile(
        "objects that lie about their class, equality, length",
        {"causal_mask": BAD, "causal_softmax": V, "split_heads": V, "MultiHeadAttention": RAISED},
    ),
    "evil_exceptions": Hostile(
        "exceptions whose text raises, is huge, or cannot be encoded",
        {
            "causal_mask": RAISED,
            "causal_softmax": RAISED,
            "split_heads": RAISED,
            "merge_heads": {"NotWritten"},
        },
    ),
    "background": Hostile("works on in a thread after the reply", {"causal_softmax": V}),
    "abuse_model": Hostile("asks the judge's model what it must not", {"generate": BAD}),
    "spy_on_sandbox": Hostile("looks for answers in the worker, lifts its caps"),
}


def submission(name: str, *, canary: str = "", folder: str = "", port: int = 9) -> dict[str, bytes]:
    """The files of a hostile submission. canary: a file it tries to read; folder: one to write to."""
    base = (HERE / "hostile" / "_base.py").read_text(encoding="utf-8")
    attack = (HERE / "hostile" / f"{name}.py").read_text(encoding="utf-8")
    places = {"@CANARY@": canary, "@FOLDER@": folder, "@PORT@": str(port), "@REPO@": str(REPO)}
    places["@SITE@"] = sysconfig.get_path("purelib")
    for mark, value in places.items():
        attack = attack.replace(mark, value)
    return dict.fromkeys(FILES, (base + "\n\n" + attack).encode())
