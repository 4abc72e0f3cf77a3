"""Students' text, which nobody trusts, taken apart without being run.

For the judge and intake:

reading.py     asks a process under limits: notebook -> files; a file that cannot be loaded -> what of it can
places.py      lines of files made from a notebook -> cells, in a result

In that process, with the standard library only:

cells.py       JSON -> cells, for every notebook format and for damaged files
marks.py       comments in the files that say which cell a line comes from
statements.py  a cell's text -> Python statements, whatever stands between them
names.py       what a statement binds, needs and changes
modules.py     statements of all cells -> the exercises' files
fitting.py     which lines of some functions fit a pattern
scan.py        which of some names files use, however they are spelt
reach.py        which of these uses count where a name is not allowed
lexing.py      names and strings of what is no Python
constants.py   strings that are put together out of constants
mend.py        a file that cannot be loaded -> what of it can
__main__.py    the process: limits first, then one job from stdin, one answer to stdout
"""
