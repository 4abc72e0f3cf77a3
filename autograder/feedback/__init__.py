"""Pages out of results: one for each student, one about the class. Sees results and course, runs nothing.

render(out, course, lang)                 all pages of a folder that `autograder grade` wrote
render_student(result, folder, course, lang)  the pages of one student, into that folder
student_html(result, course, lang)        one page
class_html(results, course, lang, links)  the class
"""

from autograder.feedback.class_page import class_html
from autograder.feedback.render import Rendered, render, render_student
from autograder.feedback.student_page import student_html, student_markdown

__all__ = [
    "Rendered",
    "class_html",
    "render",
    "render_student",
    "student_html",
    "student_markdown",
]
