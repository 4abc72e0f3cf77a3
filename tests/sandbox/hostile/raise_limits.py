# ruff: noqa
import os
import resource

for r in ("AS", "CPU", "NPROC", "FSIZE", "NOFILE", "STACK"):
    k = getattr(resource, "RLIMIT_" + r)
    for pair in ((resource.RLIM_INFINITY,) * 2, (1 << 40, 1 << 40)):
        try:
            resource.setrlimit(k, pair)
            print("HARM raised", r)
        except Exception as e:
            print("no", r, e)
for name, attempt in (
    ("nice", lambda: os.nice(-10)),
    ("priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, -10)),
    ("fifo", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))),
):
    try:
        attempt()
        print("HARM", name)
    except OSError as e:
        print("no", name, e)
