"""A judge process that obeys heads.py instead of judging it: quick, and as bad as a test wants.

heads.py is words: "score 40", "die", "die-once FILE", "fault", "hang", "sleep 0.2", "nonsense",
"noise", "wait FILE", "child FILE", "note FILE".
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from autograder.batch.job import Answer, Job, Ready, Setting
from autograder.batch.messages import Messages
from autograder.identity import kit_of
from autograder.results import SubmissionResult, TestResult, Verdict


def main(source: Connection, replies: Connection) -> None:
    serve("", source, replies)


def serve(how: str, source: Connection, replies: Connection) -> None:
    messages = Messages(source)
    setting = Setting.model_validate_json(messages.next() or b"")
    if how == "refuses":
        replies.send_bytes(Answer(refused="no bubblewrap here").line().encode())
        return
    if how == "dies":
        sys.exit("no torch here")
    hidden = "another" if how == "other_kit" else setting.hidden
    replies.send_bytes(Ready(isolation="strong", hidden=hidden).line().encode())
    while (message := messages.next()) is not None:
        job = Job.model_validate_json(message)
        if b"nonsense" in job.files.get("heads.py", b""):
            replies.send_bytes(b"{not an answer")
        else:
            replies.send_bytes(answer(job).line().encode())


def answer(job: Job) -> Answer:
    words = job.files.get("heads.py", b"score 0").decode().split()
    score = 100.0
    while words:
        word = words.pop(0)
        if word == "score":
            score = float(words.pop(0))
        elif word == "die":
            os.kill(os.getpid(), 9)
        elif word == "die-once":
            path = Path(words.pop(0))
            if not path.exists():
                path.write_text("died")
                os.kill(os.getpid(), 9)
        elif word == "fault":
            return Answer(fault="the sandbox fell over")
        elif word == "hang":
            time.sleep(3600)
        elif word == "sleep":
            time.sleep(float(words.pop(0)))
        elif word == "wait":  # for a file
            path = Path(words.pop(0))
            while not path.exists():
                time.sleep(0.05)
        elif word == "noise":
            os.write(2, b"x" * 1_000_000)
        elif word == "note":  # that it was begun
            with Path(words.pop(0)).open("a") as file:
                file.write("begun\n")
        elif word == "child":
            child = subprocess.Popen(["sleep", "3600"])
            Path(words.pop(0)).write_text(str(child.pid))
    return Answer(result=result(job, score))


def result(job: Job, score: float) -> SubmissionResult:
    assignment = job.setting.assignment
    tests = [
        TestResult(
            id=f"{e.sheet}/{e.id}",
            exercise=e.id,
            concept=e.id,
            verdict=Verdict.PASSED if score else Verdict.FAILED,
            points=e.points * score / 100,
            max_points=e.points,
        )
        for e in assignment.exercises
    ]
    kit = kit_of(job.files, assignment, timing=job.setting.timing)
    return SubmissionResult(
        student=job.student,
        score=score,
        isolation="strong",
        kit=kit.model_copy(update={"hashes": kit.hashes | {"hidden": job.setting.hidden}}),
        tests=tests,
        flags=job.flags,
        problems=job.problems,
    )
