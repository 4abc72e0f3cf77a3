"""What can be wrong with an nbgrader course, apart from the modules that import nbgrader (slow to import)."""


class CourseFolderError(Exception):
    """The nbgrader course cannot be used; the text says what is wrong and what to do."""
