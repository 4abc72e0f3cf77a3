"""What isolation there is: each way by itself, as root and as an ordinary user, and none said aloud."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest
import torch

from autograder.assignment import load_assignment
from autograder.sandbox import NoIsolation, Sandbox, doctor, launch, layout, reference_files
from autograder.sandbox.launch import WayFailed
from autograder.sandbox.probe import probe
from tests.sandbox.conftest import LIMITS, start
from tests.sandbox.hostile_cases import GOT_THROUGH, REPO, submission

linux = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="submissions can be isolated on Linux only"
)
pytestmark = linux
X = torch.arange(12.0).reshape(1, 2, 6)  # (12,) -> (1, 2, 6)


def works(sandbox: Sandbox) -> bool:
    with sandbox.student(reference_files(load_assignment())) as student:
        return bool(student.merge_heads(student.split_heads(X, 3)).equal(X))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("isolation", "way"),
    [
        ("strong", "bubblewrap"),
        ("no-namespaces", "no namespaces, same user"),
    ],
)
def test_ways_that_are_not_the_first_choice(isolation: str, way: str) -> None:
    with start(isolation, only=[way]) as sandbox:
        assert (sandbox.level, sandbox.way) == (isolation, way)
        assert works(sandbox)
        assert not any(probe(sandbox.running).values())


@pytest.mark.slow
def test_without_landlock_nothing_can_be_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch.landlock, "version", lambda: 0)
    with start("no-namespaces") as sandbox:
        assert works(sandbox)
        files = submission("read_files", canary=__file__, folder=str(REPO))
        with sandbox.student(files) as student:
            student.split_heads(X, 3)
            assert not any(word in student.output for word in GOT_THROUGH)
        text = b"import einops, math\ndef split_heads(x, n_head):\n    open('/usr/lib/os-release')\n"
        with sandbox.student({"heads.py": text}) as student, pytest.raises(Exception, match="FileNotFound"):
            student.split_heads(X, 3)


@pytest.mark.slow
def test_as_an_ordinary_user() -> None:
    command = [*_as_nobody(), str(REPO / "tests" / "sandbox" / "as_user.py"), "auto", "no-namespaces"]
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": "/nonexistent",
        "PYTHONPATH": f"{REPO}:{sysconfig.get_path('purelib')}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd="/", timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    best, plain = map(json.loads, done.stdout.strip().splitlines())
    assert best.get("level") in ("strong", "no-namespaces"), best
    assert plain.get("level") == "no-namespaces", plain
    for said in (best, plain):
        assert said["works"] is True
        assert said["holes"] == []


def _as_nobody() -> list[str]:
    """The start of a command line that runs Python as a user without rights, or a skip in plain words."""
    if os.getuid() != 0:
        return [sys.executable]
    if shutil.which("setpriv") is None:
        pytest.skip("setpriv (of util-linux) is needed to become an ordinary user")
    for path in (str(REPO / "autograder"), sysconfig.get_path("purelib")):
        if (closed := layout.first_closed([path])) is not None:
            pytest.skip(f"an ordinary user cannot enter {closed}")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (launch.layout_here().python, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        if os.path.exists(python) and layout.first_closed([os.path.realpath(python)]) is None:
            return ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", python]
    pytest.skip(f"there is no {version} that an ordinary user may run")


def test_the_next_best_way_is_taken_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(control: int, log: object) -> subprocess.Popen[bytes]:
        raise WayFailed("not today", "come back tomorrow")

    real = launch.ways

    def worse(isolation: str) -> list[launch.Way]:
        first = launch.Way("the best", "strong", refuse)
        return [first, *(way for way in real(isolation) if way.level == "no-namespaces")]

    monkeypatch.setattr("autograder.sandbox.sandbox.ways", worse)
    sandbox = start("auto")
    try:
        assert sandbox.level == "no-namespaces"
        first = sandbox.attempts[0]
        assert (first.way, first.works) == ("the best", False)
        assert (first.why, first.remedy) == ("not today", "come back tomorrow")
        _closes_cleanly(sandbox)
    finally:
        sandbox.close()


def test_never_silently_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(control: int, log: object) -> subprocess.Popen[bytes]:
        raise WayFailed("not today", "come back tomorrow")

    monkeypatch.setattr("autograder.sandbox.sandbox.ways", lambda _: [launch.Way("any", "strong", refuse)])
    with pytest.raises(NoIsolation, match="come back tomorrow"):
        Sandbox(load_assignment(), limits=LIMITS).start()
    report = doctor.examine()
    assert report["level"] == "none"
    assert any("come back tomorrow" in remedy for remedy in report["remedies"])


def test_a_lock_down_with_a_hole_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaky(isolation: str) -> list[launch.Way]:
        return [launch.Way("leaky", "strong", launch._same_user, counted=False)]

    monkeypatch.setattr("autograder.sandbox.sandbox.ways", leaky)
    monkeypatch.setattr(launch, "compile_filter", lambda files, threads: _allow_everything())
    with pytest.raises(NoIsolation, match="start a process"):
        Sandbox(load_assignment(), limits=LIMITS).start()


def _allow_everything() -> bytes:
    return b"\x06\x00\x00\x00\x00\x00\xff\x7f"  # one instruction: return ALLOW


def test_the_doctors_report(sandbox: Sandbox) -> None:
    report = json.loads(json.dumps(doctor.examine(sandbox)))
    assert report["level"] == sandbox.level
    assert report["way"] == sandbox.way
    assert len(report["probe"]) > 15
    assert all(entry["blocked"] for entry in report["probe"])
    assert report["ways"][-1]["works"]


def test_unsafe_says_none() -> None:
    with start("unsafe") as sandbox:
        assert sandbox.level == "none"
        assert works(sandbox)


def test_where_nothing_can_be_forked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograder.sandbox.sandbox.supported", lambda: False)
    monkeypatch.setattr("autograder.sandbox.launch.supported", lambda: False)
    with pytest.raises(NoIsolation):
        Sandbox(load_assignment(), limits=LIMITS).start()
    assert doctor.examine()["level"] == "none"
    with Sandbox(load_assignment(), "unsafe", limits=LIMITS) as sandbox:
        assert sandbox.level == "none"
        assert works(sandbox)
        files = {
            "heads.py": b"print('hi')\ndef split_heads(x, n): return x\ndef merge_heads(y):\n    1 / 0\n",
            "attention.py": b"def concat_and_project(y, c):\n    import heads\n    raise SystemExit\n",
        }
        with sandbox.student(files) as student:
            assert student.split_heads(X, 3).equal(X)
            assert student.output == "hi\n"
            with pytest.raises(Exception, match="ZeroDivisionError") as caught:
                student.merge_heads(X)
            assert caught.value.place.text == "1 / 0"
            with pytest.raises(Exception, match="SystemExit"):
                student.concat_and_project(X, None)
        assert "heads" not in sys.modules
        assert "exercises.heads" not in sys.modules


def test_importing_it_on_windows_does_not_crash() -> None:
    text = """
import sys, torch, numpy, os, signal, socket
import autograder.assignment
for name in ("resource", "fcntl", "pwd", "grp", "termios"):
    sys.modules[name] = None
missing = {
    os: "getuid uname fork pidfd_open setsid wait4 pipe2 sysconf",
    socket: "AF_UNIX SOCK_SEQPACKET SCM_RIGHTS",
    signal: "SIGKILL SIGCHLD SIGXCPU SIGSYS pidfd_send_signal set_wakeup_fd",
}
for module, names in missing.items():
    for name in names.split():
        if hasattr(module, name): delattr(module, name)
sys.platform = "win32"
from autograder.sandbox import LocalStudent, NoIsolation, Sandbox, doctor
assert doctor.examine()["level"] == "none"
try:
    Sandbox(None).start()
except NoIsolation:
    print("fine")
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=REPO, check=False)
    assert done.stdout == "fine\n", done.stderr[-1500:]


def test_the_judge_cannot_be_looked_into(sandbox: Sandbox) -> None:
    sandbox.start()
    assert ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) == 0  # PR_GET_DUMPABLE


def test_a_worker_inherits_nothing(sandbox: Sandbox) -> None:
    text = b"""
import os, sys
def split_heads(x, n_head):
    def is_open(fd):
        try: os.fstat(fd)
        except OSError: return False
        return True
    return sorted(os.environ), [fd for fd in range(1024) if is_open(fd)], sys.argv
"""
    with sandbox.student({"heads.py": text}) as student:
        names, fds, argv = student.split_heads(X, 3)
    assert names == ["HOME", "LANG", "PATH", "TORCHINDUCTOR_CACHE_DIR"]
    assert fds == [0, 1, 2, 3]
    assert not any("secret" in word for word in argv)


def _closes_cleanly(sandbox: Sandbox) -> None:
    """No process is left when a sandbox is closed, not even of a submission that nobody closed."""
    keeper = sandbox.running()
    student = sandbox.student({"heads.py": b"def split_heads(x, n_head):\n    return x\n"})
    student.split_heads(X, 3)
    assert student._session is not None
    pids = [keeper.pid, student._session._process.pid, keeper._process.pid]
    assert all(Path(f"/proc/{pid}").exists() for pid in pids)
    sandbox.close()
    assert _all_gone(pids)


def _all_gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)


@pytest.mark.slow
def test_a_killed_judge_leaves_no_process() -> None:
    text = """
import os, signal, sys, torch
from autograder.assignment import load_assignment
from autograder.sandbox import Sandbox
sandbox = Sandbox(load_assignment()); sandbox.start()
student = sandbox.student({"heads.py": b"def split_heads(x, n_head):\\n    return x\\n"})
student.split_heads(torch.zeros(1), 1)
print(sandbox.running().pid, student._session._process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=REPO, check=False)
    pids = [int(word) for word in done.stdout.split()]
    assert len(pids) == 2, done.stderr[-1500:]
    assert _all_gone(pids)
