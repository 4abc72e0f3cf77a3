"""From results to grades: a pure function over results, and the tables that other systems read."""
