"""What course.toml says that only this chapter knows: [cache], and `gpt2` in [course]."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from autograder.assignment import Assignment

MINI = "mini"  # the model that ships with the kit


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Cache(_Table):
    """[cache]: tokens of the prompt, tokens decoded, and how many times faster the cache must be."""

    prompt: Annotated[int, Field(gt=0)] = 256
    new_tokens: Annotated[int, Field(gt=0)] = 32
    threshold: Annotated[float, Field(gt=1, allow_inf_nan=False)] = 3.0


class CourseKeys(_Table):
    """[course]: "mini", a folder (from course.toml's), or a name on the hub."""

    gpt2: str = MINI


class Settings(_Table):
    """All of it."""

    course: CourseKeys = CourseKeys()
    cache: Cache = Cache()


def settings(assignment: Assignment) -> Settings:
    """The chapter's settings, as they were checked when course.toml was read."""
    return Settings.model_validate(assignment.settings)


def gpt2_of(assignment: Assignment) -> str:
    """`gpt2` for lab.models: "mini", the whole path of a folder, or a name on the hub."""
    name = settings(assignment).course.gpt2
    folder = assignment.root / name
    return str(folder) if name != MINI and folder.is_dir() else name
