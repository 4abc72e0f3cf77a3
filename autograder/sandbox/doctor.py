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


def examine() -> dict[str, Any]:
    """The report, fit for JSON: level, way, system, what was tried to start with, what the probe tried,
    remedies.
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
    sandbox = Sandbox()
    try:
        with sandbox:
            report["level"], report["way"] = sandbox.level, sandbox.way
            report["probe"] = [
                {"what": w, "blocked": not worked} for w, worked in probe(sandbox.running).items()
            ]
    except (NoIsolation, GraderFault) as error:
        report["remedies"].append(str(error))
    for attempt in sandbox.attempts:
        report["ways"].append(vars(attempt))
        if not attempt.works and attempt.remedy and report["level"] != "strong":
            report["remedies"].append(attempt.remedy)
    return report
