"""Which files the zygote needs: the interpreter, its standard library, the packages submissions may use."""

from __future__ import annotations

import importlib.util
import os
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

# What a submission may import beside the standard library; all else that is installed is not there for it.
ALLOWED = """
    torch torchgen functorch numpy einops attr attrs safetensors typing_extensions sympy mpmath networkx
    jinja2 markupsafe filelock fsspec packaging optree
"""
BESIDE = {"numpy": ["numpy.libs"], "torch": ["torch.libs"]}  # shared libraries that lie next to a package
SITE_FOLDERS = ("site-packages", "dist-packages")
LIBRARY_FOLDERS = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")
SYSTEM_FILES = ("/etc/ld.so.cache", "/sys/devices/system/cpu", "/proc/cpuinfo", "/proc/meminfo")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


@dataclass(frozen=True)
class Layout:
    """Absolute paths, links resolved."""

    python: str
    stdlib: str
    shared: list[str]  # libpython, where it is not in the system's folders
    packages: list[str]
    sites: list[str]  # the folders that hold the packages
    allowed: list[str]  # names

    @property
    def closed(self) -> list[str]:
        """Folders of packages inside the standard library's, to be hidden."""
        return [p for name in SITE_FOLDERS if os.path.isdir(p := os.path.join(self.stdlib, name))]

    @property
    def needed(self) -> list[str]:
        """Everything a process must be able to reach to run the zygote."""
        return [self.python, self.stdlib, *self.shared, *self.packages]

    def readable(self) -> list[str]:
        """Files and folders a worker may read: the standard library, the packages allowed."""
        stdlib = [
            entry.path
            for entry in os.scandir(self.stdlib)
            if entry.name not in SITE_FOLDERS and not entry.name.startswith("config-")
        ]
        arch = os.uname().machine + "-linux-gnu"
        system = [f"{folder}/{arch}" for folder in LIBRARY_FOLDERS] + ["/lib64", "/usr/lib64"]
        return [*stdlib, *self.shared, *self.packages, *system, *SYSTEM_FILES, *DEVICES]

    def listable(self) -> list[str]:
        """Folders whose names the import system lists."""
        return [self.stdlib, *self.sites]


def find_layout() -> Layout:
    """The layout of the interpreter that runs this."""
    python = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    stdlib = os.path.realpath(sysconfig.get_path("stdlib"))
    packages: dict[str, None] = {}
    sites: dict[str, None] = {}
    allowed: list[str] = []
    for name in ALLOWED.split():
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            continue
        origin = Path(spec.origin)
        home = origin.parent if spec.submodule_search_locations else origin
        allowed.append(name)
        sites[str(home.parent.resolve())] = None
        for path in [home, *(home.parent / extra for extra in BESIDE.get(name, []))]:
            if path.exists():
                packages[str(path.resolve())] = None
    return Layout(python, stdlib, _shared(), list(packages), list(sites), allowed)


def _shared() -> list[str]:
    """libpython's own files, when the interpreter is not from the system."""
    folder = sysconfig.get_config_var("LIBDIR")
    names = {sysconfig.get_config_var("INSTSONAME"), sysconfig.get_config_var("LDLIBRARY")}
    if not folder or folder.startswith(LIBRARY_FOLDERS):
        return []
    paths = (os.path.join(folder, n) for n in names if isinstance(n, str) and ".so" in n)
    return sorted({q for p in paths if os.path.exists(p) for q in (p, os.path.realpath(p))})


def first_closed(paths: list[str]) -> str | None:
    """The first folder on the way to `paths` that a user with no rights of its own cannot enter, or None."""
    for path in paths:
        for step in [*reversed(Path(path).parents), Path(path)]:
            mode = step.stat().st_mode
            if not mode & (0o001 if step.is_dir() else 0o004):
                return str(step)
    return None
