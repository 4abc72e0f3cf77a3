# ruff: noqa
import os
import threading
import time

made = threads = 0
for _ in range(200):
    try:
        pid = os.fork()
    except OSError as e:
        print("forks stopped", made, e)
        break
    if pid == 0:
        os.setsid()
        time.sleep(600)
        os._exit(0)
    made += 1
if made:
    print("HARM forked", made)
for name in ("posix_spawn", "posix_spawnp"):
    try:
        print("HARM", getattr(os, name)("/usr/bin/env", ["env", "true"], {}))
    except OSError as e:
        print("no", name, e)
for _ in range(2000):
    try:
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        threads += 1
    except RuntimeError as e:
        print("threads stopped", threads, e)
        break
else:
    print("HARM threads", threads)
