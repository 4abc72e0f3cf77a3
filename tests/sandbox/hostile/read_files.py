# ruff: noqa
import glob
import os

for p in [
    "@CANARY@",
    "@FOLDER@",
    "/etc/passwd",
    "/etc/shadow",
    "/root",
    "/home",
    "@REPO@",
    "@REPO@/solutions/heads.py",
    "@REPO@/autograder/chapter04/hidden",
    "@REPO@/course.toml",
    "../../solutions/heads.py",
]:
    try:
        print("LEAK", p, os.listdir(p) if os.path.isdir(p) else open(p).read()[:200])
    except Exception as e:
        print("no", p, type(e).__name__)
for root in ("/tmp", "/var/tmp", "/dev/shm", "/home", "/root", "/work", "/opt", "/srv", "/mnt"):
    for d, _, fs in os.walk(root):
        for f in fs:
            try:
                if (
                    f.endswith((".py", ".toml", ".json"))
                    and "site-packages" not in d
                    and "/lib/python" not in d
                ):
                    print("LEAK", d, f, open(os.path.join(d, f)).read()[:50])
            except Exception:
                pass
