"""Every attack of hostile/ reaches and leaves nothing, ends in the right error; the next worker is fine."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from autograder.assignment import load_assignment
from autograder.sandbox import RemoteStudent, Sandbox, StudentFault, reference_files
from tests.sandbox.hostile_cases import CASES, GOT_THROUGH, HERE, submission


class Bait:
    """What attacks look for: a file that anyone may read, a folder that anyone may write to, a server."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "class"
        self.canary = folder / "canary.txt"
        (self.folder / "bob").mkdir(parents=True)
        (self.folder / "bob" / "heads.py").write_text("secret of bob", encoding="utf-8")
        self.canary.write_text("secret", encoding="utf-8")
        for path in (folder, self.folder, self.folder / "bob", self.canary, self.folder / "bob" / "heads.py"):
            path.chmod(0o777)
        for parent in folder.parents:
            if parent.owner() == folder.owner() and parent != Path("/") and os.access(parent, os.W_OK):
                parent.chmod(parent.stat().st_mode | 0o011)
        self.server = socket.socket()
        self.server.bind(("127.0.0.1", 0))
        self.server.listen()
        self.server.setblocking(False)

    def untouched(self) -> bool:
        """Whether nothing was read over the network or changed on the disk."""
        try:
            self.server.accept()
            return False
        except BlockingIOError:
            pass
        names = sorted(p.relative_to(self.folder.parent).as_posix() for p in self.folder.parent.rglob("*"))
        return (
            names == ["canary.txt", "class", "class/bob", "class/bob/heads.py"]
            and self.canary.read_text(encoding="utf-8") == "secret"
            and (self.folder / "bob" / "heads.py").read_text(encoding="utf-8") == "secret of bob"
        )


@pytest.fixture(scope="module")
def bait(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bait]:
    one = Bait(tmp_path_factory.mktemp("bait"))
    yield one
    one.server.close()


def call(student: RemoteStudent, symbol: str) -> object:
    """Calls a symbol with small inputs."""
    x = torch.randn(2, 4, 6)
    match symbol:
        case "split_heads":
            return student.split_heads(x, 3)
        case "merge_heads":
            return student.merge_heads(torch.randn(2, 3, 4, 2))
        case "causal_mask":
            return student.causal_mask(4)
        case "causal_softmax":
            return student.causal_softmax(torch.randn(2, 3, 4, 4))
        case "MultiHeadAttention":
            return student.MultiHeadAttention(d_model=6, n_head=3)(x)
        case "generate":
            return student.generate(Model(), torch.tensor([[1, 2]]), 2)
    raise AssertionError(symbol)


class Model:
    """A model whose logits are zeros."""

    n_positions = 16

    def __call__(
        self, ids: torch.Tensor, cache: object = None, start: int = 0
    ) -> tuple[torch.Tensor, list[object]]:
        return torch.zeros(*ids.shape, 5), []


def outcome(student: RemoteStudent, symbol: str) -> str:
    """ "value", or the name of the StudentFault. Anything else comes out: it would be ours."""
    try:
        call(student, symbol)
    except StudentFault as fault:
        return type(fault).__name__
    return "value"


def attack(sandbox: Sandbox, bait: Bait, name: str) -> str:
    """Runs one attack and checks what must hold; gives what it printed."""
    case = CASES[name]
    sandbox.start()
    zygote = sandbox.running().pid
    files = submission(
        name, canary=str(bait.canary), folder=str(bait.folder), port=bait.server.getsockname()[1]
    )
    symbols = [*case.outcome, *(s for s in ("split_heads", "generate") if s not in case.outcome)]
    with sandbox.student(files) as student:
        for symbol in symbols:
            got = outcome(student, symbol)
            assert got in case.outcome.get(symbol, {got}), f"{symbol}: {got}\n{student.output[-1500:]}"
        printed = student.output
        assert len(printed) <= sandbox.limits.output_kb << 10
        printed.encode()
    for word in GOT_THROUGH:
        assert word not in printed, printed
    assert bait.untouched()
    assert sandbox.running().pid == zygote, "the zygote was killed"
    with sandbox.student(reference_files(load_assignment())) as honest:
        x = torch.arange(24.0).reshape(1, 4, 6)  # (24,) -> (1, 4, 6)
        assert honest.merge_heads(honest.split_heads(x, 3)).equal(x)
    return printed


@pytest.mark.parametrize("name", CASES)
def test_attack_gets_nowhere(sandbox: Sandbox, bait: Bait, name: str) -> None:
    attack(sandbox, bait, name)


# Where no namespace stands behind the filter, what touches other processes and files counts most.
PLAIN = """
    read_files parent_memory kill kill_by_owner fork_bomb disk_bomb network other_students use_transformers
    exec raw_syscalls raise_limits inherited_fds
"""


@pytest.mark.parametrize("name", PLAIN.split())
def test_attack_gets_nowhere_without_namespaces(plain_sandbox: Sandbox, bait: Bait, name: str) -> None:
    attack(plain_sandbox, bait, name)


def test_every_attack_is_in_the_table() -> None:
    assert {p.stem for p in (HERE / "hostile").glob("*.py")} - {"_base"} == set(CASES)


@pytest.mark.parametrize("number", range(14))
def test_lying_headers_one_by_one(sandbox: Sandbox, number: int) -> None:
    with sandbox.student(submission("lying_header")) as student:
        with pytest.raises(StudentFault):
            student.causal_mask(number)
        assert [flag.id for flag in student.flags] == ["attack"]


@pytest.mark.parametrize("number", range(23))
def test_broken_json_one_by_one(sandbox: Sandbox, number: int) -> None:
    with sandbox.student(submission("nested_and_huge")) as student:
        with pytest.raises(StudentFault):
            student.causal_mask(number)
        assert [flag.id for flag in student.flags] == ["attack"]
