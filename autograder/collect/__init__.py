"""A platform's bulk download -> a class folder for `grade`: class/<student>/…, students.csv, collected.csv.

source.py      a folder or zip as a list of entries, within limits
platforms/     how each platform names what it gives: entry -> whose, when, which file
detect.py      which platform a download is from
roster.py      any platform's list of people -> students; people.py: whose work an entry is
attempts.py    which attempt counts
write.py       the class folder, so that a run again changes only what is new
collect.py     all of it in order
"""
