"""Grades a class of untrusted submissions to the chapter's exercises; see README.md."""

__version__ = "0.1.0"
