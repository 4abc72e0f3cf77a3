"""Exercises, solutions and public tests -> the notebook, in nbgrader's source form.

sources.py  what the notebook is made of, cut out of exercises/ and solutions/
public.py   the public tests as cells
tools.py    what the public tests lean on: its text goes into the notebook's first code cell
notebook.py the notebook, and the students' version of it as nbgrader makes it
"""
