"""The judge process, `python -m autograder.batch.process`: Setting in, Ready out; then Job in, Answer out.

It ends when its stdin ends, so it never outlives whoever started it, however that one died.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import IO

from pydantic import ValidationError

from autograder.assignment import load_assignment
from autograder.batch.job import Answer, Job, Ready, Setting
from autograder.batch.lines import Lines
from autograder.grading.judge import judge
from autograder.identity import code
from autograder.sandbox import GraderFault, NoIsolation, Sandbox

# What has just been imported is what is hashed: a fork may begin long after, when the files are others.
code(load_assignment())


def main() -> int:
    """Serves jobs until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the batch, which then ends us
    replies = _own_stdout()
    lines = Lines(sys.stdin)
    first = lines.next()
    if first is None:
        return 0
    setting = Setting.model_validate_json(first)
    try:
        with Sandbox(setting.assignment, setting.isolation) as sandbox:
            gc.freeze()  # torch and all: never looked through again (an eighth of a judge's time)
            _say(replies, Ready(isolation=sandbox.level, hidden=code(setting.assignment)).line())
            while (line := lines.next()) is not None:
                _say(replies, _graded(line, sandbox).line())
    except NoIsolation as e:
        _say(replies, Answer(refused=str(e)).line())
    except GraderFault as e:  # the sandbox does not start, for once
        _say(replies, Answer(fault=str(e)).line())
    finally:
        lines.done.set()
    return 0


def _graded(line: str, sandbox: Sandbox) -> Answer:
    try:
        job = Job.model_validate_json(line)
    except ValidationError as e:
        return Answer(fault=f"a job that cannot be read: {e.errors()[0]['msg']}")
    try:
        return Answer(
            result=judge(job.submission(), job.setting.assignment, sandbox, timing=job.setting.timing)
        )
    except GraderFault as e:
        return Answer(fault=str(e))


def _say(replies: IO[str], line: str) -> None:
    replies.write(line + "\n")
    replies.flush()


def _own_stdout() -> IO[str]:
    """The pipe to the batch, under a number that nothing else writes to: prints go to stderr from here on."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    return replies


if __name__ == "__main__":
    exit_code = main()
    sys.stderr.flush()
    os._exit(exit_code)  # nothing is left to do, and Python takes half a second to take torch apart
