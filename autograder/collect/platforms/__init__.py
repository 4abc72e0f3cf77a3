"""How each platform names what it gives. One module a platform: `PLATFORM = Platform(name, parse, …)`."""

from __future__ import annotations

from autograder.collect.platforms import (
    blackboard,
    canvas,
    d2l,
    folders,
    github_classroom,
    gradescope,
    ilias,
    moodle,
    nbgrader,
    sakai,
)
from autograder.collect.platforms.platform import Platform

# In the order in which they are asked; `folders` fits everything, so it comes last.
PLATFORMS: tuple[Platform, ...] = (
    gradescope.PLATFORM,
    moodle.PLATFORM,
    blackboard.PLATFORM,
    d2l.PLATFORM,
    sakai.PLATFORM,
    canvas.PLATFORM,
    ilias.PLATFORM,
    github_classroom.PLATFORM,
    nbgrader.PLATFORM,
    folders.PLATFORM,
)
