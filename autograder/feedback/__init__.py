"""Pages out of results: one for each student, one about the class. Sees results and course, runs nothing.

render(out, course, lang)                 all pages of a folder that `autograder grade` wrote
student_html(result, course, lang)        one page
class_html(results, course, lang, links)  the class
"""

from autograder.feedback.class_page import class_html
from autograder.feedback.render import Rendered, render
from autograder.feedback.student_page import student_html, student_markdown
from autograder.feedback.texts import t

__all__ = ["Rendered", "class_html", "render", "student_html", "student_markdown", "t"]
