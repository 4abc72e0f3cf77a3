"""What isolation this machine gives: tried out with our own probe, not assumed."""

from __future__ import annotations

import os
import platform
import sys
from typing import Any

from . import landlock, launch
from .errors import GraderFault
from .probe import probe
from .sandbox import NoIsolation, Sandbox


def examine(sandbox: Sandbox | None = None) -> dict[str, Any]:
    """The report, fit for JSON: level, way, system; ways: what was tried to start with, and why not;
    probe: what our own submission tried, and whether it was blocked; remedies: what to do for a better level.

    sandbox: the one to examine (default: the best this machine gives).
    """
    report: dict[str, Any] = {
        "level": "none",
        "way": None,
        "system": {
            "platform": platform.platform(),
            "python": platform.python_version(),
            "user": "root" if hasattr(os, "getuid") and os.getuid() == 0 else "ordinary",
            "landlock": landlock.version() if sys.platform.startswith("linux") else 0,
        },
        "ways": [],
        "probe": [],
        "remedies": [],
    }
    if not launch.supported():
        report["remedies"] = [f"grade on Linux (WSL 2 or a container will do); {sys.platform} cannot isolate"]
        return report
    examined = sandbox or Sandbox(None)
    try:
        report["level"], report["way"] = examined.level, examined.way
        tried = probe(examined.running) if examined.level != "none" else {}
        report["probe"] = [{"what": what, "blocked": not worked} for what, worked in tried.items()]
    except (NoIsolation, GraderFault) as error:
        report["level"] = "none"
        report["remedies"].append(str(error))
    finally:
        if sandbox is None:
            examined.close()
    for attempt in examined.attempts:
        report["ways"].append(vars(attempt))
        if not attempt.works and attempt.remedy and report["level"] != "strong":
            report["remedies"].append(attempt.remedy)
    return report
