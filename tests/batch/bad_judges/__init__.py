"""Judge processes that never get ready, one module each: they are started by name."""
