# ruff: noqa
import os

for p in ("@FOLDER@/bob/heads.py", "@FOLDER@/grades.csv", "@CANARY@"):
    for mode in ("r", "a", "r+"):
        try:
            f = open(p, mode)
            print("LEAK" if mode == "r" else "HARM", p)
            f.write("# defaced")
        except Exception as e:
            print("no", p, mode, type(e).__name__)
