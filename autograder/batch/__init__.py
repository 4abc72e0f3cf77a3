"""Many submissions: which are new, a pool of judge processes, results as they come, going on after a stop.

job.py       what goes to a judge process and what comes back, as JSON
process.py   the judge process: one zygote, one submission after another
lines.py     its input, and leaving when that ends
warm.py      a process that has imported all that a judge process needs, and becomes one when asked
starting.py  how a judge process comes into the world, from there or by itself
judges.py    judge processes seen from outside: started, asked, watched, replaced when they die
pool.py      the same function on this machine's cores or on a Dask cluster
store.py     the folder of results: names, atomic writes, what is still valid
journal.py   what happened, line by line
run.py       a class, from its folder to its results
"""
