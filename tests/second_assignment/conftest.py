"""The content is another assignment's: nothing in it is a test of the kit."""

collect_ignore = ["chapter", "exercises", "solutions"]
