"""Ways to start the zygote, best first: bubblewrap or namespaces of our own ("strong"), then without
namespaces.

Each way is a command line and what it promises. Which of them work here is tried out, not assumed
(sandbox.py).
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Literal

from . import landlock, layout
from .seccomp import compile_filter

Level = Literal["strong", "no-namespaces", "none"]
HERE = Path(__file__).resolve().parent
# The modules that run inside; they travel as source text, so that the kit's own folder need not be readable.
INSIDE = """
    uncompiled wire tensors values failure callback service loader landlock lockdown warmup
    harmless standins worker zygote
"""
BOOT = """
import gc, sys, json, types
gc.disable()  # until all is imported (warmup.py): looking through what only grows takes a fifth of that time
sys.path[:] = [p for p in sys.path if p]
config = json.loads(sys.stdin.buffer.read())
sys.stdin = None
package = types.ModuleType("_kit"); package.__path__ = []; sys.modules["_kit"] = package
sources = config.pop("sources")
sys.path += config["site"]
for name in config.pop("order"):
    module = types.ModuleType("_kit." + name); module.__package__ = "_kit"
    sys.modules["_kit." + name] = module; setattr(package, name, module)
    exec(compile(sources.pop(name), "<kit>/" + name + ".py", "exec"), vars(module))
main = module.main
del gc, sys, json, types, sources, name, module, package
main(config)
"""
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/nonexistent",
    "USER": "nobody",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
REMEDIES = {
    "bubblewrap": "let ordinary users make user namespaces (Ubuntu: sysctl"
    " kernel.apparmor_restrict_unprivileged_userns=0; Debian: sysctl kernel.unprivileged_userns_clone=1);"
    " a container needs to be started with --privileged",
    "own namespaces": "install bubblewrap, or let users make namespaces; a container needs --privileged or"
    " --cap-add SYS_ADMIN --security-opt apparmor=unconfined",
}
INNER_UID = 1000  # as seen inside a user namespace
UID_BASE = 1_900_000_000  # uids above it belong to nobody; one for each judge, so that limits are its own
FALLBACK_UID = 65534


class WayFailed(Exception):
    """This way of starting the zygote does not work here; the text says why."""

    def __init__(self, why: str, remedy: str = "") -> None:
        super().__init__(why)
        self.why, self.remedy = why, remedy


@dataclass(frozen=True)
class Way:
    """One way to start the zygote."""

    name: str
    level: Level
    start: Callable[[int, IO[bytes]], subprocess.Popen[bytes]]  # (control socket's fd, log); raises WayFailed
    locked: bool = True
    counted: bool = True  # whether the kernel limits the number of threads (it does not for root's)
    note: str = ""  # what is weaker here than it could be


def ways(isolation: str) -> list[Way]:
    """The ways to try for "auto", "strong", "no-namespaces" or "unsafe", best first."""
    root = os.getuid() == 0
    own = Way("own namespaces", "strong", _own_namespaces)
    bwrap = Way("bubblewrap", "strong", _bubblewrap, counted=not root)
    strong = [own, bwrap] if root else [bwrap, own]
    plain = [Way("no namespaces", "no-namespaces", _plain)]
    if root:
        note = "the interpreter lies in a folder that only its owner may enter, so workers keep this user"
        plain += [
            Way("no namespaces, own mounts", "no-namespaces", _own_mounts),
            Way("no namespaces, same user", "no-namespaces", _same_user, counted=False, note=note),
        ]
    return {
        "auto": strong + plain,
        "strong": strong,
        "no-namespaces": plain,
        "unsafe": [Way("no isolation", "none", _same_user, locked=False)],
    }[isolation]


def command() -> list[str]:
    """The interpreter, reading everything it is to do from its standard input.

    Isolated as by -I, but for the variable in ENVIRONMENT: sets have the same order at every grading.
    """
    return [layout_here().python, "-s", "-P", "-S", "-B", "-c", BOOT]


def bundle(control: int, way: Way) -> bytes:
    """What the zygote reads from its standard input: configuration and its own source."""
    here = layout_here()
    files = way.level == "strong" or landlock.version() > 0
    use_landlock = way.locked and landlock.version() > 0
    config = {
        "control": control,
        "site": here.sites,
        "allowed": [*here.allowed, "_kit"],
        "readable": here.readable() if use_landlock else None,
        "listable": here.listable(),
        "seccomp": base64.b64encode(compile_filter(files, way.counted)).decode() if way.locked else "",
        "locked": way.locked,
        "order": INSIDE.split(),
        "sources": {name: (HERE / f"{name}.py").read_text(encoding="utf-8") for name in INSIDE.split()},
    }
    return json.dumps(config).encode()


@cache
def layout_here() -> layout.Layout:
    """The layout of this interpreter."""
    return layout.find_layout()


def unused_uid() -> int:
    """A uid that no file and no other judge's worker belongs to. Needs root."""
    wanted = UID_BASE + secrets.randbelow(100_000_000)
    mapped = [tuple(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text().splitlines()]
    for uid in (wanted, 60_600 + secrets.randbelow(500), FALLBACK_UID):
        if any(first <= uid < first + count for first, _, count in mapped):
            return uid
    raise WayFailed("this container maps no unprivileged user", "start it with the usual range of user ids")


def _popen(
    command: Sequence[str], control: int, log: IO[bytes], user: int | None = None
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=log,
        pass_fds=[control],
        env=ENVIRONMENT,
        cwd="/",
        start_new_session=True,
        user=user,
        group=user,
        extra_groups=None if user is None else [],
    )


def _same_user(control: int, log: IO[bytes]) -> subprocess.Popen[bytes]:
    return _popen(command(), control, log)


def _plain(control: int, log: IO[bytes]) -> subprocess.Popen[bytes]:
    if os.getuid() != 0:
        return _same_user(control, log)
    if (closed := layout.first_closed(layout_here().needed)) is not None:
        raise WayFailed(
            f"an unprivileged user cannot enter {closed}, where the Python interpreter or its packages lie",
            f"install Python and the packages outside {closed}, or let others enter it (chmod o+x)",
        )
    return _popen(command(), control, log, unused_uid())


def _binds() -> list[tuple[str, str]]:
    """What the new root shows, folders before what lies in them."""
    here = layout_here()
    system = [
        p for p in (*layout.LIBRARY_FOLDERS, *layout.SYSTEM_FILES, *layout.DEVICES) if os.path.exists(p)
    ]
    outside = [p for p in here.packages if not _inside(p, here.closed)]
    return [(p, p) for p in dict.fromkeys([*system, here.stdlib, here.python, *here.shared, *outside])]


def _anchor(sources: list[str]) -> str:
    """An existing folder to build the new root on, that hides nothing which is needed."""
    for folder in ("/mnt", "/media", "/srv", "/tmp", "/var/tmp", "/home", "/opt"):
        if os.path.isdir(folder) and not any((source + "/").startswith(folder + "/") for source in sources):
            return folder
    raise WayFailed("there is no folder to build a file system on", "make an empty folder /mnt")


def _inside(path: str, folders: list[str]) -> bool:
    return any(path.startswith(folder + "/") for folder in folders)


def _nest(control: int, log: IO[bytes], only_mounts: bool) -> subprocess.Popen[bytes]:
    """The zygote in namespaces that nest.py makes."""
    here, root = layout_here(), os.getuid() == 0
    config = {
        "binds": _binds(),
        "closed": here.closed,
        "inside_closed": [(p, p) for p in here.packages if _inside(p, here.closed)],
        "command": command(),
        "environment": ENVIRONMENT,
        "uid": unused_uid() if root else None,
        "map_uid": None if root else INNER_UID,
        "only_mounts": only_mounts,
        "root": _anchor([source for source, _ in _binds()] + here.packages),
        "close": [control],
    }
    source = (HERE / "nest.py").read_text(encoding="utf-8")
    python = [layout_here().python, "-I", "-S", "-B", "-c", source, json.dumps(config)]
    return _popen(python, control, log)


def _own_namespaces(control: int, log: IO[bytes]) -> subprocess.Popen[bytes]:
    return _nest(control, log, only_mounts=False)


def _own_mounts(control: int, log: IO[bytes]) -> subprocess.Popen[bytes]:
    return _nest(control, log, only_mounts=True)


def _bubblewrap(control: int, log: IO[bytes]) -> subprocess.Popen[bytes]:
    program = shutil.which("bwrap")
    if program is None:
        raise WayFailed("bubblewrap is not installed", "install it (Debian, Ubuntu: apt install bubblewrap)")
    here = layout_here()
    uid = str(INNER_UID)
    line = [program, "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
    line += ["--unshare-cgroup-try", "--die-with-parent", "--new-session", "--uid", uid, "--gid", uid]
    line += ["--hostname", "box", "--cap-drop", "ALL", "--clearenv"]
    for source, target in _binds():
        line += ["--dev-bind" if source in layout.DEVICES else "--ro-bind", source, target]
    for folder in here.closed:
        line += ["--tmpfs", folder]
    for path in here.packages:
        if _inside(path, here.closed):
            line += ["--ro-bind", path, path]
    for folder in here.closed:
        line += ["--remount-ro", folder]
    for name, value in ENVIRONMENT.items():
        line += ["--setenv", name, value]
    line += ["--remount-ro", "/", "--chdir", "/", "--", *command()]
    return _popen(line, control, log)


def supported() -> bool:
    """Whether this system has what a lock-down needs at all."""
    return sys.platform.startswith("linux") and os.uname().machine in ("x86_64", "aarch64")
