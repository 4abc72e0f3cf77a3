"""How long the texts are on which the cost of a cache is measured.

A text never gets longer than the course's GPT-2 can see: a cache with room for just so many positions is
right.
"""

SHORT, LONG, STEPS = 64, 480, 6  # tokens of the past, and new ones per measurement, where growth is measured
LEAST = 4 * SHORT  # a shorter long past, and there is nothing to measure
