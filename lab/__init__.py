"""The chapter's demonstrations, on a small GPT-2 that ships with the kit and on the real one."""
