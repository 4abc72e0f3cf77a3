"""What students get: exercises, notebook, lab, small model; proved to hold no solution and no hidden test.

contents.py   which files, and what is written for them
selfcheck.py  `pytest exercises/`, which is the same for every assignment
known_mistakes.py  what the commonest mistakes return in the public tests (for authors)
secrets.py    what must never be in it, as fingerprints
leaks.py      looks for them, in what was really packed
pack.py       the folder and the zip
"""
