"""The judge process: Setting in, Ready out; then Job in, Answer out.

It ends when nobody is there to send any more, so it never outlives whoever started it, however that one died.
"""

from __future__ import annotations

import gc
import os
from multiprocessing.connection import Connection

# Read by torch, numpy and tokenizers when they are imported: there are as many judge processes as cores.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
os.environ["TOKENIZERS_PARALLELISM"] = "false"
gc.disable()  # looking through what only grows would take a fifth of the time of importing it

from pydantic import ValidationError  # noqa: E402

from autograder.assignment import load_assignment  # noqa: E402
from autograder.batch.job import Answer, Job, Ready, Setting  # noqa: E402
from autograder.batch.messages import Messages  # noqa: E402
from autograder.grading.judge import judge  # noqa: E402
from autograder.identity import code  # noqa: E402
from autograder.sandbox import GraderFault, NoIsolation, Sandbox  # noqa: E402

# What has just been imported is what is hashed: a fork may begin long after, when the files are others.
code(load_assignment())
gc.freeze()  # what is here already is never looked through at all, and its pages stay shared
gc.enable()


def main(source: Connection, replies: Connection) -> None:
    """Serves jobs until there are no more."""
    messages = Messages(source)
    first = messages.next()
    if first is None:
        return
    setting = Setting.model_validate_json(first)
    try:
        with Sandbox(setting.assignment, setting.isolation) as sandbox:
            gc.freeze()  # torch and all: never looked through again (an eighth of a judge's time)
            replies.send_bytes(
                Ready(isolation=sandbox.level, hidden=code(setting.assignment)).line().encode()
            )
            while (message := messages.next()) is not None:
                replies.send_bytes(_graded(message, sandbox).line().encode())
    except NoIsolation as e:
        replies.send_bytes(Answer(refused=str(e)).line().encode())
    except GraderFault as e:  # the sandbox does not start, for once
        replies.send_bytes(Answer(fault=str(e)).line().encode())
    finally:
        messages.done.set()


def _graded(message: bytes, sandbox: Sandbox) -> Answer:
    try:
        job = Job.model_validate_json(message)
    except ValidationError as e:
        return Answer(fault=f"a job that cannot be read: {e.errors()[0]['msg']}")
    try:
        return Answer(
            result=judge(job.submission(), job.setting.assignment, sandbox, timing=job.setting.timing)
        )
    except GraderFault as e:
        return Answer(fault=str(e))
