"""What people type, one command a file. Thin: they read options, call a room, and say what came of it."""
